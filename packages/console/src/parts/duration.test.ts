import assert from 'node:assert/strict';
import { it } from 'node:test';
import { durationText } from './duration.ts';

it('a duration is written in the language of the viewer, in the largest unit that is precise enough', () => {
  const written = [undefined, 7, 119, 125, 7300].map((seconds) => durationText(seconds, 'en'));
  assert.deepEqual(written, ['–', '7 sec', '119 sec', '2 min', '2 hr']);
  assert.equal(durationText(7, 'de'), '7 Sek.');
  assert.match(durationText(7, 'ar'), /ث/);
});
