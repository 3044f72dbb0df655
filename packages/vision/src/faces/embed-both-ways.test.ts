import assert from 'node:assert/strict';
import { test } from 'node:test';
import sharp from 'sharp';
import { FRANCK, picture } from '../../test/pictures.ts';
import { loadEmbedder } from '../load-face-models.ts';
import { loadModels } from '../models.ts';
import { embedFace } from './analyse.ts';
import { mirrorAround } from './embed-both-ways.ts';
import { cosine } from './match.ts';

/** Every pixel encodes its position. */
function raster(width: number, height: number) {
  const data = Uint8Array.from({ length: width * height * 3 }, (_, at) =>
    at % 3 === 0 ? Math.floor(at / 3) % width : at % 3 === 1 ? Math.floor(at / 3 / width) : 7,
  );
  return { width, height, data };
}

test('the mirror image holds the face and a face around it, left and right exchanged', () => {
  const mirror = mirrorAround(raster(100, 80), { left: 40, top: 30, right: 55, bottom: 50 });
  assert.deepEqual([mirror.raster.width, mirror.raster.height], [55, 60]);
  assert.deepEqual(mirror.face, { left: 20, top: 20, right: 35, bottom: 40 });
  assert.deepEqual([...mirror.raster.data.subarray(0, 3)], [74, 10, 7]);
  assert.deepEqual([...mirror.raster.data.subarray(-3)], [20, 69, 7]);
});

test('a face that reaches over the edge of its picture keeps its place in the mirror', () => {
  const mirror = mirrorAround(raster(50, 40), { left: -10, top: -5, right: 20, bottom: 25 });
  assert.deepEqual([mirror.raster.width, mirror.raster.height], [50, 40]);
  assert.deepEqual(mirror.face, { left: 30, top: -5, right: 60, bottom: 25 });
  assert.equal(mirror.raster.data[0], 49);
});

test('a picture and its mirror image give nearly one vector', async () => {
  const models = { ...(await loadModels(['detect', 'landmark'])), embedder: await loadEmbedder() };
  const bytes = picture(FRANCK);
  const { template: one } = await embedFace(bytes, models);
  const { template: other } = await embedFace(await sharp(bytes).flop().png().toBuffer(), models);
  assert.ok(one && other && cosine(one.vector, other.vector) > 0.99);
});
