import assert from 'node:assert/strict';
import { it } from 'node:test';
import { JOURNEY_LANGUAGES as ofContract } from '@grove/contract';
import { JOURNEY_LANGUAGES } from './journey-languages.ts';

it('the console offers every language of journeys', () => {
  assert.deepEqual(JOURNEY_LANGUAGES, ofContract);
});
