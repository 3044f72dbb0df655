import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { FACE_ALGORITHM, type FaceTemplate } from '@grove/vision';
import { calibrate } from './calibrate.ts';
import { pairsOfPersons, readPairs, readPersons } from './pairs.ts';
import { drawPlot } from './plot.ts';
import { acceptedAt, bestThreshold, quantile, type Scored, tenFoldAccuracy } from './statistics.ts';

function scored(own: readonly number[], strangers: readonly number[]): Scored[] {
  return [
    ...own.map((similarity, at) => ({ similarity, same: true, fold: at % 10 })),
    ...strangers.map((similarity, at) => ({ similarity, same: false, fold: at % 10 })),
  ];
}

const steps = (from: number, to: number, count: number) =>
  Array.from({ length: count }, (_, at) => from + ((to - from) * at) / (count - 1));

test('the ten-fold accuracy is 1 if the similarities are separated, and one half if they are the same', () => {
  assert.equal(tenFoldAccuracy(scored(steps(0.5, 1, 100), steps(-1, 0.4, 100))).mean, 1);
  const coin = tenFoldAccuracy(scored(Array(100).fill(0.3), Array(100).fill(0.3))).mean;
  assert.equal(coin, 0.5);
});

test('the threshold of a fold does not depend on the pairs of the fold', () => {
  const pairs = scored([...steps(0.5, 1, 90)], steps(-1, 0.4, 90));
  const odd: Scored[] = steps(0.1, 0.2, 10).map((similarity) => ({ similarity, same: true, fold: 11 }));
  const { mean } = tenFoldAccuracy([...pairs, ...odd]);
  assert.ok(Math.abs(mean - 10 / 11) < 0.001, `${mean}`);
});

test('the best threshold has the fewest pairs on the wrong side', () => {
  const threshold = bestThreshold(scored([0.9, 0.8, 0.1], [0.5, 0.2, 0]));
  assert.ok(threshold > 0.5 && threshold < 0.8);
});

test('the threshold for a share of accepted strangers accepts no more strangers than that', () => {
  const strangers = steps(0, 0.999, 1000);
  const { threshold, trueAccept } = acceptedAt(scored([0.995, 0.99, 0.5], strangers), 0.01);
  assert.equal(strangers.filter((each) => each > threshold).length, 10);
  assert.equal(trueAccept, 2 / 3);
});

test('a quantile is the value at its place in the sorted list', () => {
  assert.deepEqual([quantile([3, 1, 2], 0.5), quantile([1, 2, 3], 1)], [2, 3]);
});

test('pairs are read as LFW writes them, and folders of persons are paired', () => {
  const folder = mkdtempSync(join(tmpdir(), 'grove-pairs-'));
  for (const [person, count] of [
    ['Ann', 3],
    ['Bob', 1],
    ['Cid', 2],
  ] as const) {
    mkdirSync(join(folder, person));
    for (let at = 1; at <= count; at += 1) writeFileSync(join(folder, person, `${person}_000${at}.jpg`), '');
  }
  writeFileSync(join(folder, 'pairs.txt'), '2\t1\nAnn\t1\t3\nAnn\t2\tBob\t1\nCid\t1\t2\nBob\t1\tCid\t2\n');
  const pairs = readPairs(join(folder, 'pairs.txt'), folder);
  assert.deepEqual(
    pairs.map(({ same, fold }) => [same, fold]),
    [
      [true, 0],
      [false, 0],
      [true, 1],
      [false, 1],
    ],
  );
  assert.ok(pairs[1]?.other.endsWith(join('Bob', 'Bob_0001.jpg')));
  writeFileSync(join(folder, 'wrong.txt'), '1\t1\nAnn\t1\t9\n');
  assert.throws(() => readPairs(join(folder, 'wrong.txt'), folder), /there is no picture/);
  const own = pairsOfPersons(readPersons(folder)).filter(({ same }) => same);
  assert.equal(own.length, 4);
});

test('a plot has its curve, and the name of a curve cannot add markup', () => {
  const plot = { title: 'a < b', xLabel: 'x', yLabel: 'y', xFrom: 0.001, yFrom: 0, curves: [] };
  const curve = {
    name: '<script>',
    points: [
      { x: 0.001, y: 0 },
      { x: 1, y: 1 },
    ],
  };
  const svg = drawPlot({ ...plot, curves: [curve] });
  assert.match(svg, /<polyline points="70\.0,380\.0 620\.0,40\.0"/);
  assert.ok(!svg.includes('<script>') && svg.includes('a &lt; b'));
});

test('a calibration says which likeness a share of strangers reaches, and does not compare the pictures of the pairs with each other', () => {
  const template = (...entries: [at: number, value: number][]): FaceTemplate => {
    const vector = new Float32Array(512);
    for (const [at, value] of entries) vector[at] = value;
    return { algorithm: FACE_ALGORITHM, model: { name: 'fr_feature', version: '' }, vector };
  };
  const templates = new Map(Array.from({ length: 20 }, (_, at) => [`${at}`, template([at, 1])]));
  templates.set('alike', template([0, 0.9], [100, Math.sqrt(0.19)]));
  templates.set('named', template([200, 1]));
  templates.set('named too', template([200, 1]));
  const apart = [...templates.keys()].filter((name) => !name.startsWith('named'));
  const { comparisons, rows } = calibrate(templates, { apart, ofPairs: ['named', 'named too'] });
  assert.equal(comparisons, (21 * 20) / 2 + 21 * 2);
  assert.ok(Math.abs((rows[0]?.cosine ?? 1) - 0) < 0.001, 'a tenth of the pairs is not alike at all');
  assert.ok(Math.abs((rows.at(-1)?.cosine ?? 0) - 0.9) < 0.001, 'the two who are alike have the highest cosine');
});
