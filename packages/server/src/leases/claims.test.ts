import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { SystemDb } from '../db/db.ts';
import { MAX_LOST_CLAIMS, openClaims } from './claims.ts';

const LEASE_MS = 1000;
const db: Pick<SystemDb, 'write'> = { write: (work) => work(undefined as never) };

function recordedClaims() {
  const givenBack: string[][] = [];
  const times: number[] = [];
  const giveBackClaims = async (_tx: unknown, tokens: readonly string[], claimedUntil: number) => {
    times.push(claimedUntil);
    return givenBack.push([...tokens]);
  };
  const table = { giveBackClaims };
  const { begin } = openClaims(db, { table, leaseMs: LEASE_MS });
  const lose = async (now: number) => {
    let lostToken = '';
    const underLease = await begin(now);
    const lostClaim = underLease(async ({ token }) => {
      lostToken = token;
      throw new Error('the answer was lost');
    });
    await assert.rejects(lostClaim, /answer was lost/);
    return lostToken;
  };
  return { begin, givenBack, times, lose };
}

it('a lost claim is given back repeatedly until its lease is over, because it may be committed late', async () => {
  const { begin, givenBack, lose } = recordedClaims();
  const token = await lose(0);
  for (const now of [1, LEASE_MS - 1, LEASE_MS, 1]) await begin(now);
  assert.deepEqual(givenBack, [[token], [token]]);
});

it('a lost claim is searched less and less often, because a search in a long queue is slow', async () => {
  const { begin, givenBack, lose } = recordedClaims();
  await lose(0);
  for (let now = 1; now < LEASE_MS; now++) await begin(now);
  assert.equal(givenBack.length, 7);
  const next = await lose(LEASE_MS - 1);
  await begin(LEASE_MS - 1);
  assert.ok(givenBack.at(-1)?.includes(next), 'a new loss is looked for at once');
});

it('a lost claim is searched among the jobs that were due at its time, also if the clock was set back', async () => {
  const { begin, times, lose } = recordedClaims();
  await lose(500);
  await begin(100);
  await lose(300);
  await begin(700);
  assert.deepEqual(times, [500, 500, 500]);
});

it('a claim that succeeded is never given back, and every claim has its own token', async () => {
  const { begin, givenBack } = recordedClaims();
  const underLease = await begin(0);
  const tokens = [await underLease(async ({ token }) => token), await underLease(async ({ token }) => token)];
  await begin(1);
  assert.deepEqual([new Set(tokens).size, givenBack], [2, []]);
});

it('a limited number of lost claims is remembered: the newest', async () => {
  const { begin, givenBack, lose } = recordedClaims();
  const tokens: string[] = [];
  for (let count = 0; count < MAX_LOST_CLAIMS + 2; count++) tokens.push(await lose(0));
  await begin(0);
  assert.deepEqual(givenBack.at(-1), tokens.slice(2));
});
