import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import sharp from 'sharp';
import { FRANCK, picture } from '../../test/pictures.ts';
import type { FaceModels } from '../faces/analyse.ts';
import { DEFAULT_PACK } from '../faces/packs.ts';
import { loadFaceModels } from '../load-face-models.ts';
import type { FaceObservation } from './observation.ts';
import { observeFace } from './observe.ts';
import { sizeOf, type WantedFrame } from './roles.ts';

describe('a frame of a challenge after one that was fully analysed', () => {
  let models: FaceModels;
  let first: Buffer;
  let firstObservation: FaceObservation;
  let networks: string[] = [];
  const wanted = (change: Partial<WantedFrame> = {}): WantedFrame => {
    return {
      neutral: { ...firstObservation, size: sizeOf(firstObservation) },
      movement: 'left',
      roles: ['shown'],
      lastLook: firstObservation,
      ...change,
    };
  };

  before(async () => {
    const loaded = await loadFaceModels({ pack: DEFAULT_PACK });
    const counted = (name: 'detect' | 'pose'): FaceModels['detect'] => {
      return (input) => {
        networks.push(name);
        return loaded[name](input);
      };
    };
    models = { ...loaded, detect: counted('detect'), pose: counted('pose') };
    first = await sharp(picture(FRANCK)).resize(480).jpeg({ quality: 90 }).toBuffer();
    firstObservation = (await observeFace(first, models)) as FaceObservation;
  });

  async function observe(bytes: Buffer, want: WantedFrame) {
    networks = [];
    const observation = await observeFace(bytes, models, want);
    return { observation: observation as FaceObservation, networks: [...networks] };
  }

  test('an unmoved frame is not passed to the detector and the pose network', async () => {
    const again = await sharp(first).modulate({ brightness: 1.03 }).jpeg({ quality: 80 }).toBuffer();
    const { observation, networks: used } = await observe(again, wanted());
    assert.deepEqual(used, []);
    assert.equal(observation.isAsBefore, true);
    assert.deepEqual([observation.yaw, observation.pitch], [firstObservation.yaw, firstObservation.pitch]);
    assert.equal(observation.vector, null);
  });

  test('a wanted frame is fully analysed', async () => {
    const { observation, networks: used } = await observe(first, wanted({ roles: ['centre'] }));
    assert.deepEqual(used, ['detect', 'pose']);
    assert.equal(observation.isAsBefore, undefined);
    assert.ok(observation.vector);
  });

  test('light and focus of a frame are not measured once the face at rest is known', async () => {
    const dark = await sharp(first).linear(0.15).jpeg({ quality: 90 }).toBuffer();
    const start = await observe(dark, wanted({ neutral: null, movement: 'centre', roles: [], lastLook: null }));
    assert.ok(start.observation.reasons.includes('too_dark'));
    const { observation } = await observe(dark, wanted({ lastLook: null }));
    assert.deepEqual(observation.reasons, []);
  });

  test('a frame is fully analysed if the face moved, has another size, or is gone', async () => {
    const { width, height } = firstObservation;
    const moved = await sharp(first)
      .affine([1, 0, 0, 1], { odx: 40 })
      .resize(width, height, { fit: 'cover' })
      .toBuffer();
    const smaller = await sharp(first)
      .resize(width / 2)
      .toBuffer();
    const empty = await sharp({ create: { width, height, channels: 3, background: '#777' } })
      .jpeg()
      .toBuffer();
    for (const bytes of [moved, smaller]) assert.equal((await observe(bytes, wanted())).networks[0], 'detect');
    assert.equal((await observe(empty, wanted())).observation.faces, 0);
  });
});
