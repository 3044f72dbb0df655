import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, before, it } from 'node:test';
import { startJourney } from '../../../test/end-user.ts';
import { onBothEngines, openTestApp, type TestApp } from '../../../test/harness.ts';
import { firstOwner, hostOf, invitePerson, originOf, type Person } from '../../../test/operators.ts';

type SlowRequest = { path: string; headers: Record<string, string>; body: string };

onBothEngines('a request whose body arrives late', (_engine, places) => {
  let grove: TestApp;
  let owner: Person;
  before(async () => {
    grove = await openTestApp(await places.create());
    owner = await firstOwner(grove);
  });
  after(() => grove.stop());

  /** Sends all but the last byte, and the last byte after the work. Returns the code or the status of the answer. */
  const heldBack = async ({ path, headers, body }: SlowRequest, meanwhile: () => Promise<unknown>): Promise<number> => {
    const { port, hostname } = new URL(grove.baseUrl);
    const socket = await new Promise<Socket>((done) => {
      const opened = connect(Number(port), hostname, () => done(opened));
    });
    const answer = text(socket);
    const lines = Object.entries({
      Host: new URL(grove.baseUrl).host,
      Connection: 'close',
      'Content-Type': 'application/json',
      'Content-Length': String(Buffer.byteLength(body)),
      Expect: '100-continue',
      ...headers,
    }).map(([name, value]) => `${name}: ${value}\r\n`);
    // The server sends 100 Continue once it has read the headers.
    const isRead = new Promise((done) => socket.once('data', done));
    socket.write(`POST ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body.slice(0, -1)}`);
    await isRead;
    await meanwhile();
    grove.clock.advance(2000);
    socket.write(body.slice(-1));
    const whole = await answer;
    const code = /"code":(\d+)/.exec(whole)?.[1];
    return Number(code ?? /HTTP\/1\.1 (?!100)(\d{3})/.exec(whole)?.[1]);
  };
  const keyBody = (name: string) =>
    JSON.stringify({ name, permissions: ['TNT#acme#ProcessManager:*', 'TNT#acme#ArthrServer:*'] });

  it('271: a caller who was blocked while its body arrived creates no API key', async () => {
    const token = await grove.token();
    const creation = await grove.call('/api/arthr/apiKeys', { method: 'POST', token, body: keyBody('leaked') });
    const leaked = await grove.token(creation.body.code);
    const request = (name: string) => ({
      path: '/api/arthr/apiKeys',
      headers: { Authorization: `Bearer ${leaked}` },
      body: keyBody(name),
    });
    assert.equal(await heldBack(request('before'), async () => undefined), 201);
    const block = async () => {
      const change = { method: 'POST', token, body: JSON.stringify({ status: 'BLOCKED' }) };
      assert.equal((await grove.call(`/api/arthr/apiKeys/${creation.body.id}`, change)).status, 200);
    };
    const refusal = await heldBack(request('behind'), block);
    const { body } = await grove.call('/api/arthr/apiKeys', { token, method: 'GET' });
    assert.ok(!JSON.stringify(body).includes('behind'));
    assert.equal(refusal, 271);
  });

  it('100210: an operator who was suspended while the body arrived invites nobody', async () => {
    const administrator = await invitePerson(grove, owner, 'Administrator');
    const request = {
      path: '/api/operator-manager/operators',
      headers: {
        Host: hostOf(grove),
        Origin: originOf(grove),
        'Sec-Fetch-Site': 'same-origin',
        Cookie: `grove-operator=${administrator.cookie}`,
      },
      body: JSON.stringify({ name: 'Second self', email: 'second@acme.com', role: 'Administrator' }),
    };
    const suspend = async () => {
      const change = { body: { status: 'SUSPENDED' } };
      assert.equal((await owner.call(`/api/operator-manager/operators/${administrator.id}`, change)).status, 200);
    };
    assert.equal(await heldBack(request, suspend), 100210);
  });

  it('100054: a journey that was deleted while the body arrived takes no step', async () => {
    const { apiKey } = await grove.app.tenants.createApiKey('acme', { name: 'journeys', environment: 'test' });
    const { user, processInstanceId } = await startJourney(grove, apiKey);
    const request = {
      path: `/api/journey/${processInstanceId}/steps/consent`,
      headers: { Cookie: user.cookie, Origin: grove.baseUrl, 'Sec-Fetch-Site': 'same-origin' },
      body: JSON.stringify({ accepted: true }),
    };
    const remove = async () => {
      const token = await grove.token(apiKey);
      const path = `/api/process-manager/processInstances/${processInstanceId}`;
      assert.equal((await grove.call(path, { method: 'DELETE', token })).status, 200);
    };
    assert.equal(await heldBack(request, remove), 100054);
  });
});
