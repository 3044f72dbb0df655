import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { cropAround, minifasLook, packagedLook, passiveLiveness } from './passive.ts';

/** Red encodes the column of a pixel, green its row; blue is 7 everywhere. */
function raster(width: number, height: number) {
  const data = Uint8Array.from({ length: width * height * 3 }, (_, at) =>
    at % 3 === 0 ? Math.floor(at / 3) % width : at % 3 === 1 ? Math.floor(at / 3 / width) : 7,
  );
  return { width, height, data };
}

const FACE = { left: 100, top: 80, right: 130, bottom: 120 };

/** A network with a constant answer, which records its inputs. */
function network(answer: number[]) {
  const inputs: Float32Array[] = [];
  const run = async (input: Float32Array) => {
    inputs.push(input);
    return [Float32Array.from(answer)];
  };
  return { inputs, run };
}

describe('passive liveness', () => {
  test('passive liveness is the mean of the live shares of its networks, under the name of both', async () => {
    const model = { name: 'pair', version: '1' };
    const looks = [minifasLook(network([0.1, 0.7, 0.2]).run, 2.7), minifasLook(network([0.4, 0.2, 0.4]).run, 4)];
    const { score, ...rest } = await passiveLiveness(raster(240, 200), FACE, { model, looks });
    assert.ok(Math.abs(score - 0.45) < 1e-6);
    assert.deepEqual(rest, { model });
  });

  test('passive liveness passes raw bytes, blue first, and the crop without smoothing', async () => {
    const { inputs, run } = network([0, 1, 0]);
    assert.equal(await minifasLook(run, 2.7)(raster(240, 200), FACE), 1);
    const [shown = new Float32Array()] = inputs;
    const plane = 80 * 80;
    assert.equal(shown.length, 3 * plane);
    assert.ok(shown.subarray(0, plane).every((blue) => blue === 7));
    // The crop is 81 by 108 pixels around (115, 100): whole pixels 74 to 156 and 46 to 155.
    assert.ok(Math.abs((shown[2 * plane] as number) - (74 + 82 / 160 - 0.5)) < 1e-4, `${shown[2 * plane]}`);
    assert.ok(Math.abs((shown[plane] as number) - (46 + 109 / 160 - 0.5)) < 1e-4, `${shown[plane]}`);
  });

  test('passive liveness by the packaged network computes its own shares', async () => {
    const { inputs, run } = network([Math.log(3), 0, 0]);
    assert.ok(Math.abs((await packagedLook(run)(raster(240, 200), FACE)) - 0.6) < 1e-6);
    assert.equal(inputs[0]?.length, 3 * 128 * 128);
  });
});

describe('the crop around a face', () => {
  test('the crop around a face is moved inside the picture rather than cut', () => {
    const corner = { left: 0, top: 0, right: 30, bottom: 40 };
    assert.deepEqual(cropAround({ width: 240, height: 200 }, corner, 2.7), { left: 0, top: 0, right: 81, bottom: 108 });
  });

  test('the crop around a face is as large as the picture allows', () => {
    const { left, top, right, bottom } = cropAround({ width: 101, height: 500 }, { ...FACE, left: 10, right: 60 }, 4);
    assert.ok(right - left <= 100 && bottom - top <= 80 && left >= 0 && top >= 0);
  });
});
