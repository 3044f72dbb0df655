import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { FACE_MODELS, type FaceModelKey, type ModelFile, WEIGHTS } from './model-names.ts';

/** The outputs of one run, in the order in which the table above names them. */
export type RunModel = (input: Float32Array) => Promise<Float32Array[]>;

/** One thread and a plain allocator: a worker has one core, and memory that is returned after each picture. */
const SESSION_OPTIONS: InferenceSession.SessionOptions = {
  executionProviders: ['cpu'],
  executionMode: 'sequential',
  graphOptimizationLevel: 'all',
  intraOpNumThreads: 1,
  interOpNumThreads: 1,
  enableCpuMemArena: false,
  logSeverityLevel: 3,
};

/** Loads and checks the weights, and runs each model once, so that the first picture waits for nothing. */
export async function loadModels<Key extends FaceModelKey>(keys: readonly Key[]): Promise<Record<Key, RunModel>> {
  const folder = dirname(createRequire(import.meta.url).resolve(`${WEIGHTS}/package.json`));
  const loaded: Partial<Record<Key, RunModel>> = {};
  for (const key of keys) loaded[key] = await loadModel(folder, FACE_MODELS[key]);
  return loaded as Record<Key, RunModel>;
}

async function loadModel(folder: string, { name, version, file, input, outputs }: ModelFile): Promise<RunModel> {
  const weights = readFileSync(join(folder, file));
  const hash = createHash('sha256').update(weights).digest('hex');
  if (!hash.startsWith(version)) throw new Error(`the weights of ${name} are others than version ${version}`);
  const session = await InferenceSession.create(weights, SESSION_OPTIONS);
  const run: RunModel = async (data) => {
    const result = await session.run({ input: new Tensor('float32', data, input) });
    return outputs.map((output) => (result[output] as Tensor).data as Float32Array);
  };
  await run(new Float32Array(input.reduce((product, side) => product * side, 1)));
  return run;
}
