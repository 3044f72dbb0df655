import assert from 'node:assert/strict';
import { it } from 'node:test';
import { checkHistory } from './check.ts';
import { FAULTS } from './faults.ts';
import type { History } from './load.ts';
import { startPair } from './pair.ts';
import { runChaos } from './run-chaos.ts';
import { runSoak } from './soak.ts';

/** The short form of `npm run chaos`. */
const SHORT = 'the leader is killed, the standby is promoted';

it('two servers lose and repeat nothing when the leader of PostgreSQL is killed', async () => {
  const faults = FAULTS.filter(({ name }) => name === SHORT);
  assert.equal(faults.length, 1);
  const { verdict, faults: results } = await runChaos({
    openDatabase: () => startPair({ onDisks: false }),
    faults,
  });
  const { acknowledged, losses, duplicates } = verdict;
  assert.ok(acknowledged > 10);
  assert.deepEqual(
    { losses, duplicates, deaths: results.map(({ deaths }) => deaths) },
    { losses: [], duplicates: [], deaths: [0] },
  );
});

it('the check of a history finds lost and duplicate operations', async () => {
  const history: History = {
    created: new Map([
      ['one', 'a'],
      ['two', 'b'],
      ['three', 'c'],
    ]),
    deleted: new Set(['c']),
    uses: new Map([
      ['token', 3],
      ['other', 1],
    ]),
    described: new Map([['token', 'new']]),
    unsure: [],
    answers: new Map(),
    acknowledgedAt: [1, 2, 3],
    lastAcknowledgedAt: new Map(),
  };
  const tables: Record<string, object[]> = {
    process_instances: [{ id: 'a' }, { id: 'c' }, { id: 'x' }, { id: 'y' }],
    instance_tombstones: [],
    process_tokens: [
      { id: 'token', counter: 2, description: 'old' },
      { id: 'other', counter: 2, description: null },
    ],
  };
  const ask = async (statement: string) =>
    ({ rows: Object.entries(tables).find(([name]) => statement.includes(`FROM ${name}`))?.[1] ?? [] }) as never;
  const deliveryIds = new Map([
    ['a', new Set(['1'])],
    ['c', new Set(['2', '3'])],
  ]);
  const { losses, duplicates, twice } = await checkHistory(history, { ask, deliveries: deliveryIds, requests: 5 });
  assert.deepEqual(losses, ['instance two', 'webhook of two', 'deletion of c', '1 uses of a token', 'an update']);
  assert.deepEqual(duplicates, [
    '1 instances that nobody was told of',
    '1 uses of a token',
    '1 deliveries of one event under two ids',
  ]);
  assert.equal(twice, 2);
});

it('a soak reports the memory of a server under load, and its operations', async () => {
  const { rows, journeys } = await runSoak({ seconds: 4, rowSeconds: 2 });
  assert.deepEqual(
    rows.map(({ seconds }) => seconds),
    [2, 4],
  );
  const { residentMb, changes, lists, failures } = rows[1] as (typeof rows)[number];
  assert.ok(residentMb > 20 || process.platform !== 'linux', `${residentMb}`);
  assert.ok(changes > 0 && lists > 0 && journeys > 1);
  assert.deepEqual(failures, []);
});
