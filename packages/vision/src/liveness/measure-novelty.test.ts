import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import sharp from 'sharp';
import { FRANCK, picture } from '../../test/pictures.ts';
import type { FaceModels } from '../faces/analyse.ts';
import { DEFAULT_PACK } from '../faces/packs.ts';
import { loadFaceModels } from '../load-face-models.ts';
import { measureNovelty, type RestPicture } from './measure-novelty.ts';
import type { FaceObservation } from './observation.ts';
import { observeFace } from './observe.ts';
import { LIVENESS_BOUNDS } from './verify.ts';

describe('the novelty of faces at rest', () => {
  let models: FaceModels;
  let copies: RestPicture[];

  before(async () => {
    models = await loadFaceModels({ pack: DEFAULT_PACK });
    const face = sharp(picture(FRANCK)).resize(480);
    copies = [];
    for (const quality of [95, 90, 85]) {
      const bytes = await face.clone().jpeg({ quality }).toBuffer();
      const { points } = (await observeFace(bytes, models)) as FaceObservation;
      copies.push({ bytes, points, yaw: 0, pitch: 0 });
    }
  });

  test('the novelty of one photograph is below the bound of a refusal', async () => {
    const novelty = await measureNovelty(copies);
    assert.ok(novelty && novelty.median < LIVENESS_BOUNDS.novelty.refuse, JSON.stringify(novelty));
  });

  test('the novelty beyond the pose is half if all poses are four degrees apart, and full if they are equal', async () => {
    const inOnePose = await measureNovelty(copies);
    const apart = copies.map((copy, at) => {
      // The corners of an equilateral triangle.
      const angle = (at * 2 * Math.PI) / 3;
      const radius = 4 / Math.sqrt(3);
      return { ...copy, yaw: radius * Math.cos(angle), pitch: radius * Math.sin(angle) };
    });
    const inThree = await measureNovelty(apart);
    assert.ok(inOnePose && inThree && inOnePose.median > 0);
    assert.equal(inOnePose.medianBeyondPose, inOnePose.median);
    assert.equal(inThree.medianBeyondPose.toFixed(9), (inOnePose.median / 2).toFixed(9));
    assert.deepEqual([inThree.median, inThree.thirdLeast], [inOnePose.median, inOnePose.thirdLeast]);
  });

  test('the novelty of two pictures is unknown', async () => {
    assert.equal(await measureNovelty(copies.slice(1)), null);
  });
});
