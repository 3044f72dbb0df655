import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { onBothEngines, testClock } from '../../test/harness.ts';
import { type Browser, codeOf, openTestJourney, type TestJourney } from '../../test/journey.ts';
import { NO_SIGNALS } from '../db/signals.ts';
import { asTenantId } from '../kernel/ids.ts';
import { openLive } from './live.ts';
import { MAX_WATCHERS, type Watcher } from './watchers.ts';

/** Reads a stream of events one piece at a time. */
async function watching(browser: Browser) {
  const client = new AbortController();
  const answer = await browser.fetch('/events', { signal: client.signal });
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  let unread = '';
  return {
    answer,
    async next(): Promise<string | undefined> {
      while (!unread.includes('\n\n')) {
        const { value, done } = (await reader?.read()) ?? { value: undefined, done: true };
        if (done) return undefined;
        unread += value;
      }
      const end = unread.indexOf('\n\n') + 2;
      const event = unread.slice(0, end);
      unread = unread.slice(end);
      return event;
    },
    leave: () => client.abort(),
  };
}

const event = (revision: number, status: string) => `event: journey\ndata: ${JSON.stringify({ revision, status })}\n\n`;

/** Lets pending work finish. */
async function until(condition: () => boolean): Promise<void> {
  for (let tries = 0; !condition(); tries++) {
    assert.ok(tries < 1000, 'it never came to that');
    await new Promise((done) => setTimeout(done, 5));
  }
}

onBothEngines('the live status of a journey', (_engine, places) => {
  let grove: TestJourney;
  before(async () => {
    grove = await openTestJourney(await places.create());
  });
  after(() => grove.stop());
  const begin = async (): Promise<Browser> => {
    const { code } = await grove.instance();
    const browser = grove.browser();
    await browser.open({ code });
    return browser;
  };

  it('a live status is sent at once, after each change, and for the last time when the journey has ended', async () => {
    const browser = await begin();
    const { answer, next } = await watching(browser);
    assert.equal(answer.headers.get('content-type'), 'text/event-stream');
    assert.equal(answer.headers.get('cache-control'), 'no-store');
    assert.equal(await next(), event(1, 'ACTIVE'));
    await browser.submit('consent', { accepted: true });
    assert.equal(await next(), event(2, 'ACTIVE'));
    await browser.post('/abandon');
    assert.equal(await next(), event(3, 'COMPLETED_TERMINATED'));
    assert.equal(await next(), undefined);
    await until(() => grove.live.watching === 0);
    const late = await watching(browser);
    assert.deepEqual([await late.next(), await late.next()], [event(3, 'COMPLETED_TERMINATED'), undefined]);
  });

  it('a heartbeat of the live status is a comment, which pages do not see', async () => {
    const { next, leave } = await watching(await begin());
    await next();
    await grove.live.beat();
    assert.equal(await next(), ':\n\n');
    leave();
    await until(() => grove.live.watching === 0);
  });

  it('a live status ends at the next heartbeat when its session has expired or was removed, and others continue', async () => {
    const [expired, removed, other] = [await begin(), await begin(), await begin()];
    const streams = await Promise.all([expired, removed, other].map(watching));
    for (const { next } of streams) await next();
    const change = (text: string, { instanceId }: Browser) =>
      grove.acme.write((tx) => tx.run({ text }, ['acme', instanceId]));
    await change('UPDATE journey_sessions SET expires_at = 1 WHERE tenant_id = $1 AND instance_id = $2', expired);
    await change('DELETE FROM journey_sessions WHERE tenant_id = $1 AND instance_id = $2', removed);
    await grove.live.beat();
    assert.deepEqual(await Promise.all(streams.map(({ next }) => next())), [undefined, undefined, ':\n\n']);
    streams.at(-1)?.leave();
    await until(() => grove.live.watching === 0);
  });

  it('a live status ends at the next heartbeat when its tenant is suspended', async () => {
    const { next } = await watching(await begin());
    await next();
    grove.suspended.add('acme');
    await grove.live.beat();
    grove.suspended.clear();
    assert.equal(await next(), undefined);
    await until(() => grove.live.watching === 0);
  });

  it('a client of the live status that disconnects is removed', async () => {
    const browser = await begin();
    const watchers = [await watching(browser), await watching(browser)];
    assert.equal(grove.live.watching, 2);
    watchers[0]?.leave();
    await until(() => grove.live.watching === 1);
    watchers[1]?.leave();
    await until(() => grove.live.watching === 0);
  });

  it('100007: a session has at most five live statuses at a time, and another session is not affected', async () => {
    const browser = await begin();
    const watchers = await Promise.all(Array.from({ length: 5 }, () => watching(browser)));
    const sixth = await browser.fetch('/events');
    assert.deepEqual([sixth.status, ((await sixth.json()) as { code: number }).code], [429, 100007]);
    const other = await watching(await begin());
    assert.equal(other.answer.status, 200);
    watchers[0]?.leave();
    await until(() => grove.live.watching === 5);
    const again = await watching(browser);
    assert.equal(again.answer.status, 200);
    for (const { leave } of [...watchers, other, again]) leave();
    await until(() => grove.live.watching === 0);
  });

  it('a live status shows changes by another server, because this server polls for them', async () => {
    const browser = await begin();
    const { next, leave } = await watching(browser);
    assert.equal(await next(), event(1, 'ACTIVE'));
    const { live } = grove;
    await live.poll();
    assert.equal(await next(), event(1, 'ACTIVE'), 'what changed before the first poll is never told');
    await live.poll();
    const elsewhere = (text: string) => grove.acme.write((tx) => tx.run({ text }, ['acme', browser.instanceId]));
    await elsewhere('UPDATE journeys SET revision = 7 WHERE tenant_id = $1 AND instance_id = $2');
    await live.poll();
    assert.equal(await next(), event(7, 'ACTIVE'), 'the poll before told of a change that was none');
    await elsewhere("UPDATE journey_sessions SET state = 'WATCHING' WHERE tenant_id = $1 AND instance_id = $2");
    await live.poll();
    assert.equal(await next(), event(7, 'ACTIVE'), 'a hand-off on another server is not told');
    await elsewhere(`INSERT INTO journey_messages (tenant_id, id, instance_id, kind, channel, state, created_at)
      VALUES ($1, 'm', $2, 'HANDOFF', 'EMAIL', 'FAILED', 1)`);
    await live.poll();
    assert.equal(await next(), event(7, 'ACTIVE'), 'a message that another server has given up is not told');
    await elsewhere('DELETE FROM process_instances WHERE tenant_id = $1 AND id = $2');
    await live.poll();
    assert.equal(await next(), undefined);
    leave();
  });

  it('a live status without the number of the hand-off shows neither how far the journey gets nor how it ends', async () => {
    const first = await begin();
    const phone = grove.browser();
    await phone.open({ code: codeOf((await first.post('/handoffs')).body.url) });
    const { next } = await watching(phone);
    assert.equal(await next(), event(0, 'PENDING'));
    assert.equal((await first.submit('consent', { accepted: true })).status, 200);
    assert.equal(await next(), event(0, 'PENDING'));
    await grove.apply(first.instanceId, { type: 'expire' });
    await grove.live.poll();
    assert.equal(await next(), undefined);
  });

  it('the live status of the first device shows that the phone has opened the journey, and that the phone is active', async () => {
    const first = await begin();
    const { next, leave } = await watching(first);
    await next();
    const { body: offer } = await first.post('/handoffs');
    await next();
    const phone = grove.browser();
    const code = codeOf(offer.url);
    await phone.open({ code });
    await next();
    assert.equal((await first.get()).body.device.handoff, 'CONFIRMING');
    await phone.post('/handoffs/confirm', { number: offer.number });
    await next();
    assert.equal((await first.get()).body.device.handoff, 'CONNECTED');
    leave();
    await until(() => grove.live.watching === 0);
  });

  it('a live status ends when its session is denied', async () => {
    const first = await begin();
    const { body: offer } = await first.post('/handoffs');
    const phone = grove.browser();
    const code = codeOf(offer.url);
    await phone.open({ code });
    const { next } = await watching(phone);
    assert.equal(await next(), event(0, 'PENDING'));
    await phone.post('/handoffs/deny');
    assert.equal(await next(), undefined);
  });

  it('100010: the stop of the server ends every live status, and none begins afterwards', async () => {
    const browser = await begin();
    const { next } = await watching(browser);
    await next();
    grove.journeys.stop();
    assert.equal(await next(), undefined);
    await until(() => grove.live.watching === 0);
    assert.equal((await browser.fetch('/events')).status, 503);
  });
});

