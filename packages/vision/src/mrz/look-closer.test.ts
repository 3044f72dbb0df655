import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contains, findQuads } from '../documents/find-quads.ts';
import { centreOf, rectangle } from '../images/geometry.ts';
import { decodeImage } from '../images/raster.ts';
import { detectText } from '../ocr/detect-text.ts';
import { makeSpecimen } from '../specimens/make-specimen.ts';
import { lookCloser } from './look-closer.ts';
import { readMrz } from './read-mrz.ts';

test('the closer look examines the document, and returns positions in the picture itself', async () => {
  const { jpeg, quads } = await makeSpecimen({
    kind: 'licence',
    side: 'front',
    seed: 31,
    photograph: { share: 0.4, tilt: 8, size: { width: 1600, height: 1200 } },
  });
  const image = await decodeImage(jpeg);
  const { boxes, quad, scale } = await lookCloser(image, await detectText(image, 640), findQuads(image));
  const [document] = quads;
  assert.ok(document && contains(quad, centreOf(document)));
  assert.ok(scale > 1, `a document of 640 pixels was shown ${scale} times as large`);
  assert.ok(boxes.length > 10);
  assert.ok(boxes.every(({ centre }) => contains(document, centre)));
});

test('the closer look examines everything if nothing is known, within its limit of pixels', async () => {
  const image = { width: 1500, height: 1500, data: new Uint8Array(1500 * 1500 * 3).fill(200) };
  const { boxes, quad, scale } = await lookCloser(image, [], []);
  assert.deepEqual([quad, boxes], [rectangle(1500, 1500), []]);
  assert.ok((1500 * scale) ** 2 <= 720_001);
});

test('a card without a zone is recognised by part of a line', async () => {
  const { jpeg } = await makeSpecimen({ kind: 'idCard', side: 'front', seed: 32 });
  const { mrz, closer, pixelsRead } = await readMrz(await decodeImage(jpeg));
  assert.equal(mrz, undefined);
  assert.ok(closer && closer.boxes.length > 10);
  assert.ok(pixelsRead < 1120, `${pixelsRead} pixels`);
});
