import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FACE_ALGORITHM, type FaceTemplate } from '@grove/vision';
import { isOnePerson, judgeGroup } from './groups.ts';
import { share, wilson } from './intervals.ts';
import type { Pair } from './pairs.ts';

/** A template on a circle: the similarity of two pictures is the cosine of the angle between them. */
function template(degrees: number): FaceTemplate {
  const vector = new Float32Array(512);
  vector[0] = Math.cos((degrees / 180) * Math.PI);
  vector[1] = Math.sin((degrees / 180) * Math.PI);
  return { algorithm: FACE_ALGORITHM, model: { name: '', version: '' }, vector };
}

test('the counts of a group are of its strangers and its true pairs, without persons of another sex', () => {
  const templates = new Map(
    [
      ['f/ada/1', 0] as const,
      ['f/ada/2', 20] as const,
      ['f/ada/3', 80] as const,
      ['f/eve/1', 40] as const,
      ['f/bob/1', 41] as const,
    ].map(([file, degrees]) => [file, template(degrees)]),
  );
  const pair = (one: string, other: string, same: boolean): Pair => ({ one, other, same, fold: 0 });
  const pairs = [
    pair('f/ada/1', 'f/ada/2', true),
    pair('f/ada/1', 'f/ada/3', true),
    pair('f/ada/1', 'f/eve/1', false),
    pair('f/bob/1', 'f/eve/1', false),
  ];
  // 20° and 40° are alike enough, 60° only for a human, 80° not at all.
  const at = { match: 0.7, human: 0.4 };
  const { likeness, ...counts } = judgeGroup(pairs, templates, (person) => person !== 'bob', at);
  assert.deepEqual(counts, {
    persons: 2,
    strangers: 3,
    falseMatches: 3,
    strangersForHuman: 0,
    truePairs: 2,
    notMatched: 1,
    refused: 1,
  });
  assert.deepEqual([likeness.strangers.length, likeness.truePairs.length], [3, 2]);
});

test('two names of one person are not counted as strangers', () => {
  assert.ok(isOnePerson('Choi_Sung-hong', 'Sung_Hong_Choi'));
  assert.ok(!isOnePerson('Wang_Nan', 'Wang_Yi'));
});

test('a confidence interval is right for rare events, and never begins below zero', () => {
  const { low, high } = wilson(0, 10_000);
  assert.ok(low === 0 && Math.abs(high - 0.000384) < 1e-6);
  assert.equal(share(7, 78_752, 4), '7 of 78752 = 0.0089 % [0.0043–0.0183]');
});
