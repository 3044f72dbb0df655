import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { verifyWebhook, type WebhookEvent } from 'grove-idv-sdk';
import { environmentOf, GROVE, grove, groveJson, startGrove, temporaryFolder } from '../../test/grove.ts';
import { follow, forward, type StreamEvent, secretOf } from './listen.ts';

const SECRET = `whsec_${btoa('a secret of thirty-two characters')}`;

const streamOf = (...blocks: string[]) =>
  new Response(blocks.join(''), { headers: { 'content-type': 'text/event-stream' } });
const blockOf = (id: string) =>
  `event: instance.created\nid: ${id}\ndata: ${JSON.stringify({ id, type: 'x', data: {} })}\n\n`;

test('a stream that ends or cannot be opened is opened again, and comments are ignored', async () => {
  const answers = [
    async () => streamOf(': watching\n\n', blockOf('1'), blockOf('2').slice(0, -1), '\n', 'data: half'),
    () => Promise.reject(new TypeError('fetch failed')),
    async () => new Response('{}', { status: 503 }),
    async () => streamOf(blockOf('3')),
  ];
  const waits: number[] = [];
  const events: string[] = [];
  let lost = 0;
  const over = new Error('over');
  const open = () => (answers.shift() ?? (() => assert.fail('asked too often')))();
  await assert.rejects(async () => {
    for await (const { id } of follow(
      open,
      async (ms) => waits.push(ms),
      () => lost++,
    ))
      if (events.push(id) === 3) throw over;
  }, over);
  assert.deepEqual(events, ['1', '2', '3']);
  assert.deepEqual([waits, lost], [[500, 1000, 2000], 0]);
});

test('a refusal of the server ends the command', async () => {
  const refused = async () => Response.json({ code: 7, message: 'No permission' }, { status: 403 });
  await assert.rejects(follow(refused, async () => undefined).next(), /403: No permission \(code 7\)/);
});

test('the secret is the same for the same key, and does not show it', () => {
  assert.equal(secretOf('grv_test_a'), secretOf('grv_test_a'));
  assert.notEqual(secretOf('grv_test_a'), secretOf('grv_test_b'));
  assert.match(secretOf('grv_test_a'), /^whsec_[A-Za-z0-9+/]{43}=$/);
});

