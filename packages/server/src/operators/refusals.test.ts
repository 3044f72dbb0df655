import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { addressesOf, type ListedOperation, operations } from '@grove/contract';
import { openTestApp, type TestApp, testPlaces } from '../../test/harness.ts';
import { browse, firstOwner, type Person } from '../../test/operators.ts';
import { MINUTE } from '../kernel/clock.ts';

const NOBODY = '01JZ4MCW8A0C2E4G6J8M0P2R4T';
/** For so long after the passkey was used, an operator may do what is destructive. */
const FRESH_MS = 10 * MINUTE;

/** What every operation of operators refuses alike, asked of each of them. */
describe('every operation for operators', () => {
  const places = testPlaces();
  let grove: TestApp;
  let owner: Person;
  before(async () => {
    grove = await openTestApp(await places.create());
    owner = await firstOwner(grove);
    grove.clock.advance(FRESH_MS);
  });
  after(() => grove.stop());

  const naming = (code: number) =>
    operations().filter(({ operation: { method, codes = [] } }) => method !== 'GET' && codes.includes(code as never));
  const urlsOf = ({ operation }: ListedOperation) =>
    addressesOf(operation).map(({ path }) => path.replace(/\{\w+\}/g, NOBODY));

  const sentTo = ({ operation: { method } }: ListedOperation) => ({ method, ...(method === 'POST' && { body: {} }) });

  for (const each of naming(100067).filter(({ operation }) => operation.path.startsWith('/api/console/'))) {
    it(`100067: ${each.id} is not taken from another site`, async () => {
      for (const url of urlsOf(each)) {
        const headers = { Origin: 'https://evil.example' };
        const { status, body } = await browse(grove, url, { ...sentTo(each), headers, cookie: owner.cookie });
        assert.deepEqual([status, body.code], [403, 100067], url);
      }
    });
  }

  for (const each of naming(100211)) {
    it(`100211: ${each.id} needs a passkey that was used within ten minutes`, async () => {
      for (const url of urlsOf(each)) {
        const { status, body } = await owner.call(url, sentTo(each));
        assert.deepEqual([status, body.code], [403, 100211], url);
      }
    });
  }
});
