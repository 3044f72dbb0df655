/** What a finding was made with. The version is the beginning of the SHA-256 of the weights: other weights, other name. */
export type ModelName = { readonly name: string; readonly version: string };

export type FaceModelKey = 'detect' | 'landmark' | 'feature' | 'pose' | 'eye' | 'liveness';

export type ModelFile = ModelName & {
  readonly file: string;
  readonly input: readonly number[];
  readonly outputs: readonly string[];
};

/** The package that carries the weights of faces. */
export const WEIGHTS = 'faceplugin-face-recognition-js';

export const FACE_MODELS: Readonly<Record<FaceModelKey, ModelFile>> = {
  detect: model('fr_detect', '6c0256ccd316', [1, 3, 240, 320], ['scores', 'boxes']),
  landmark: model('fr_landmark', 'f10b0ba1d2a8', [1, 1, 64, 64], ['output']),
  feature: model('fr_feature', '87aacdfe5751', [1, 3, 112, 112], ['output']),
  pose: model('fr_pose', '72d032ec941b', [1, 3, 224, 224], ['output', '617', '618']),
  eye: model('fr_eye', '1afcea006abc', [1, 1, 24, 24], ['output']),
  liveness: model('fr_liveness', 'afa783b7e902', [1, 3, 128, 128], ['output']),
};

function model(name: string, version: string, input: readonly number[], outputs: readonly string[]): ModelFile {
  return { name, version, file: `model/${name}.onnx`, input, outputs };
}

export function modelName({ name, version }: ModelName): ModelName {
  return { name, version };
}
