import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contains, findQuads } from '../documents/find-quads.ts';
import { centreOf, type Quad } from '../images/geometry.ts';
import { decodeImage } from '../images/raster.ts';
import { parseMrz } from '../mrz/parse-mrz.ts';
import { SPECIMEN_KINDS } from './draw-document.ts';
import { everydayOrders, makeSpecimen } from './make-specimen.ts';

test('the same order gives the same picture, another seed another person', async () => {
  const order = {
    kind: 'idCard',
    seed: 61,
    photograph: { tilt: 3, noise: 4, glare: 0.5, size: { width: 400, height: 300 } },
  } as const;
  const one = await makeSpecimen(order);
  assert.deepEqual(await makeSpecimen(order), one);
  assert.notDeepEqual((await makeSpecimen({ ...order, seed: 62 })).person, one.person);
});

test('draws every kind, with a right zone or a barcode on the side that has one', async () => {
  for (const kind of SPECIMEN_KINDS) {
    const { mrz, barcode } = await makeSpecimen({ kind, seed: 63, photograph: { size: { width: 64, height: 48 } } });
    assert.equal(kind === 'licence', barcode !== undefined);
    assert.equal(kind !== 'licence', mrz !== undefined && parseMrz(mrz)?.valid === true, kind);
  }
});

test('the outline of a photographed specimen is found where it was drawn', async () => {
  for (const order of everydayOrders(5, 64)) {
    const photograph = { ...order.photograph, size: { width: 800, height: 600 } };
    const { jpeg, quads } = await makeSpecimen({ ...order, photograph });
    const image = await decodeImage(jpeg);
    const found = findQuads(image)[0]?.quad;
    assert.ok(found);
    const [drawn] = quads as [Quad];
    const off = drawn.map((corner) => Math.min(...found.map(({ x, y }) => Math.hypot(x - corner.x, y - corner.y))));
    assert.ok(Math.max(...off) < 0.02 * image.width, `${order.kind} ${order.seed}: ${off.map(Math.round)}`);
    assert.ok(contains(found, centreOf(drawn)));
  }
});
