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

  test('the novelty of the eyes counts lids and gaze, and nothing else of the face', async () => {
    const [first] = copies as [RestPicture];
    const { width = 0, height = 0 } = await sharp(first.bytes).metadata();
    const at = (point: number) => ({ x: first.points[point * 2] as number, y: first.points[point * 2 + 1] as number });
    // A bar over one eye or over the mouth, another shade in each picture.
    const painted = (from: number, to: number) =>
      Promise.all(
        copies.map(async (copy, index) => {
          const [left, right] = [at(from), at(to)];
          const bar = { width: Math.round(right.x - left.x), height: Math.round((right.x - left.x) / 3) };
          const input = await sharp({ create: { ...bar, channels: 3, background: `hsl(0, 0%, ${20 + index * 30}%)` } })
            .png()
            .toBuffer();
          const place = { left: Math.round(left.x), top: Math.round(left.y - bar.height / 2) };
          assert.ok(place.left + bar.width < width && place.top + bar.height < height);
          return {
            ...copy,
            bytes: await sharp(copy.bytes)
              .composite([{ input, ...place }])
              .png()
              .toBuffer(),
          };
        }),
      );
    const [same, eyes, mouth] = [
      await measureNovelty(copies),
      await measureNovelty(await painted(36, 39)),
      await measureNovelty(await painted(48, 54)),
    ];
    assert.ok(same && eyes && mouth);
    assert.ok(same.eyes < LIVENESS_BOUNDS.eyeNovelty.same, `${same.eyes}`);
    assert.ok(eyes.eyes > LIVENESS_BOUNDS.eyeNovelty.alive, `${eyes.eyes}`);
    assert.ok(mouth.eyes < LIVENESS_BOUNDS.eyeNovelty.same, `${mouth.eyes}`);
    assert.ok(mouth.median > same.median, `${mouth.median}`);
  });

  test('the novelty of the eyes is that of the third pair of fifteen, which three photographs shown twice do not raise', async () => {
    const rotated = await Promise.all(
      [0, 7, 14].map(async (hue, index) => {
        const copy = copies[0] as RestPicture;
        return {
          ...copy,
          bytes: await sharp(copy.bytes)
            .blur(1 + index + hue / 7)
            .png()
            .toBuffer(),
        };
      }),
    );
    const inTurn = await measureNovelty([...rotated, ...rotated]);
    assert.ok(
      inTurn && inTurn.eyes < LIVENESS_BOUNDS.eyeNovelty.same && inTurn.median > inTurn.eyes,
      JSON.stringify(inTurn),
    );
  });

  test('the novelty of two pictures is unknown', async () => {
    assert.equal(await measureNovelty(copies.slice(1)), null);
  });
});
