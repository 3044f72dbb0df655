import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { toUnit } from './embed.ts';
import { cosineOf, MATCH_SCORE, matchTemplates, scoreOf } from './match.ts';
import { DEFAULT_PACK, FACE_PACK_NAMES, facePack } from './packs.ts';
import { newTemplate, TemplateFault } from './template.ts';

/** Two unit vectors with this cosine. */
function apart(similarity: number) {
  const one = new Float32Array(512);
  const other = new Float32Array(512);
  one[0] = 1;
  other[0] = similarity;
  other[1] = Math.sqrt(1 - similarity * similarity);
  return [newTemplate(toUnit(one)), newTemplate(toUnit(other))] as const;
}

const CALIBRATION = DEFAULT_PACK.calibration;

describe('the score of two faces', () => {
  test('the score of two faces rises with their likeness, from 0 to 1, in every pack', () => {
    for (const name of FACE_PACK_NAMES) {
      const { calibration } = facePack(name);
      const scores = Array.from({ length: 201 }, (_, at) => scoreOf(at / 100 - 1, calibration));
      assert.ok(scores.every((score, at) => at === 0 || score > (scores[at - 1] ?? 0)));
      assert.deepEqual([scores[0], scores.at(-1)], [0, 1]);
      assert.ok(calibration.humanFromCosine < cosineOf(MATCH_SCORE, calibration));
    }
  });

  test('a score near a match is left to a human, and one far from it means strangers', () => {
    const { humanFromCosine } = CALIBRATION;
    const judged = [humanFromCosine - 0.001, humanFromCosine + 0.001, 0.9].map((each) =>
      matchTemplates(...apart(each)),
    );
    assert.deepEqual(
      judged.map(({ match, isUncertain }) => [match, isUncertain]),
      [
        [false, false],
        [false, true],
        [true, false],
      ],
    );
  });

  test('a match tells whether the two are one photograph', () => {
    const areSame = [0.95, 0.98].map((each) => matchTemplates(...apart(each)).isSamePicture);
    assert.deepEqual(areSame, [false, true]);
  });

  test('the score is 0.5 where one stranger in ten thousand is as alike, and that is a match', () => {
    const row = CALIBRATION.rows.find(({ score }) => score === MATCH_SCORE);
    assert.ok(row);
    const just = matchTemplates(...apart(row.cosine + 0.001));
    const hardly = matchTemplates(...apart(row.cosine - 0.001));
    assert.deepEqual([just.match, hardly.match], [true, false]);
    assert.ok(Math.abs(just.score - MATCH_SCORE) < 0.01 && just.calibration === CALIBRATION.name);
  });

  test('a score can be converted to the cosine that a search uses', () => {
    for (const score of [0.1, 0.25, 0.5, 0.6, 0.8, 1]) assert.ok(Math.abs(scoreOf(cosineOf(score)) - score) < 1e-9);
  });

  test('templates that were not made the same way get no score', () => {
    const [one, other] = apart(1);
    assert.throws(() => matchTemplates(one, { ...other, algorithm: 'GROVE_FACE_512_0' }), TemplateFault);
    const retrained = { ...other, model: { ...other.model, version: 'another' } };
    assert.throws(() => matchTemplates(one, retrained), TemplateFault);
  });
});
