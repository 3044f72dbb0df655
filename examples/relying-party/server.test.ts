import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { environmentOf, startGrove, temporaryFolder } from '../../packages/cli/test/grove.ts';

/** The shop in a process of its own, as a newcomer starts it. */
async function openShop(t: TestContext, environment: Record<string, string>): Promise<void> {
  const script = fileURLToPath(new URL('./server.ts', import.meta.url));
  const shop = spawn(process.execPath, [script], { env: environmentOf(environment), stdio: ['ignore', 'pipe', 2] });
  t.after(async () => {
    if (shop.exitCode !== null) return;
    shop.kill('SIGTERM');
    await once(shop, 'exit');
  });
  for await (const line of createInterface({ input: shop.stdout as Readable }))
    if (line.startsWith('The shop is open')) return;
  assert.fail('the shop did not open');
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}

/** What the browser of the customer does behind the address it is sent to, in the sandbox. */
async function goThrough(redirectUrl: string): Promise<string> {
  const start = new URL(redirectUrl);
  let cookie = '';
  const call = async (path: string, body?: object) => {
    const headers = { 'Content-Type': 'application/json', ...(cookie && { cookie }) };
    const answer = await fetch(`${start.origin.replace(/\/\/.*:/, '//localhost:')}${path}`, {
      headers,
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    });
    assert.ok(answer.ok, await answer.clone().text());
    cookie ||= (answer.headers.getSetCookie()[0] ?? '').split(';')[0] ?? '';
    // biome-ignore lint/suspicious/noExplicitAny: the test says what it should be.
    return (await answer.json()) as any;
  };
  const { processInstanceId } = await call('/api/journey/sessions', {
    code: new URLSearchParams(start.hash.slice(1)).get('c'),
  });
  const journey = `/api/journey/${processInstanceId}`;
  for (;;) {
    const { step, waitingFor, revision, result } = await call(journey);
    if (step) {
      if (step.type === 'document') await call(`${journey}/steps/${step.id}/images/front`, { person: 'ada' });
      if (step.type === 'face') await call(`${journey}/steps/${step.id}/images/image`, { person: 'ada' });
      const given = step.type === 'consent' ? { accepted: true } : {};
      await call(`${journey}/steps/${step.id}`, { revision, result: given });
    } else if (waitingFor === 'check') await sleep(50);
    else return result.redirectUrl;
  }
}

test('the shop sends a customer to the journey, is told by a signed webhook, and shows the outcome', async (t) => {
  const port = await freePort();
  const { ready } = await startGrove(t, {
    GROVE_DATA: temporaryFolder(t),
    GROVE_OUTBOUND_ALLOW: `localhost:${port}`,
  });
  await openShop(t, { PORT: String(port), GROVE_URL: ready.baseUrl, GROVE_API_KEY: ready.testApiKey ?? '' });
  const shop = `http://localhost:${port}`;
  assert.match(await (await fetch(shop)).text(), /<button>Verify my identity<\/button>/);

  const started = await fetch(`${shop}/start`, { method: 'POST', redirect: 'manual' });
  assert.equal(started.status, 303);
  const back = await goThrough(started.headers.get('location') ?? '');
  assert.ok(back.startsWith(`${shop}/return?`), back);

  let shown = '';
  for (let tries = 0; tries < 100 && !shown.includes('instance.completed'); tries++) {
    shown = await (await fetch(back)).text();
    await sleep(50);
  }
  assert.match(
    shown,
    /Welcome\. Your account is open\..*<strong id="status">Accepted<.*<li>instance\.completed<\/li>/s,
  );
  const forged = await fetch(`${shop}/webhook`, { method: 'POST', body: '{"type":"instance.completed"}' });
  assert.equal(forged.status, 400);
  assert.equal((await fetch(`${shop}/return?instance=01JZ4MCW8A0C2E4G6J8M0P2R4T`)).status, 404);
});

test('the links that a start prints open journeys of the demonstration', async (t) => {
  const { ready } = await startGrove(t, { GROVE_DATA: temporaryFolder(t) });
  for (const [link, environment] of [
    [ready.demoUrl, 'test'],
    [ready.liveDemoUrl, 'live'],
  ] as const) {
    const { searchParams, origin } = new URL(link ?? '');
    const [pt, tn] = [searchParams.get('pt'), searchParams.get('tn')];
    const opened = await fetch(`${origin}/api/journey/sessions`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ pt, tn }),
    });
    assert.equal(opened.status, 200, await opened.clone().text());
    const { processInstanceId } = (await opened.json()) as { processInstanceId: string };
    const cookie = (opened.headers.getSetCookie()[0] ?? '').split(';')[0] ?? '';
    const journey = await (await fetch(`${origin}/api/journey/${processInstanceId}`, { headers: { cookie } })).json();
    assert.equal((journey as { environment: string }).environment, environment);
  }
});
