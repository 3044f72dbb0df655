import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { mock, test } from 'node:test';
import { toUnit } from './faces/embed.ts';
import { FACE_MODELS, WEIGHTS } from './model-names.ts';
import { loadModels, testInput } from './models.ts';
import { openAsItIs } from './onnx/open-network.ts';
import { InferenceSession, Tensor } from './onnx/runtime.ts';

const FOLDER = dirname(createRequire(import.meta.url).resolve(`${WEIGHTS}/package.json`));

test('the embedding network answers in its own layout as in blocks of channels', async () => {
  const create = mock.method(InferenceSession, 'create');
  const { feature } = await loadModels(['feature']);
  const [call] = create.mock.calls;
  create.mock.restore();
  const options = call?.arguments[1] as InferenceSession.SessionOptions | undefined;
  assert.equal(options?.graphOptimizationLevel, 'extended');
  const model = FACE_MODELS.feature;
  const input = testInput(model);
  const blocks = await openAsItIs(readFileSync(join(FOLDER, model.file)), { graphOptimizationLevel: 'all' });
  const [own] = await feature(input);
  const inBlocks = (await blocks.run({ input: new Tensor('float32', input, model.input) })).output as Tensor;
  const [one, other] = [toUnit(own as Float32Array), toUnit(inBlocks.data as Float32Array)];
  const largest = one.reduce((most, value, at) => Math.max(most, Math.abs(value - (other[at] as number))), 0);
  assert.ok(largest < 1e-5, `a number of the vector differs by ${largest}`);
});