describe('the places for live statuses', () => {
  const watcher = (at: number, tenant = 'acme'): Watcher => ({
    tenantId: asTenantId(tenant),
    instanceId: `i${at}`,
    sessionId: `s${at}`,
    changed: () => undefined,
    beat: () => undefined,
    end: () => undefined,
  });
  const open = () =>
    openLive({
      db: { engine: 'sqlite', signals: NO_SIGNALS } as never,
      clock: testClock(),
      suspended: async () => new Set(),
      onError: () => undefined,
    });
  const half = MAX_WATCHERS / 2;

  it('100007: the live statuses of one tenant have at most half of the places, and a place is free after its end', () => {
    const live = open();
    const leaves = Array.from({ length: half }, (_, at) => live.subscribe(watcher(at)));
    assert.throws(() => live.subscribe(watcher(-1)), { code: 100007 });
    leaves[0]?.();
    leaves[0]?.();
    assert.equal(live.watching, half - 1);
    leaves.push(live.subscribe(watcher(-1)));
    for (const leave of leaves) leave();
    assert.equal(live.watching, 0);
    for (let at = 0; at < half; at++) live.subscribe(watcher(at));
  });

  it('100007: a live status gets a place although other tenants took all they could, and the total is never exceeded', () => {
    const live = open();
    const fill = (tenant: string) => {
      for (let at = 0; ; at++) {
        try {
          live.subscribe(watcher(at, tenant));
        } catch (error) {
          assert.equal((error as { code: number }).code, 100007);
          return at;
        }
      }
    };
    assert.deepEqual(['acme', 'second', 'third', 'fourth'].map(fill), [half, half / 2, half / 4, half / 8]);
    assert.ok(live.watching < MAX_WATCHERS);
  });
});
