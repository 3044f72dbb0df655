import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { testPlaces } from '../../../test/harness.ts';
import type { Db } from '../db.ts';
import { unprepared } from '../db.ts';
import { openPostgres } from './postgres.ts';
import { payloadsOf } from './signals.ts';

describe('signals between servers (postgres)', () => {
  const places = testPlaces('postgres');
  let one: Db;
  let other: Db;
  before(async () => {
    const url = (await places.create()).environment.DATABASE_URL as string;
    const open = () => openPostgres({ url, maxConnections: 2, onIdleError: () => undefined });
    [one, other] = [open(), open()];
  });
  after(() => Promise.all([one.close(), other.close()]));

  /** The received signals, one after another. */
  function hearing(db: Db) {
    const messages: (string | undefined)[] = [];
    let wake = () => {};
    const stop = db.signals.listen((message) => {
      messages.push(message);
      wake();
    });
    const next = async () => {
      while (messages.length === 0) {
        await new Promise<void>((done) => {
          wake = done;
        });
      }
      return messages.shift();
    };
    return { next, stop };
  }

  it('signals between servers reach the other servers, once each, and not their sender', async () => {
    const [here, there] = [hearing(one), hearing(other)];
    assert.deepEqual([await here.next(), await there.next()], [undefined, undefined], 'what came before was missed');
    assert.ok(one.signals.isComplete && other.signals.isComplete);
    for (const foreign of ['no JSON', '{}', '[1]', '{"from":"x","messages":[1]}']) {
      await one.system.get(unprepared("SELECT pg_notify('grove', $1)"), [foreign]);
    }
    one.signals.publish('acme 1');
    one.signals.publish('acme 1');
    one.signals.publish('acme 2');
    assert.deepEqual([await there.next(), await there.next()], ['acme 1', 'acme 2']);
    other.signals.publish('acme 3');
    assert.equal(await here.next(), 'acme 3');
    here.stop();
    there.stop();
  });

  it('signals between servers arrive again after the connection was lost, and listeners learn that some may be missing', async () => {
    const there = hearing(other);
    assert.equal(await there.next(), undefined);
    const END = unprepared(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'grove-signals'",
    );
    await one.system.get(END, []);
    assert.equal(await there.next(), undefined);
    one.signals.publish('acme 4');
    assert.equal(await there.next(), 'acme 4');
    there.stop();
  });

  it('signals between servers fill notifications up to the limit of PostgreSQL, and leave out a message that never fits', () => {
    const messages = Array.from({ length: 1000 }, (_, number) => `tenant ${number} é`);
    const payloads = payloadsOf('server', [...messages, 'x'.repeat(8000)]);
    assert.deepEqual(
      payloads.flatMap((payload) => JSON.parse(payload).messages),
      messages,
    );
    assert.ok(payloads.every((payload) => Buffer.byteLength(payload) < 8000));
    assert.deepEqual(payloadsOf('server', []), []);
  });
});
