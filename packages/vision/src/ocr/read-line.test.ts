import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Raster } from '../images/raster.ts';
import { ocrModels } from './models.ts';
import { LINE_HEIGHT, readStrip } from './read-line.ts';

/** Grey stripes, of which no reader is certain. */
const STRIP: Raster = {
  width: 160,
  height: LINE_HEIGHT,
  data: Uint8Array.from({ length: 160 * LINE_HEIGHT * 3 }, (_, at) => 128 + 60 * Math.sin(at / 17)),
};

describe('a strip', () => {
  test('a strip is read nearly the same with care', async () => {
    const [quick, careful] = [await readStrip(STRIP), await readStrip(STRIP, { careful: true })];
    assert.equal(careful.data.length, quick.data.length);
    const largest = careful.data.reduce(
      (most, value, at) => Math.max(most, Math.abs(value - (quick.data[at] as number))),
      0,
    );
    assert.ok(largest < 0.1, `a probability differs by ${largest}`);
  });

  test('a strip is read with care by a network of its own, if the other one is narrow', async () => {
    const { reader, carefulReader } = await ocrModels();
    const { data } = await readStrip(STRIP);
    const { data: carefulData } = await readStrip(STRIP, { careful: true });
    if (!carefulReader) assert.deepEqual(carefulData, data);
    else {
      assert.notEqual(await carefulReader(), reader);
      assert.notDeepEqual(carefulData, data);
    }
  });
});
