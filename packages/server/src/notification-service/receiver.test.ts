import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { testPlaces } from '../../test/harness.ts';
import { openTestNotifications } from '../../test/webhooks.ts';

const GUIDE = new URL('../../../../docs/webhooks.md', import.meta.url);
const MAX_LINES = 15;

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

async function untilAnswering(uri: string): Promise<void> {
  for (;;) {
    const answer = await fetch(uri).catch(() => undefined);
    if (answer) return;
    await sleep(50);
  }
}

describe('the receiver of the documentation', { timeout: 60_000 }, () => {
  const places = testPlaces();

  it('the receiver of the documentation has at most fifteen lines, accepts what Grove sends and refuses anything else', async (t) => {
    const [, receiver = ''] = /^```ts\n([\s\S]*?)^```$/m.exec(readFileSync(GUIDE, 'utf8')) ?? [];
    assert.ok(receiver.trimEnd().split('\n').length <= MAX_LINES);
    const port = await freePort();
    const folder = mkdtempSync(fileURLToPath(new URL('../../documentation-', import.meta.url)));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    writeFileSync(`${folder}/receiver.ts`, receiver.replace('listen(3000)', `listen(${port}, '127.0.0.1')`));

    const grove = await openTestNotifications(await places.create(), { allowed: [`127.0.0.1:${port}`] });
    t.after(() => grove.close());
    const uri = `http://127.0.0.1:${port}/`;
    const { secret } = await grove.webhook(uri);
    const env = { PATH: process.env.PATH, WEBHOOK_SECRET: secret };
    const child = spawn(process.execPath, [`${folder}/receiver.ts`], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    t.after(() => child.kill());
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    await untilAnswering(uri);

    const { instanceId, status, type } = await grove.tell();
    assert.equal(await grove.deliverDue(), 1);
    const { value: line } = await lines.next();
    assert.equal(line, `${type} ${instanceId} ${status}`);
    const forged = await fetch(uri, { method: 'POST', body: '{}', headers: { 'webhook-id': 'x' } });
    assert.equal(forged.status, 400);
  });
});
