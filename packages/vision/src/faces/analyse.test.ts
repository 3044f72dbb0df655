import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import sharp from 'sharp';
import {
  AUDREY,
  CARTOON,
  CONNERY,
  changed,
  crowd,
  FRANCK,
  FRANCK_EYES_CLOSED,
  FRANCK_TURNED,
  NO_FACE,
  picture,
} from '../../test/pictures.ts';
import { loadFaceModels } from '../load-face-models.ts';
import { analyseFace, embedFace, type Face, type FaceModels } from './analyse.ts';
import { matchTemplates } from './match.ts';

let models: FaceModels;
before(async () => {
  models = await loadFaceModels();
});

/** A face with all its findings. */
type WholeFace = { [Part in keyof Face]: NonNullable<Face[Part]> };

async function faceOf(bytes: Uint8Array): Promise<WholeFace> {
  const { face } = await analyseFace(bytes, models);
  assert.ok(face?.template && face.liveness && face.eyesOpen, 'a face is found');
  return face as WholeFace;
}

async function reasonsOf(bytes: Uint8Array): Promise<readonly string[]> {
  return (await analyseFace(bytes, models)).reasons;
}

describe('who is who', () => {
  test('two photographs of one man match, turned or with closed eyes', async () => {
    const { template } = await faceOf(picture(FRANCK));
    for (const other of [FRANCK_TURNED, FRANCK_EYES_CLOSED]) {
      const { match, score } = matchTemplates(template, (await faceOf(picture(other))).template);
      assert.ok(match && score > 0.7, `${other}: ${score}`);
    }
  });

  test('photographs of different people do not match', async () => {
    const people = await Promise.all([FRANCK, AUDREY, CONNERY].map((name) => faceOf(picture(name))));
    for (const [at, one] of people.entries()) {
      for (const other of people.slice(at + 1)) {
        const { match, score } = matchTemplates(one.template, other.template);
        assert.ok(!match && score < 0.3, `${score}`);
      }
    }
  });

  test('the same bytes give the same findings, and the short way the same template as the long one', async () => {
    const first = await analyseFace(picture(FRANCK), models);
    assert.deepEqual(await analyseFace(picture(FRANCK), models), first);
    assert.deepEqual((await embedFace(picture(FRANCK), models)).template, first.face?.template);
  });

  for (const orientation of [3, 6, 8]) {
    test(`a phone that was held otherwise (orientation ${orientation}) has no effect`, async () => {
      const back = { 3: 180, 6: 270, 8: 90 }[orientation] ?? 0;
      const held = sharp(await sharp(picture(FRANCK)).rotate(back).png().toBuffer()).withMetadata({ orientation });
      const { template, box } = await faceOf(await held.png().toBuffer());
      const upright = await faceOf(picture(FRANCK));
      assert.ok(matchTemplates(template, upright.template).cosine > 0.99);
      assert.ok(Math.abs(box.left - upright.box.left) < 3);
    });
  }

  test('a large photograph is reduced, and its face has its position in the file', async () => {
    const small = await faceOf(picture(FRANCK));
    const large = await faceOf(await changed(FRANCK, (image) => image.resize(720 * 4)));
    assert.ok(matchTemplates(small.template, large.template).score > 0.9);
    assert.ok(
      Math.abs(large.box.left / 4 - small.box.left) < 12 && Math.abs(large.box.bottom / 4 - small.box.bottom) < 12,
    );
  });

  test('a small face in a large photograph is searched in all its pixels', async () => {
    const border = { top: 1500, bottom: 1500, left: 1500, right: 1500, background: '#556' };
    const lost = await faceOf(await changed(AUDREY, (image) => image.resize(500).extend(border)));
    assert.ok(matchTemplates(lost.template, (await faceOf(picture(AUDREY))).template).match);
  });
});

describe('what is wrong with a picture has a name', () => {
  test('a good picture has no reason', async () => {
    for (const name of [FRANCK, AUDREY, CONNERY]) assert.deepEqual(await reasonsOf(picture(name)), [], name);
  });

  test('a picture without a face has the reason no_face', async () => {
    const none = await analyseFace(picture(NO_FACE), models);
    assert.deepEqual([none.faces, none.face, none.reasons], [0, null, ['no_face']]);
    assert.deepEqual(await reasonsOf(picture(CARTOON)), ['no_face']);
    const wall = sharp({ create: { width: 640, height: 480, channels: 3, background: '#c8b89a' } });
    assert.deepEqual(await reasonsOf(await wall.jpeg().toBuffer()), ['no_face']);
  });

  test('a picture of a group has the reason several_faces, and their number', async () => {
    const { faces, reasons } = await analyseFace(await crowd(AUDREY, { columns: 5, rows: 4 }), models);
    assert.equal(faces, 20);
    assert.ok(reasons.includes('several_faces'));
  });

  test('a small face has the reason too_small', async () => {
    assert.ok((await reasonsOf(await changed(AUDREY, (image) => image.resize(120)))).includes('too_small'));
  });

  test('a dark face has the reason too_dark', async () => {
    assert.deepEqual(await reasonsOf(await changed(FRANCK, (image) => image.linear(0.25, 0))), ['too_dark']);
  });

  test('a bright face has the reason too_bright', async () => {
    assert.ok((await reasonsOf(await changed(FRANCK, (image) => image.linear(2, 40)))).includes('too_bright'));
  });

  test('a blurred face has the reason blurred', async () => {
    assert.ok((await reasonsOf(await changed(FRANCK, (image) => image.blur(9)))).includes('blurred'));
  });

  test('a turned face has the reason turned_away', async () => {
    const leaning = await changed(FRANCK, (image) => image.rotate(42, { background: '#36f' }));
    assert.ok((await reasonsOf(leaning)).includes('turned_away'));
  });

  test('a face with closed eyes has the reason eyes_closed', async () => {
    assert.deepEqual(await reasonsOf(picture(FRANCK_EYES_CLOSED)), ['eyes_closed']);
  });

  test('a face cut off on any side has the reason cut_off', async () => {
    const { left, top, right, bottom } = (await faceOf(picture(FRANCK))).box;
    const middle = { x: Math.round((left + right) / 2), y: Math.round((top + bottom) / 2) };
    for (const part of [
      { left: 0, top: 0, width: middle.x, height: 576 },
      { left: middle.x, top: 0, width: 720 - middle.x, height: 576 },
      { left: 0, top: middle.y - 50, width: 720, height: 626 - middle.y },
      { left: 0, top: 0, width: 720, height: middle.y + 50 },
    ]) {
      const reasons = await reasonsOf(await changed(FRANCK, (image) => image.extract(part)));
      assert.ok(reasons.includes('cut_off'), `${JSON.stringify(part)}: ${reasons}`);
    }
  });
});

