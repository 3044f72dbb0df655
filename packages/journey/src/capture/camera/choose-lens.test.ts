import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chooseLens, isGreyFrame, isVirtual, labelToSend, lensesInTurn } from './choose-lens.ts';

const lens = (label: string) => ({ deviceId: `id of ${label}`, label });

test('on Android the first camera that faces back is the main one', () => {
  const lenses = ['camera2 1, facing front', 'camera2 2, facing back', 'camera2 0, facing back'].map(lens);
  assert.equal(chooseLens(lenses, lens('camera2 2, facing back'), 'environment')?.label, 'camera2 0, facing back');
  assert.equal(chooseLens(lenses, lens('camera2 0, facing back'), 'environment'), null);
});

test('an ultra-wide lens gives way to the main one, a combined one stays', () => {
  const lenses = ['Front Camera', 'Back Ultra Wide Camera', 'Back Camera', 'Back Triple Camera'].map(lens);
  assert.equal(chooseLens(lenses, lens('Back Ultra Wide Camera'), 'environment')?.label, 'Back Camera');
  assert.equal(chooseLens(lenses, lens('Back Triple Camera'), 'environment'), null);
  assert.equal(chooseLens(lenses, lens('Back Camera'), 'environment'), null);
});

test('an infrared camera of a computer gives way only to one that faces the same way', () => {
  const open = lens('HP IR Camera');
  assert.equal(chooseLens([open, lens('HP HD Camera (front)')], open, 'user')?.label, 'HP HD Camera (front)');
  assert.equal(chooseLens([open, lens('OBS Virtual Camera front')], open, 'user'), null);
});

test('an open camera stays open if no camera has a label', () => {
  assert.equal(chooseLens([lens(''), lens('')], lens(''), 'environment'), null);
});

test('switching goes through all cameras in turn', () => {
  const lenses = ['a', 'b', 'c'].map(lens);
  assert.deepEqual(
    lensesInTurn(lenses, lens('b')).map(({ label }) => label),
    ['b', 'c', 'a'],
  );
});

test('virtual cameras are recognised by their names, and a label that is sent holds no path', () => {
  assert.ok(isVirtual('OBS Virtual Camera'));
  assert.ok(!isVirtual('FaceTime HD Camera'));
  assert.equal(labelToSend('/home/somebody/clip.mjpeg'), 'file');
  assert.equal(labelToSend('C:\\clips\\me.y4m'), 'file');
  assert.equal(labelToSend('x'.repeat(200)).length, 80);
});

test('a picture without any colour comes from an infrared or covered lens', () => {
  const frame = (colour: readonly number[]) => ({
    width: 2,
    height: 1,
    data: new Uint8ClampedArray([90, 92, 91, 255, ...colour, 255]),
  });
  assert.equal(isGreyFrame(frame([30, 31, 30])), true);
  assert.equal(isGreyFrame(frame([120, 90, 60])), false);
});
