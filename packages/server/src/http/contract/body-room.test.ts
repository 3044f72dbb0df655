import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { openTestHttp, type TestHttp } from '../../../test/http.ts';
import type { JourneyPrincipal } from '../../kernel/context.ts';
import { asTenantId } from '../../kernel/ids.ts';

const INSTANCE = '01JZ4MCW8A0C2E4G6J8M0P2R4T';
const KB = 1000;

describe('the room for bodies', () => {
  let http: TestHttp;
  const open = (roomWaitMs: number, roomPatienceMs = 600_000) =>
    openTestHttp({
      roomBytes: 1000 * KB,
      roomWaitMs,
      roomPatienceMs,
      db: { of: () => ({}) } as never,
      // The cookie names the session: `<tenant>.<session>`.
      journeySession: async (instanceId, cookie): Promise<JourneyPrincipal> => {
        const [tenant = '', sessionId = ''] = cookie.split('.');
        return { tenantId: asTenantId(tenant), sessionId, instanceId, state: 'ACTIVE', handoff: 'NONE' };
      },
      handlers: { journey: { uploadImage: () => ({ name: 'front', sha256: '', bytes: 0 }) } },
    });
  before(async () => {
    http = await open(20);
  });
  after(() => http.stop());

  /** Sends the head and a part of the body, and then nothing. */
  const hold = (cookie: string, length: string) => {
    const socket = connect(Number(new URL(http.baseUrl).port), '127.0.0.1');
    socket.on('error', () => undefined);
    const head = `POST /api/journey/${INSTANCE}/steps/document/images/front HTTP/1.1\r\nHost: localhost\r\nCookie: grove-journey-${INSTANCE}=${cookie}\r\n`;
    socket.write(`${head}Content-Type: image/jpeg\r\n${length}\r\n\r\nff`);
    const answer = once(socket, 'data').then(([text]) => Number(/^HTTP\/1\.1 (\d+)/.exec(String(text))?.[1]));
    return { socket, answer };
  };
  const upload = async (cookie: string, bytes: number) =>
    (
      await http.call(`/api/journey/${INSTANCE}/steps/document/images/front`, {
        method: 'POST',
        body: new Uint8Array(bytes),
        headers: { Cookie: `grove-journey-${INSTANCE}=${cookie}`, 'Content-Type': 'image/jpeg' },
      })
    ).status;
  /** The server has received the head when it answers a later request. */
  const until = async (cookie: string, bytes: number, status: number) => {
    for (let tries = 0; tries < 200; tries++) {
      if ((await upload(cookie, bytes)) === status) return;
      await new Promise((done) => setTimeout(done, 10));
    }
    throw new Error(`no ${status}`);
  };

  it('100007: the memory for bodies is half of all for one tenant, half of the rest for the next, and free again when a connection ends', async () => {
    const first = hold('acme.one', `Content-Length: ${400 * KB}`);
    await until('acme.two', 400 * KB, 429);
    assert.equal(await upload('acme.two', 99 * KB), 200, 'what is small is not counted');
    assert.equal(await upload('other.one', 200 * KB), 200);
    assert.equal(await upload('other.one', 400 * KB), 429);
    first.socket.destroy();
    await until('acme.two', 400 * KB, 200);
    assert.equal(await upload('acme.two', 400 * KB), 200, 'what was answered takes no room');
  });

  it('a body waits until there is memory for it, and a small tenant goes before the next body of a large one', async () => {
    const patient = await open(60_000);
    const impatient = http;
    http = patient;
    try {
      const first = hold('acme.one', `Content-Length: ${400 * KB}`);
      // The server has received the head of the first request when it answers a later one.
      await upload('other.one', 200 * KB);
      const order: string[] = [];
      const noting = (name: string, answer: Promise<number>) =>
        answer.then((status) => order.push(`${name} ${status}`));
      const second = hold('acme.two', `Content-Length: ${400 * KB}`);
      const secondAnswered = noting('acme', second.answer);
      const other = noting('other', upload('other.two', 200 * KB));
      await other;
      first.socket.destroy();
      // Now there is memory for the second one: its rest is read.
      second.socket.write(new Uint8Array(400 * KB - 2));
      await secondAnswered;
      assert.deepEqual(order, ['other 200', 'acme 200']);
    } finally {
      http = impatient;
      await patient.stop();
    }
  });

  it('100007: one session leaves memory for other sessions of its tenant, and holds up no body that fits', async () => {
    const uploads = [hold('acme.one', `Content-Length: ${150 * KB}`)];
    // A second body of the same session would leave less memory than it needs.
    await until('acme.one', 150 * KB, 429);
    assert.equal(await upload('acme.two', 150 * KB), 200);
    // It waits, and bodies of other sessions pass it.
    const patient = await open(60_000);
    const impatient = http;
    http = patient;
    try {
      uploads.push(hold('acme.one', `Content-Length: ${400 * KB}`));
      await upload('other.one', 200 * KB);
      uploads.push(hold('acme.one', `Content-Length: ${400 * KB}`));
      assert.equal(await upload('acme.two', 100 * KB), 200);
    } finally {
      for (const { socket } of uploads) socket.destroy();
      http = impatient;
      await patient.stop();
    }
  });

  it('a body that arrives too slowly is aborted while others wait', async () => {
    const strict = await open(60_000, 0);
    const usual = http;
    http = strict;
    try {
      const { socket, answer } = hold('acme.one', `Content-Length: ${400 * KB}`);
      answer.catch(() => undefined);
      const closed = once(socket, 'close');
      await upload('other.one', 200 * KB);
      assert.equal(await upload('acme.two', 400 * KB), 200);
      await closed;
    } finally {
      http = usual;
      await strict.stop();
    }
  });

  it('100007: a body of undeclared length counts as the longest', async () => {
    const { answer, socket } = hold('acme.one', 'Transfer-Encoding: chunked');
    assert.equal(await answer, 429);
    socket.destroy();
  });
});
