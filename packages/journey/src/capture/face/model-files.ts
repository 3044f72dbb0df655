/** The models and the machine code that find a face, and the folder of the app that holds them. */
export const MODEL_FOLDER = 'assets/face-3.3.6/';

export const MODEL_FILES = [
  '@vladmandic/human/models/blazeface.json',
  '@vladmandic/human/models/blazeface.bin',
  '@vladmandic/human/models/facemesh.json',
  '@vladmandic/human/models/facemesh.bin',
  '@tensorflow/tfjs-backend-wasm/dist/tfjs-backend-wasm.wasm',
  '@tensorflow/tfjs-backend-wasm/dist/tfjs-backend-wasm-simd.wasm',
] as const;
