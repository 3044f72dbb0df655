import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { API_KEY, problem, startFakeGrove } from '../test/fake-grove.ts';
import { type ClientOptions, createClient } from './client.ts';

const TOKEN = 'fake.token-1.signature';

/** Every text that a program might print of a value. */
function printed(value: unknown): string {
  const deep = { depth: null, showHidden: true, getters: true } as const;
  const parts = [inspect(value, deep), JSON.stringify(value), String(value)];
  if (value instanceof Error) parts.push(value.stack ?? '', value.message);
  return parts.join('\n');
}

function assertNoSecret(value: unknown): void {
  const text = printed(value);
  for (const secret of [API_KEY, TOKEN, 's3cr3t']) assert(!text.includes(secret), text);
}

test('neither the key nor the token is in what a client prints', async (t) => {
  const server = await startFakeGrove(t);
  const grove = createClient({ baseUrl: server.baseUrl, apiKey: API_KEY });
  await grove.apiKeys.list();
  assert(printed(grove).includes('apiKeys'));
  assertNoSecret(grove);
  assertNoSecret(grove.apiKeys.list);
});

test('neither the key nor the token is in an error, not even when the server or the fetch of the caller repeats them', async (t) => {
  const server = await startFakeGrove(t);
  const errors: unknown[] = [];
  const collect = (error: unknown) => errors.push(error);

  const echoing = createClient({ baseUrl: server.baseUrl, apiKey: API_KEY });
  server.otherwise = problem(400, 100001, `bad ${TOKEN} ${API_KEY}`, {
    errors: [{ pointer: TOKEN, message: API_KEY }],
  });
  await echoing.apiKeys.list().catch(collect);
  const escaped = [...API_KEY].map((each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');
  const headers = { 'x-request-id': API_KEY };
  server.otherwise = (response) => response.writeHead(400, headers).end(`{"message":"${escaped}"}`);
  await echoing.apiKeys.list().catch(collect);
  server.issueSteps.push(problem(401, 271, `unknown key ${API_KEY}`));
  await createClient({ baseUrl: server.baseUrl, apiKey: API_KEY }).apiKeys.list().catch(collect);
  const talkative: typeof fetch = (_, init) => Promise.reject(new Error(`failed: ${inspect(init)}`, { cause: init }));
  const options = { baseUrl: server.baseUrl, apiKey: API_KEY, fetch: talkative, maxRetries: 0 };
  await createClient(options).apiKeys.list().catch(collect);

  assert.equal(errors.length, 4);
  for (const error of errors) {
    assertNoSecret(error);
    assert(printed(error).includes('***'), printed(error));
  }
});

test('a key or base address that cannot be right is refused at once, without repeating the key', () => {
  const good: ClientOptions = { baseUrl: 'https://acme.fir.example.com', apiKey: API_KEY };
  const bad: Partial<Record<keyof ClientOptions, unknown>>[] = [
    { apiKey: undefined },
    { apiKey: '' },
    { apiKey: `${API_KEY}\n` },
    { baseUrl: 'acme' },
    { baseUrl: 'ftp://acme.example.com' },
    { baseUrl: 'https://user@acme.example.com' },
    { baseUrl: 'https://user:s3cr3t@acme.example.com' },
    { baseUrl: 'https://acme.example.com/?a=1' },
    { timeoutMs: 0 },
    { timeoutMs: Number.NaN },
    { maxRetries: -1 },
    { maxRetries: 11 },
  ];
  for (const change of bad) {
    const [name = ''] = Object.keys(change);
    assert.throws(
      () => createClient({ ...good, ...change } as ClientOptions),
      (error) => {
        assertNoSecret(error);
        return error instanceof TypeError && error.message.startsWith(name);
      },
      inspect(change),
    );
  }
});

test('a base address may have a path and a trailing slash', async (t) => {
  const server = await startFakeGrove(t);
  const asked: string[] = [];
  const recording: typeof fetch = (input, init) => {
    asked.push(String(input));
    return fetch(String(input).replace('/grove/', '/'), init);
  };
  const grove = createClient({ baseUrl: `${server.baseUrl}/grove/`, apiKey: API_KEY, fetch: recording });
  await grove.apiKeys.get({ apiKeyId: 'k1' });
  assert.equal(asked.at(-1), `${server.baseUrl}/grove/api/arthr/apiKeys/k1`);
});

test('a mistake in the arguments rejects before anything is sent', async (t) => {
  const server = await startFakeGrove(t);
  const grove = createClient({ baseUrl: server.baseUrl, apiKey: API_KEY });
  await assert.rejects(grove.apiKeys.get({ apiKeyId: '..' }), TypeError);
  await assert.rejects(grove.apiKeys.create({ body: { name: 'x' }, idempotencyKey: 'a\nb' }), TypeError);
  assert.equal(server.seen.length + server.issues.length, 0);
});
