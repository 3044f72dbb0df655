import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Challenge } from '../../api.ts';
import { type Instruction, instructionView, isRecognised, progressOf } from './instruction.ts';

const open = (number: number, instruction: Pick<Instruction, 'kind' | 'phase'>): Challenge => ({
  challengeId: 'C',
  state: 'OPEN',
  number,
  total: 5,
  expiringDtm: '2030-01-01T00:00:00.000Z',
  instruction: { ...instruction, token: 'T', longestSide: 480, expiringDtm: '2030-01-01T00:00:00.000Z' },
});

test('the person turns to the side that the mirror shows', () => {
  assert.equal(instructionView({ kind: 'left', phase: 'do' }).text, 'pose.right');
  assert.equal(instructionView({ kind: 'right', phase: 'do' }).drawing, 'left');
  assert.equal(instructionView({ kind: 'up', phase: 'do' }).text, 'pose.up');
  assert.equal(instructionView({ kind: 'closer', phase: 'do' }).text, 'hint.face.closer');
});

test('each movement has its own way back', () => {
  const back = (kind: Instruction['kind']) => instructionView({ kind, phase: 'return' }).text;
  assert.deepEqual(
    [back('left'), back('closeEyes'), back('openMouth'), back('closer')],
    ['pose.centre', 'pose.openEyes', 'pose.closeMouth', 'hint.face.back'],
  );
});

test('a movement is recognised when the server asks to return, for the next one, or for none', () => {
  const eyes = open(2, { kind: 'closeEyes', phase: 'do' });
  assert.ok(!isRecognised(undefined, eyes));
  assert.ok(!isRecognised(eyes, eyes));
  assert.ok(isRecognised(eyes, open(2, { kind: 'closeEyes', phase: 'return' })));
  assert.ok(isRecognised(eyes, open(3, { kind: 'up', phase: 'do' })));
  assert.ok(isRecognised(eyes, { ...eyes, state: 'DONE' }));
  assert.ok(!isRecognised(eyes, { ...eyes, state: 'ENDED' }));
  assert.ok(
    !isRecognised(open(2, { kind: 'up', phase: 'return' }), open(3, { kind: 'down', phase: 'do' })),
    'said once',
  );
});

test('the ring grows with each half of a movement and is full at the end', () => {
  const first = open(1, { kind: 'centre', phase: 'do' });
  const ring = [first, open(2, { kind: 'up', phase: 'return' }), { ...first, state: 'DONE' as const }];
  assert.deepEqual(ring.map(progressOf), [0, 0.3, 1]);
});