describe('what may be wrong is a hint', () => {
  test('a face with covered eyes and nose has the hint partly_hidden, and a clear one has not', async () => {
    const [left, right] = (await faceOf(picture(FRANCK))).points;
    const bar = { create: { width: 260, height: 120, channels: 3 as const, background: '#222' } };
    const place = { left: Math.round((left.x + right.x) / 2 - 130), top: Math.round(left.y - 50) };
    const covered = await changed(FRANCK, (image) => image.composite([{ input: bar, ...place }]));
    assert.deepEqual((await analyseFace(covered, models)).hints, ['partly_hidden']);
    assert.deepEqual((await analyseFace(picture(FRANCK), models)).hints, []);
  });
});

describe('what an analysis leaves out', () => {
  test('findings that an analysis leaves out are null, and the rest is unchanged', async () => {
    const whole = await analyseFace(picture(FRANCK), models);
    const cheap = await analyseFace(picture(FRANCK), models, { embed: 'none', passive: false, eyes: false });
    const left = { eyesOpen: null, liveness: null, strength: null, template: null };
    assert.deepEqual(cheap, { ...whole, face: { ...whole.face, ...left } });
  });

  test('an analysis runs no network that it does not need', async () => {
    const never = () => Promise.reject(new Error('nobody asked for this'));
    const embedder = { ...models.embedder, run: never };
    const few = { ...models, embedder, eye: never, passive: { model: { name: '', version: '' }, looks: [never] } };
    const { face } = await analyseFace(picture(FRANCK), few, { embed: 'none', passive: false, eyes: false });
    assert.equal(face?.landmarks.length, 136);
  });

  test('without the mirror image, the vector is close to that of both ways', async () => {
    const single = (await analyseFace(picture(FRANCK), models, { embed: 'single' })).face?.template;
    assert.ok(single);
    const { cosine } = matchTemplates(single, (await faceOf(picture(FRANCK))).template);
    assert.ok(cosine > 0.9 && cosine < 0.9999, `${cosine}`);
  });

  test('an analysis without the eyes never reports closed eyes', async () => {
    const { reasons } = await analyseFace(picture(FRANCK_EYES_CLOSED), models, { eyes: false });
    assert.deepEqual(reasons, []);
  });

  test('landmarks are in pixels of the file, also in a reduced analysis', async () => {
    const small = await faceOf(picture(FRANCK));
    const large = await faceOf(await changed(FRANCK, (image) => image.resize(720 * 4)));
    for (const at of [36, 45, 30, 8]) {
      const off = Math.hypot(
        (large.landmarks[at * 2] as number) / 4 - (small.landmarks[at * 2] as number),
        (large.landmarks[at * 2 + 1] as number) / 4 - (small.landmarks[at * 2 + 1] as number),
      );
      assert.ok(off < 12, `point ${at} is ${off} pixels off`);
    }
  });
});

describe('where a face looks', () => {
  test('the yaw of a mirrored picture is the opposite, and so is the position of the nose', async () => {
    const { pose } = await faceOf(picture(FRANCK_TURNED));
    const mirrored = (await faceOf(await changed(FRANCK_TURNED, (image) => image.flop()))).pose;
    assert.ok(pose.yaw > 12 && mirrored.yaw < -12, `${pose.yaw} ${mirrored.yaw}`);
    assert.ok(pose.noseOffset > 0.08 && mirrored.noseOffset < -0.08);
  });

  test('a picture turned clockwise adds to the roll', async () => {
    const { pose } = await faceOf(picture(FRANCK));
    const turned = await changed(FRANCK, (image) => image.rotate(20, { background: '#36f' }));
    assert.ok(Math.abs((await faceOf(turned)).pose.roll - pose.roll - 20) < 5);
  });

  test('a lowered head has a lower pitch', async () => {
    assert.ok((await faceOf(picture(FRANCK_EYES_CLOSED))).pose.pitch < (await faceOf(picture(FRANCK))).pose.pitch - 5);
  });

  test('every finding names its model and its version', async () => {
    const { box, pose, eyesOpen, liveness, template } = await faceOf(picture(FRANCK));
    for (const { model } of [box, pose, eyesOpen, liveness, template]) {
      assert.match(`${model.name} ${model.version}`, /^fr_\w+ [0-9a-f]{12}$/);
    }
  });
});
