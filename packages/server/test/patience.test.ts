import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sql } from '../src/db/db.ts';
import { openTestDb } from './database.ts';
import { type TestPlace, testPlaces } from './harness.ts';

const LIMIT = sql("SELECT current_setting('statement_timeout') AS value");

describe('a statement of a test on PostgreSQL', () => {
  const places = testPlaces('postgres');
  const limitOf = async (place: TestPlace) => {
    const db = await openTestDb(place);
    try {
      return (await db.system.get<{ value: string }>(LIMIT, []))?.value;
    } finally {
      await db.close();
    }
  };

  it('a statement of a test on PostgreSQL may take a minute, unless the test names the database itself: then the limit of an installation applies', async () => {
    const place = await places.create();
    assert.equal(await limitOf(place), '1min');
    const DATABASE_URL = `${place.environment.DATABASE_URL}&application_name=own`;
    assert.equal(await limitOf({ ...place, environment: { ...place.environment, DATABASE_URL } }), '4s');
  });
});
