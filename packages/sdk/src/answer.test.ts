import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type TestContext, test } from 'node:test';
import { API_KEY, json, problem, startFakeGrove } from '../test/fake-grove.ts';
import { createClient } from './client.ts';
import { isGroveError } from './errors.ts';

async function setUp(t: TestContext) {
  const server = await startFakeGrove(t);
  return { server, grove: createClient({ baseUrl: server.baseUrl, apiKey: API_KEY }) };
}

test('a user by extId is asked for at the /ext twin, by id at the plain address', async (t) => {
  const { server, grove } = await setUp(t);
  await grove.users.get({ storeName: 'acme', user: { extId: 'e1' } });
  await grove.users.get({ storeName: 'acme', user: { id: 'u1' } });
  assert.deepEqual(
    server.seen.map(({ url }) => url),
    ['/api/identity-store/stores/acme/users/e1/ext', '/api/identity-store/stores/acme/users/u1'],
  );
});

test('a body that may be empty is sent as an empty object, and a GET has none', async (t) => {
  const { server, grove } = await setUp(t);
  await grove.passkeys.startAuthentication({ storeName: 'acme', rpId: 'acme.com', authPolicyName: 'default' });
  await grove.stores.get({ storeName: 'acme' });
  assert.deepEqual(
    server.seen.map(({ method, body, headers }) => [method, body, headers['content-type']]),
    [
      ['POST', '{}', 'application/json'],
      ['GET', '', undefined],
    ],
  );
});

test('an answer that is not JSON is its bytes, unchanged, and its content type', async (t) => {
  const { server, grove } = await setUp(t);
  const zip = Uint8Array.from([0x50, 0x4b, 0x03, 0x04, 0xff, 0x00, 0xfe]);
  server.steps.push((response) => response.writeHead(200, { 'content-type': 'application/zip' }).end(zip));
  const archive = await grove.userData.archive({ processDefnId: 'd1', processInstanceId: 'i1' });
  assert.equal(archive.contentType, 'application/zip');
  assert.deepEqual(archive.bytes, zip);
  assert.equal(server.seen[0]?.headers.accept, 'application/zip, application/problem+json');
});

test('an answer that does not end is given up after 64 MiB, unless it is a file', async (t) => {
  const { server, grove } = await setUp(t);
  const chunk = Buffer.alloc(2 ** 20, ' ');
  const send = (chunks: number, status = 200) => {
    server.steps.push(async (response) => {
      response.writeHead(status);
      for (let sent = 0; sent < chunks && !response.destroyed; sent++) {
        if (!response.write(chunk)) await Promise.race([once(response, 'drain'), once(response, 'close')]);
      }
      response.end();
    });
  };
  const id = { processDefnId: 'd1', processInstanceId: 'i1' };
  send(65);
  await assert.rejects(grove.apiKeys.update({ apiKeyId: 'k1', body: {} }), /the answer is too long/);
  send(65, 400);
  await assert.rejects(grove.userData.archive(id), /the answer is too long/);
  send(65);
  assert.equal((await grove.userData.archive(id)).bytes.length, 65 * chunk.length);
});

test('a 307 is the answer of an operation that redirects: its location and the instance, not followed', async (t) => {
  const { server, grove } = await setUp(t);
  const location = `${server.baseUrl}/web/?pi=1#c=somewhere`;
  server.steps.push((response) => response.writeHead(307, { location }).end());
  assert.deepEqual(await grove.processInstances.start({ query: { pt: 'p1' } }), { location, processInstanceId: '1' });
  assert.equal(server.seen.length, 1);
});

test('a refused ceremony carries the code and the user', async (t) => {
  const { server, grove } = await setUp(t);
  server.steps.push(problem(400, 372, 'Possible clone', { user: { id: 'u1', status: 'TEMP_LOCKED' } }));
  const refused = grove.passkeys.authenticate({ storeName: 'acme', sessionId: 's1', body: {} });
  await assert.rejects(refused, (error) => isGroveError(error, 372) && error.user?.status === 'TEMP_LOCKED');
  assert.equal(server.seen.length, 1);
});

test('members of a problem that are not what they should be are left out rather than passed on', async (t) => {
  const { server, grove } = await setUp(t);
  server.steps.push(json(400, { code: '372', message: 7, errors: [{ pointer: 1 }, 'x'], user: 'u1' }));
  await assert.rejects(grove.stores.list(), (error) => {
    assert(isGroveError(error));
    const { code, message, errors, user } = error;
    assert.deepEqual(
      { code, message, errors, user },
      { code: undefined, message: 'The server answered 400 without saying why', errors: [], user: undefined },
    );
    return true;
  });
});
