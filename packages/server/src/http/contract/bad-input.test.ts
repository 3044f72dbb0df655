import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { operations } from '@grove/contract';
import { openTestApp, type TestApp, testPlaces } from '../../../test/harness.ts';

/** For any bad input, the answer is a 4xx problem that names the fault, and nothing is stored. */
describe('bad input', () => {
  const places = testPlaces();
  let grove: TestApp;
  let stored: number;
  const count = async () => (await grove.client.apiKeys.list()).totalElements;
  before(async () => {
    grove = await openTestApp(await places.create());
    stored = await count();
  });
  after(() => grove.stop());

  const send = (body: string | Buffer, headers: Record<string, string> = { 'Content-Type': 'application/json' }) =>
    grove.call('/api/arthr/apiKeys', { method: 'POST', body: body as string, headers });
  const check = async (answer: ReturnType<typeof send>, status: number, code: number, pointer?: string) => {
    const { body, headers, status: answerStatus } = await answer;
    assert.deepEqual([answerStatus, body?.code], [status, code], JSON.stringify(body));
    assert.match(headers.get('content-type') ?? '', /^application\/problem\+json/);
    assert.equal(body.requestId, headers.get('x-request-id'));
    assert.deepEqual([body.status, body.type], [status, `urn:grove:error:${code}`]);
    if (pointer !== undefined) assert.equal(body.errors[0].pointer, pointer);
  };

  for (const text of [
    '{',
    '{"name":}',
    '{"name":"x",}',
    'name=x',
    '{"name":"x"} {}',
    "{'name':'x'}",
    '\ufeff{"name":"x"}',
    'undefined',
    '{"name":"\n"}',
  ]) {
    it(`100002: ${JSON.stringify(text)} is not JSON`, () => check(send(text), 400, 100002));
  }
  it('100002: the answer to invalid JSON does not repeat the body', async () => {
    const { text } = await send('{"name": secret-in-the-body}');
    assert.ok(!text.includes('secret-in-the-body'));
    assert.ok(!grove.logged().includes('secret-in-the-body'));
  });
  it('100002: bytes that are not UTF-8 are refused', () =>
    check(send(Buffer.from([0x7b, 0x22, 0x6e, 0xff, 0x22, 0x7d])), 400, 100002));
  for (const text of ['[]', '"x"', '7', 'true', 'null', '']) {
    it(`100001: ${JSON.stringify(text)} is not an API key`, () => check(send(text), 400, 100001));
  }

  for (const [what, body, pointer] of [
    ['NUL in a name', '{"name":"a\\u0000b"}', '/name'],
    ['half a surrogate pair', '{"name":"a\\ud800"}', '/name'],
    ['NUL deep inside', '{"name":"x","more":{"list":[1,{"a/b":"\\u0000"}]}}', '/more/list/1/a~1b'],
    ['NUL in a member’s name', '{"name":"x","\\u0000":1}', '/\0'],
    ['a member twice', '{"name":"x","name":"y"}', '/name'],
    ['a member twice in disguise', '{"name":"x","n\\u0061me":"y"}', '/name'],
    ['a member twice deep inside', '{"name":"x","a":[{"b":1,"b":2}]}', '/a/0/b'],
    ['__proto__', '{"name":"x","__proto__":{"status":"BLOCKED"}}', '/__proto__'],
    ['__proto__ in disguise', '{"name":"x","__pr\\u006fto__":{}}', '/__proto__'],
    ['constructor.prototype', '{"name":"x","constructor":{"prototype":{}}}', '/constructor'],
    ['a missing name', '{}', '/name'],
    ['a number for a name', '{"name":7}', '/name'],
    ['null for a name', '{"name":null}', '/name'],
    ['an unknown status', '{"name":"x","status":"GONE"}', '/status'],
    ['a string for permissions', '{"name":"x","permissions":"TNT#acme#*"}', '/permissions'],
    ['a number among permissions', '{"name":"x","permissions":[1]}', '/permissions/0'],
    ['an object for a description', '{"name":"x","description":{}}', '/description'],
    ['a date that is none', '{"name":"x","expiringDtm":"2099-13-01T00:00:00Z"}', '/expiringDtm'],
    ['201 permissions', JSON.stringify({ name: 'x', permissions: Array(201).fill('TNT#acme#*') }), '/permissions'],
  ] as const) {
    it(`100001: ${what}, naming ${JSON.stringify(pointer)}`, () => check(send(body), 400, 100001, pointer));
  }

  it('100001: an empty ifLastUpdatedDtm, which would allow every change, wherever it can be sent', async () => {
    type Members = { properties?: object; required?: readonly string[] };
    let checked = 0;
    for (const { operation } of operations()) {
      const [query, body] = [operation.query as Members | undefined, operation.body as Members | undefined];
      // A body without its members is refused first.
      if (!('ifLastUpdatedDtm' in (query?.properties ?? {})) || body?.required?.length) continue;
      const address = operation.path.replace(/\{\w+\}/g, '01JZ4MCW8A0C2E4G6J8M0P2R4T');
      const change = grove.call(`${address}?ifLastUpdatedDtm=`, { method: operation.method, body: '{}' });
      await check(change, 400, 100001, '/query/ifLastUpdatedDtm');
      checked += 1;
    }
    assert.ok(checked > 8, `${checked} operations`);
  });
  it('100001: nesting of 33 levels is refused, and a million brackets do no harm', async () => {
    await check(send(`{"name":"x","a":${'['.repeat(33)}${']'.repeat(33)}}`), 400, 100001);
    await check(send('['.repeat(1_000_000)), 400, 100002);
    assert.equal(({} as { status?: string }).status, undefined);
  });

  it('100006: a body with any other content type is refused', async () => {
    for (const type of [
      'text/plain',
      'application/xml',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/jsonx',
      'application/json+evil',
      'text/json',
      'application/\tjson;',
      '',
      'x',
    ]) {
      const { status, body } = await send('{"name":"x"}', { 'Content-Type': type });
      assert.ok([400, 415].includes(status), `${type}: ${status}`);
      assert.ok([100006, 100001].includes(body.code), type);
    }
    assert.equal((await send('{"name":7}', { 'Content-Type': 'application/json; charset=utf-8' })).body.code, 100001);
  });

  it('100001: a body with more than 50,000 values is refused unread', async () => {
    const many = (count: number) => JSON.stringify({ name: 'x', description: Array.from({ length: count }, () => 1) });
    await check(send(many(60_000)), 400, 100001, '');
    await check(send(many(40_000)), 400, 100001, '/description');
  });

  it('100005: a body of more than 64 KiB is refused without a key and without a session', async () => {
    const code = 'x'.repeat(70_000);
    for (const path of ['/api/arthr/apiKeys/issue', '/api/journey/sessions', '/api/console/invitation/open']) {
      const { status, body } = await grove.call(path, { method: 'POST', token: null, body: JSON.stringify({ code }) });
      assert.deepEqual([status, body.code], [413, 100005], path);
    }
  });

  it('100005: a body over 1 MiB is refused, whether its length is declared or not', async () => {
    await check(send(JSON.stringify({ name: 'x', description: 'y'.repeat(10 * 1024 * 1024) })), 413, 100005);
    const stream = new ReadableStream({
      start(controller) {
        for (let at = 0; at < 20; at++) controller.enqueue(new Uint8Array(100_000));
        controller.close();
      },
    });
    const answer = grove.call('/api/arthr/apiKeys', {
      method: 'POST',
      body: stream as never,
      headers: { 'Content-Type': 'application/json' },
      duplex: 'half',
    } as never);
    // The server answers and closes; a client that is still writing may get the answer or an error.
    const { status } = await answer.catch(() => ({ status: 413 }));
    assert.equal(status, 413);
  });

  it('100019: a token of a megabyte is refused before it is read', async () => {
    const answer = await raw(
      grove.baseUrl,
      `GET /api/arthr/apiKeys HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${'x'.repeat(1_000_000)}\r\n\r\n`,
    );
    assert.match(answer, /^HTTP\/1\.1 431 .*application\/problem\+json.*"code":100019/s);
  });

  it('100001: a message that is not HTTP gets a problem and a closed connection', async () => {
    assert.match(await raw(grove.baseUrl, 'GARBAGE\r\n\r\n'), /^HTTP\/1\.1 400 .*"code":100001/s);
    assert.match(
      await raw(
        grove.baseUrl,
        'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      ),
      /^HTTP\/1\.1 400 /,
    );
  });

  it('100003 and 100004: an unknown address is refused, and an unknown method with the header Allow', async () => {
    for (const path of [
      '/api',
      '/api/arthr/apikeys',
      '/api/arthr/apiKeys/',
      '/api//arthr/apiKeys',
      '/..%2f..%2fetc/passwd',
      '/api/arthr/apiKeys/a/b',
    ]) {
      const { status, body } = await grove.call(path);
      assert.deepEqual([status, body.code], [404, 100003], path);
    }
    const { status, body, headers } = await grove.call('/api/arthr/apiKeys', { method: 'PUT', body: '{}' });
    assert.deepEqual([status, body.code, headers.get('allow')], [405, 100004, 'GET, POST']);
    assert.equal(
      (await grove.call('/api/arthr/apiKeys/x', { method: 'PATCH', body: '{}' })).headers.get('allow'),
      'DELETE, GET, POST',
    );
  });

  it('100001: addresses that cannot be decoded, NUL in a parameter, and too many parameters are refused', async () => {
    for (const path of [
      '/api/arthr/apiKeys/%zz',
      '/api/arthr/apiKeys/%00',
      `/api/arthr/apiKeys/${'a'.repeat(300)}`,
      `/api/arthr/apiKeys/${'a'.repeat(3000)}`,
    ]) {
      const { status, body, headers } = await grove.call(path);
      assert.ok([400, 404].includes(status), `${path.slice(0, 40)} ${status}`);
      assert.ok([100001, 100003].includes(body.code));
      // The framework answers some of these before any hook of Grove runs.
      assert.equal(headers.get('x-request-id'), body.requestId);
      assert.equal(headers.get('x-content-type-options'), 'nosniff');
    }
    const many = Array.from({ length: 2000 }, (_, at) => `a${at}=1`).join('&');
    const { body } = await grove.call(`/api/arthr/apiKeys?${many}`);
    assert.deepEqual([body.code, body.errors[0].pointer], [100001, '/query/a0']);
  });

  it('a query parameter never changes a prototype', async () => {
    const { body } = await grove.call('/api/arthr/apiKeys?__proto__=1&constructor=2&toString=3&hasOwnProperty=4');
    assert.deepEqual(
      [body.code, body.errors.map(({ pointer }: { pointer: string }) => pointer)],
      [100001, ['/query/__proto__', '/query/constructor', '/query/toString', '/query/hasOwnProperty']],
    );
  });

  it('bad input leaves nothing in the database, and no error in the log', async () => {
    assert.equal(await count(), stored);
    assert.doesNotMatch(grove.logged(), /"level":50/);
  });
});

function raw(baseUrl: string, request: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(baseUrl).port), '127.0.0.1', () => socket.write(request));
    let text = '';
    socket.setTimeout(10_000, () => socket.destroy(new Error('no answer')));
    socket.on('data', (chunk) => {
      text += chunk;
    });
    socket.on('close', () => (text ? resolve(text) : reject(new Error('closed without an answer'))));
    socket.on('error', (error) => (text ? resolve(text) : reject(error)));
  });
}
