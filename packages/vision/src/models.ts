import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import {
  FACE_MODELS,
  type FaceModelKey,
  type ModelFile,
  SUPPLIED_MODELS,
  type SuppliedModel,
  type SuppliedModelKey,
  WEIGHTS,
} from './model-names.ts';
import { nativeCall } from './native-calls.ts';
import { openAsItIs, openNarrow } from './onnx/open-network.ts';
import { type InferenceSession, Tensor } from './onnx/runtime.ts';

/** The outputs of one run, in the order in which the table above names them. */
export type RunModel = (input: Float32Array) => Promise<Float32Array[]>;

/** A plain allocator: memory is returned after each picture. */
const SESSION_OPTIONS: InferenceSession.SessionOptions = {
  executionProviders: ['cpu'],
  executionMode: 'sequential',
  graphOptimizationLevel: 'all',
  enableCpuMemArena: false,
};

/** All optimisations but the last level, which changes the layout. */
const KEEPS_LAYOUT = { graphOptimizationLevel: 'extended' } as const;

/** Loads and checks the weights, and runs each model once, so that the first picture need not wait. */
export async function loadModels<Key extends FaceModelKey>(keys: readonly Key[]): Promise<Record<Key, RunModel>> {
  const folder = dirname(createRequire(import.meta.url).resolve(`${WEIGHTS}/package.json`));
  const models: Partial<Record<Key, RunModel>> = {};
  for (const key of keys) models[key] = await loadPackaged(folder, FACE_MODELS[key]);
  return models as Record<Key, RunModel>;
}

async function loadPackaged(folder: string, model: ModelFile): Promise<RunModel> {
  const weights = readFileSync(join(folder, model.file));
  const hash = createHash('sha256').update(weights).digest('hex');
  if (!hash.startsWith(model.version)) throw new Error(`the weights of ${model.name} do not match ${model.version}`);
  const options = model.keepsLayout ? { ...SESSION_OPTIONS, ...KEEPS_LAYOUT } : SESSION_OPTIONS;
  const narrow = model.narrow ? await openNarrow(weights, options) : undefined;
  const run = runOf(narrow ?? (await openAsItIs(weights, options)), model);
  await run(new Float32Array(sizeOf(model)));
  return run;
}

/** Larger than any of them, so that a wrong path cannot fill the memory. */
const MAX_SUPPLIED_BYTES = 32 * 1024 * 1024;
/** The difference that another order of the same sums may cause. */
const TOLERANCE = 2e-3;

export function isSupplied(folder: string, key: SuppliedModelKey): boolean {
  return existsSync(join(folder, SUPPLIED_MODELS[key].file));
}

/** Loads a model from the operator's folder. Throws if it is missing or does not answer as the measured one did. */
export async function loadSupplied(folder: string, key: SuppliedModelKey): Promise<RunModel> {
  const model = SUPPLIED_MODELS[key];
  const path = join(folder, model.file);
  if (!existsSync(path)) throw new Error(`GROVE_WEIGHTS has no file ${model.file}`);
  const weights = readFileSync(path);
  if (weights.length > MAX_SUPPLIED_BYTES) throw new Error(`${model.file} is too large to be ${model.name}`);
  const run = runOf(await openAsItIs(weights, SESSION_OPTIONS), model);
  const [output] = await run(testInput(model));
  if (!output || !isAnswer(output, model)) {
    throw new Error(`${model.file} does not answer as ${model.name} ${model.version} does`);
  }
  return run;
}

/** Bytes from 0 to 255 in an order that no picture has. */
export function testInput(model: ModelFile): Float32Array {
  return Float32Array.from({ length: sizeOf(model) }, (_, at) => (at * 7919) % 256);
}

function isAnswer(output: Float32Array, { answer }: SuppliedModel): boolean {
  const largest = Math.max(...answer.map(Math.abs));
  return answer.every((value, at) => Math.abs((output[at] ?? Number.NaN) - value) <= TOLERANCE * largest);
}

function runOf(session: InferenceSession, { input, outputs }: ModelFile): RunModel {
  return async (data) => {
    const result = await nativeCall(() => session.run({ input: new Tensor('float32', data, input) }));
    return outputs.map((output) => (result[output] as Tensor).data as Float32Array);
  };
}

function sizeOf({ input }: ModelFile): number {
  return input.reduce((product, side) => product * side, 1);
}
