import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type FaceHint, type FaceLook, judgeFace, judgePresence, OVAL } from './judge-face.ts';

const good: FaceLook = {
  at: 0,
  faces: 1,
  centre: { x: 0.5, y: 0.55 },
  height: 0.5,
  angles: { yaw: 2, pitch: 4, roll: 1 },
  light: { highlights: 180, median: 120, clipped: 0, glare: 0 },
};

test('a face that is well placed, lit and looks ahead is good', () => {
  assert.equal(judgeFace(good, OVAL), null);
});

test('each fault is named, and of several the one that comes first', () => {
  const faults: [Partial<FaceLook>, FaceHint][] = [
    [{ faces: 0 }, 'noFace'],
    [{ faces: 2 }, 'severalFaces'],
    [{ height: 0.2 }, 'closer'],
    [{ height: 0.8 }, 'back'],
    [{ centre: { x: 0.7, y: 0.55 } }, 'centre'],
    [{ centre: { x: 0.5, y: 0.8 } }, 'centre'],
    [{ light: { ...good.light, highlights: 60 } }, 'dark'],
    [{ light: { ...good.light, clipped: 0.4 } }, 'bright'],
    [{ angles: { yaw: 25, pitch: 0, roll: 0 } }, 'lookForward'],
    [{ angles: { yaw: 0, pitch: -30, roll: 0 } }, 'lookForward'],
    [{ angles: { yaw: 0, pitch: 0, roll: 30 } }, 'lookForward'],
    [{ faces: 2, height: 0.1, angles: { yaw: 40, pitch: 0, roll: 0 } }, 'severalFaces'],
  ];
  for (const [change, hint] of faults) assert.equal(judgeFace({ ...good, ...change }, OVAL), hint, hint);
});

test('a dark room is reported as missing light, not as a missing face', () => {
  assert.equal(judgeFace({ ...good, faces: 0, light: { ...good.light, highlights: 20 } }, OVAL), 'dark');
});

test('the direction of the head is no fault while it moves', () => {
  assert.equal(judgePresence({ ...good, angles: { yaw: 30, pitch: 0, roll: 0 } }, OVAL), null);
});
