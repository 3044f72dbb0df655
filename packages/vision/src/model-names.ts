/** The model behind a finding. The version begins a hash of the weights, so other weights have another name. */
export type ModelName = { readonly name: string; readonly version: string };

export type FaceModelKey = 'detect' | 'landmark' | 'feature' | 'pose' | 'eye' | 'liveness';

export type ModelFile = ModelName & {
  readonly file: string;
  readonly input: readonly number[];
  readonly outputs: readonly string[];
  /** Whether its convolutions may be narrow. Those that determine vectors and signs of attacks stay as measured. */
  readonly narrow?: true;
  /**
   * Whether its planes stay as ONNX stores them. ONNX Runtime sorts them in blocks of channels for its own convolution,
   * which reads all weights again for each row: that is slow if they do not fit into the cache of a core.
   */
  readonly keepsLayout?: true;
};

/** The package with the weights of the face networks. */
export const WEIGHTS = 'faceplugin-face-recognition-js';

export const FACE_MODELS: Readonly<Record<FaceModelKey, ModelFile>> = {
  detect: model('fr_detect', '6c0256ccd316', [1, 3, 240, 320], ['scores', 'boxes']),
  landmark: model('fr_landmark', 'f10b0ba1d2a8', [1, 1, 64, 64], ['output']),
  feature: { ...model('fr_feature', '87aacdfe5751', [1, 3, 112, 112], ['output']), keepsLayout: true },
  pose: { ...model('fr_pose', '72d032ec941b', [1, 3, 224, 224], ['output', '617', '618']), narrow: true },
  eye: model('fr_eye', '1afcea006abc', [1, 1, 24, 24], ['output']),
  liveness: model('fr_liveness', 'afa783b7e902', [1, 3, 128, 128], ['output']),
};

function model(name: string, version: string, input: readonly number[], outputs: readonly string[]): ModelFile {
  return { name, version, file: `model/${name}.onnx`, input, outputs };
}

/**
 * Weights that no npm package carries: the operator puts them into the folder of `GROVE_WEIGHTS` (`docs/vision.md`
 * names the sources). A file that somebody else converted has other bytes but must give the same answers, so it is
 * recognised by the beginning of its answer to one input, not by its hash. The version is the beginning of the hash of
 * the weights as published by their author.
 */
export type SuppliedModel = ModelFile & { readonly answer: readonly number[] };
export type SuppliedModelKey = 'minifasV2' | 'minifasV1se' | 'reid0095';

export const SUPPLIED_MODELS: Readonly<Record<SuppliedModelKey, SuppliedModel>> = {
  minifasV2: {
    name: 'minifasnet_v2',
    version: 'a5eb02e1843f',
    file: 'minifasnet_v2.onnx',
    input: [1, 3, 80, 80],
    outputs: ['output'],
    answer: [0.01284, 0.00055401, 0.98661],
  },
  minifasV1se: {
    name: 'minifasnet_v1se',
    version: '84ee1d37d968',
    file: 'minifasnet_v1se.onnx',
    input: [1, 3, 80, 80],
    outputs: ['output'],
    answer: [0.014296, 0.093848, 0.89186],
  },
  reid0095: {
    name: 'face-reidentification-retail-0095',
    version: '6d51703e8545',
    file: 'face_reid_0095.onnx',
    input: [1, 3, 128, 128],
    outputs: ['output'],
    answer: [-0.065179, -0.012468, -0.0071598, -0.53519, -0.76699, -0.29729, 0.40716, -0.083552],
  },
};

export function modelName({ name, version }: ModelName): ModelName {
  return { name, version };
}
