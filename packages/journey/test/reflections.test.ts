import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { makeSpecimen, type SpecimenOrder } from '@grove/vision';
import sharp from 'sharp';
import { judgeCard } from '../src/capture/document/judge-card.ts';
import { measureCard, measureLight } from '../src/capture/document/measure-card.ts';
import type { Quad } from '../src/capture/document/quad.ts';

/** Photographs of specimens as the page measures them: a copy of 480 pixels, with the true corners. */
const TAKEN = { width: 640, height: 480 } as const;
const LOOKED_AT = 480;
const FRAME = { left: 40, top: 60, width: 400, height: 252 };

async function hintFor({ photograph, ...order }: SpecimenOrder): Promise<string | null> {
  const { jpeg, quads } = await makeSpecimen({ ...order, photograph: { size: TAKEN, share: 0.78, ...photograph } });
  const { data, info } = await sharp(jpeg).resize(LOOKED_AT).ensureAlpha().raw().toBuffer({ resolveWithObject: true });
  const pixels = { width: info.width, height: info.height, data: new Uint8ClampedArray(data) };
  const scale = LOOKED_AT / TAKEN.width;
  const quad = quads[0]?.map(({ x, y }) => ({ x: x * scale, y: y * scale })) as unknown as Quad;
  return judgeCard({ at: 0, card: measureCard(pixels, quad, FRAME), light: measureLight(pixels) });
}

describe('reflections on specimens', () => {
  const SIDES = [
    { kind: 'idCard', side: 'front' },
    { kind: 'passport', side: 'front' },
    { kind: 'licence', side: 'front' },
  ] as const;

  it('reflections on specimens get a hint where the camera shows them below white', async () => {
    for (const [at, side] of SIDES.entries()) {
      // A lamp of 0.3 hides a third of the width; at 0.8 of the light none of it is white.
      for (const photograph of [
        { glare: 0.3, light: 0.8 },
        { glare: 0.8, light: 0.8 },
      ]) {
        const hint = await hintFor({ ...side, seed: 41 + at, photograph });
        assert.equal(hint, 'glare', `${side.kind} ${JSON.stringify(photograph)}`);
      }
    }
  });

  it('specimens without reflections get no hint, in any light', async () => {
    const others = [
      { kind: 'idCard', side: 'back' },
      { kind: 'licence', side: 'back' },
    ] as const;
    for (const [at, side] of [...SIDES, ...others].entries()) {
      for (const photograph of [{ light: 0.8 }, { light: 0.65, noise: 4, yaw: 6 }]) {
        const hint = await hintFor({ ...side, seed: 51 + at, photograph });
        assert.notEqual(hint, 'glare', `${side.kind} ${side.side} ${JSON.stringify(photograph)}`);
      }
    }
  });
});
