import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { GroveConnectionError, GroveError, verifyWebhook } from 'grove-idv-sdk';
import { follow, forward, type Told } from './listen.ts';

const SECRET = `whsec_${btoa('a secret of thirty-two characters')}`;

/** A server whose instances are in the hands of the test. */
function server() {
  const events = new Map<string, string[]>();
  let fault: Error | undefined;
  const content = <T>(all: T[]) => ({ content: all }) as never;
  const statusOf = (id: string) =>
    events.get(id)?.at(-1) === 'instance.completed' ? 'COMPLETED_ENDED_SUCCESS' : 'ACTIVE';
  let asked = 0;
  return {
    happens: (id: string, type: string) => void events.set(id, [...(events.get(id) ?? []), type]),
    fails: (error: Error | undefined) => {
      fault = error;
    },
    asked: () => asked,
    api: {
      list: async () => {
        if (fault) throw fault;
        const ids = [...events.keys()].reverse().slice(0, 20);
        return content(
          ids.map((id) => ({ id, status: statusOf(id), tenantId: 'acme', processDefnName: 'onboarding' })),
        );
      },
      listEvents: async ({ processInstanceId: id }: { processInstanceId: string }) => {
        asked += 1;
        if (id === 'gone') throw new GroveError({ operation: 'x', status: 404, message: 'gone', code: 100022 });
        const all = (events.get(id) ?? []).map((type, at) => ({
          type,
          sequence: at + 1,
          dateTime: 'now',
          status: statusOf(id),
        }));
        return content(all.reverse());
      },
    } as never,
  };
}

/** What is told until the test has nothing more to do between two looks. */
async function toldWhile(api: never, steps: (() => void)[]): Promise<string[]> {
  const told: string[] = [];
  const over = new Error('over');
  const pause = async () => {
    const step = steps.shift();
    if (!step) throw over;
    step();
  };
  try {
    for await (const { id, type } of follow(api, pause)) told.push(`${id} ${type}`);
  } catch (error) {
    if (error !== over) throw error;
  }
  return told;
}

test('events are told in the order of their instance, each once, and none from before', async () => {
  const grove = server();
  grove.happens('old', 'instance.created');
  const told = await toldWhile(grove.api, [
    () => grove.happens('old', 'instance.started'),
    () => {
      grove.happens('new', 'instance.created');
      grove.happens('new', 'instance.started');
      grove.happens('old', 'instance.completed');
    },
    () => grove.fails(new GroveConnectionError({ operation: 'x', fault: 'unsent', reason: 'away' })),
    () => grove.fails(undefined),
    () => grove.happens('gone', 'instance.created'),
    () => grove.happens('new', 'instance.paused'),
  ]);
  assert.deepEqual(told, [
    'old.2 instance.started',
    'old.3 instance.completed',
    'new.1 instance.created',
    'new.2 instance.started',
    'new.3 instance.paused',
  ]);
});

test('an instance that has ended is asked for no more', async () => {
  const grove = server();
  grove.happens('done', 'instance.completed');
  await toldWhile(grove.api, [() => undefined, () => undefined, () => undefined]);
  assert.equal(grove.asked(), 1);
});

test('a refusal of the server ends the command', async () => {
  const grove = server();
  grove.fails(new GroveError({ operation: 'x', status: 401, message: 'no' }));
  await assert.rejects(toldWhile(grove.api, []), GroveError);
});

test('the receiver is told as by a webhook, and what it answers is shown', async (t) => {
  const seen: unknown[] = [];
  const receiver = createServer(async (request, response) => {
    const payload = Buffer.concat(await Array.fromAsync(request));
    seen.push(await verifyWebhook({ payload, headers: request.headers, secret: SECRET }));
    response.writeHead(302, { Location: '/elsewhere' }).end();
  }).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  t.after(() => receiver.close());
  const forwardTo = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
  const told: Told = { id: '01J.1', type: 'instance.created', timestamp: 'now', data: { status: 'PENDING' } };
  assert.deepEqual(await forward(told, { forwardTo, secret: SECRET }), { ...told, statusCode: 302 });
  assert.deepEqual(seen, [told]);
  const { error } = await forward(told, { forwardTo: 'http://127.0.0.1:1/', secret: SECRET });
  assert.ok(error);
});