async function openReceiver(secret: () => string) {
  const seen: WebhookEvent[] = [];
  let tell = () => {};
  const receiver = createServer(async (request, response) => {
    const payload = Buffer.concat(await Array.fromAsync(request));
    seen.push(await verifyWebhook({ payload, headers: request.headers, secret: secret() }));
    response.writeHead(302, { Location: '/elsewhere' }).end();
    tell();
  }).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  const until = async (done: () => boolean) => {
    while (!done())
      await new Promise<void>((arrived) => {
        tell = arrived;
      });
  };
  return { receiver, seen, until, url: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/` };
}

test('the receiver gets the request of a webhook, and its response is shown', async (t) => {
  const { receiver, seen, url: forwardTo } = await openReceiver(() => SECRET);
  t.after(() => receiver.close());
  const event: StreamEvent = { id: '01J.1', type: 'instance.created', timestamp: 'now', data: { status: 'PENDING' } };
  assert.deepEqual(await forward(event, { forwardTo, secret: SECRET }), { ...event, statusCode: 302 });
  assert.deepEqual(seen, [event]);
  const { error } = await forward(event, { forwardTo: 'http://127.0.0.1:1/', secret: SECRET });
  assert.ok(error);
});

test('listen forwards the events that trigger causes, and their records can be listed, decided and erased', async (t) => {
  const env = { GROVE_DATA: temporaryFolder(t) };
  const server = await startGrove(t, env);
  const apiKey = server.ready.testApiKey ?? '';
  const client = { ...env, GROVE_URL: server.url, GROVE_API_KEY: apiKey };
  const { receiver, seen, until, url } = await openReceiver(() => secretOf(apiKey));
  t.after(() => receiver.close());
  const types = 'instance.completed,instance.review';
  const listening = spawn(process.execPath, [GROVE, 'listen', '--forward-to', url, '--events', types, '--json'], {
    env: environmentOf(client),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.after(() => listening.kill('SIGKILL'));
  await once(listening.stdout, 'data');

  type Triggered = { processInstanceId: string; status: string };
  // The first line of listen comes before its connection, so events are awaited.
  const passed = await groveJson<Triggered>(['trigger', 'passed'], client);
  assert.equal(passed.status, 'COMPLETED_ENDED_SUCCESS');
  const waiting = await groveJson<Triggered>(['trigger', 'document-blurred'], client);
  assert.equal(waiting.status, 'REVIEW');
  await until(() => seen.some(({ type }) => type === 'instance.review'));
  assert.ok(seen.every(({ type }) => types.includes(type)));
  const review = seen.find((event) => event.type === 'instance.review');
  assert.equal(review?.data.processInstanceId, waiting.processInstanceId, 'typed by its type');

  const { reviews } = await groveJson<{ reviews: { processInstanceId: string }[] }>(['reviews', 'list'], client);
  assert.deepEqual(
    reviews.map((each) => each.processInstanceId),
    [waiting.processInstanceId],
  );
  await groveJson(['reviews', 'approve', waiting.processInstanceId, '--comment', 'seen'], client);
  const { instances } = await groveJson<{ instances: { id: string; status: string }[] }>(['instances', 'list'], client);
  assert.deepEqual(new Set(instances.map(({ status }) => status)), new Set(['COMPLETED_ENDED_SUCCESS']));
  const events = await grove(['instances', 'events', passed.processInstanceId], client);
  assert.match(events.stdout, /instance\.completed/);
  const erased = await groveJson<{ state: string }>(['erase', passed.processInstanceId, '--yes'], client);
  assert.match(erased.state, /^ERAS/);
  const { auditEvents } = await groveJson<{ auditEvents: { action: string }[] }>(['audit', '--limit', '5'], client);
  assert.ok(auditEvents.length > 0);
  assert.equal((await grove(['webhooks', 'list'], client)).stdout, 'There are none.\n');
  const wrong = await grove(['listen', '--forward-to', url, '--events', 'instance.ended'], client);
  assert.deepEqual(
    [wrong.code, /no event instance\.ended\. There are: .*instance\.completed/.test(wrong.stderr)],
    [2, true],
  );
  const unknown = await grove(['trigger', 'nothing-like-it'], client);
  assert.deepEqual([unknown.code, /There are: passed/.test(unknown.stderr)], [2, true]);
});

/** The completions that a shell offers. Zsh filters only at a terminal, so the prefix is compared here. */
const SHELLS: Record<string, (script: string, words: string[]) => string[]> = {
  bash: (script, words) => [
    `${script}\nCOMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}; _grove; printf '%s\\n' "\${COMPREPLY[@]}"`,
  ],
  zsh: (script, words) => [
    `compadd() { shift; print -rl -- "$@" }; compdef() {}\n${script}\nwords=(${words.join(' ')}); CURRENT=${words.length}; _grove`,
  ],
  fish: (script, words) => [`${script}\ncomplete -C '${words.join(' ')}'`],
};

for (const [shell, linesOf] of Object.entries(SHELLS)) {
  const skip = spawnSync(shell, ['--version']).error ? `${shell} is not installed` : false;
  test(`the completion of ${shell} names every command`, async () => {
    const { stdout, code } = await grove(['completion', shell], {});
    assert.equal(code, 0);
    for (const word of ['backup verify', 'trigger', '--forward-to', 'instances events'])
      assert.ok(stdout.includes(word), word);
  });
  test(`${shell} completes commands, subcommands and options`, { skip }, async (t) => {
    // Fish offers files as well, so the folder is empty.
    const cwd = temporaryFolder(t);
    const { stdout: script } = await grove(['completion', shell], {});
    const complete = (...words: string[]) => {
      const { stdout, stderr } = spawnSync(shell, ['-c', ...linesOf(script, words)], { encoding: 'utf8', cwd });
      assert.equal(stderr, '');
      return stdout.split('\n').filter((word) => word.startsWith(words.at(-1) as string));
    };
    assert.deepEqual(complete('grove', 'tri'), ['trigger']);
    assert.deepEqual(complete('grove', 'instances', 'e'), ['events']);
    assert.deepEqual(complete('grove', 'backup', '/x', '--im'), ['--images']);
  });
}
