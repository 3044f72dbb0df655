import assert from 'node:assert/strict';
import { it } from 'node:test';
import { PATRONI_FAULTS } from './faults.ts';
import { missingForPatroni, startPatroni } from './patroni.ts';
import { runChaos } from './run-chaos.ts';

/** The short form of `npm run chaos -- --patroni`. */
const SHORT = 'the leader and its Patroni are killed';
const TTL_SECONDS = 10;
const missing = missingForPatroni();
const skip = missing.length > 0 && `without Patroni: apt-get install --no-install-recommends ${missing.join(' ')}`;

it('two servers lose and repeat nothing when Patroni replaces a leader that was killed', { skip }, async () => {
  const faults = PATRONI_FAULTS.filter(({ name }) => name === SHORT);
  assert.equal(faults.length, 1);
  const { verdict, faults: results } = await runChaos({
    openDatabase: () => startPatroni({ isSynchronous: true, ttlSeconds: TTL_SECONDS }),
    faults,
  });
  const { acknowledged, losses, duplicates } = verdict;
  assert.ok(acknowledged > 10);
  assert.deepEqual(
    { losses, duplicates, deaths: results.map(({ deaths }) => deaths) },
    { losses: [], duplicates: [], deaths: [0] },
  );
});
