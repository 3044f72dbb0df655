import { setTimeout as sleep } from 'node:timers/promises';
import type { TestApp } from '../harness.ts';

/**
 * Writers that act like back ends: each change is requested until it is acknowledged, at any server that answers. The
 * acknowledged changes are the history that `check.ts` compares with the database.
 */
export type History = {
  /** Ids of instances by the key of the request that created them. */
  readonly created: Map<string, string>;
  /** Ids of instances whose deletion was acknowledged. */
  readonly deleted: Set<string>;
  /** The number of acknowledged creations, by token. */
  readonly uses: Map<string, number>;
  /** The last acknowledged description of each writer's token. */
  readonly described: Map<string, string>;
  /** Requests that were given up: they may have succeeded or not. */
  readonly unsure: string[];
  /** The number of answers other than success, by their status. */
  readonly answers: Map<string, number>;
  /** The times of acknowledged changes, in order. */
  readonly acknowledgedAt: number[];
  /** The time of the last change that each server acknowledged, by its address. */
  readonly lastAcknowledgedAt: Map<string, number>;
};

export type LoadOptions = {
  servers: readonly { readonly url: string }[];
  bearer: string;
  /** An unlimited token and a limited one. */
  tokens: readonly string[];
  /** One token for each writer, which only it changes. */
  ownTokens: readonly string[];
};

const WRITERS = 6;
const PAUSE_MS = 20;
const RETRY_MS = 50;
const GIVE_UP_MS = 90_000;
const REQUEST_MS = 15_000;
const DELETE_EVERY = 4;
const DESCRIBE_EVERY = 5;

export type WritersSeed = Pick<LoadOptions, 'tokens' | 'ownTokens'>;

/** The tokens of the writers, and a webhook for the creation of each instance. */
export async function seedWriters(app: TestApp, receiverUrl: string): Promise<WritersSeed> {
  const post = async (path: string, body: object) => {
    const answer = await app.call(path, { method: 'POST', body: JSON.stringify(body) });
    if (answer.status !== 201) throw new Error(answer.text);
    return String(answer.body.id);
  };
  const path = '/api/process-manager/processTokens';
  const definition = { processDefnName: 'document-and-selfie' };
  const limits = { type: 'MULTI_USE_COUNT_LIMITED', maxCount: 1_000_000 };
  const tokens = [
    await post(path, { name: 'free', ...definition }),
    await post(path, { name: 'limited', ...definition, ...limits }),
  ];
  const ownTokens: string[] = [];
  for (let writer = 0; writer < WRITERS; writer++)
    ownTokens.push(await post(path, { name: `of ${writer}`, ...definition }));
  await post('/api/notification-service/webhooks', { name: 'chaos', uri: receiverUrl, events: ['instance.created'] });
  return { tokens, ownTokens };
}

export function startLoad({ servers, bearer, tokens, ownTokens }: LoadOptions) {
  const history: History = {
    created: new Map(),
    deleted: new Set(),
    uses: new Map(),
    described: new Map(),
    unsure: [],
    answers: new Map(),
    acknowledgedAt: [],
    lastAcknowledgedAt: new Map(),
  };
  let stopping = false;
  const note = (answer: string) => history.answers.set(answer, (history.answers.get(answer) ?? 0) + 1);

  /** Requests until the status is one of `good`, each time at the next server. */
  const ask = async (path: string, init: RequestInit, good: readonly number[], first: number) => {
    const until = Date.now() + GIVE_UP_MS;
    for (let tries = first; Date.now() < until; tries++) {
      const { url } = servers[tries % servers.length] as { url: string };
      try {
        const headers = { Authorization: `Bearer ${bearer}`, 'Content-Type': 'application/json', ...init.headers };
        const answer = await fetch(`${url}${path}`, { ...init, headers, signal: AbortSignal.timeout(REQUEST_MS) });
        const text = await answer.text();
        const body = (text ? JSON.parse(text) : {}) as Record<string, unknown>;
        if (good.includes(answer.status)) {
          const now = Date.now();
          history.acknowledgedAt.push(now);
          history.lastAcknowledgedAt.set(url, now);
          return body;
        }
        note(`${answer.status} ${body.code ?? ''}`.trim());
      } catch {
        note('no answer');
      }
      await sleep(RETRY_MS);
    }
    history.unsure.push(path);
    return undefined;
  };

  const writer = async (number: number) => {
    const mine: string[] = [];
    for (let turn = 1; !stopping; turn++) {
      const key = `${number}.${turn}`;
      const token = tokens[turn % tokens.length] as string;
      const make = { method: 'POST', body: '{}', headers: { 'Idempotency-Key': key } };
      const created = await ask(`/api/process-manager/processInstances/create?pt=${token}`, make, [201], number + turn);
      if (created) {
        const id = String(created.processInstanceId);
        history.created.set(key, id);
        history.uses.set(token, (history.uses.get(token) ?? 0) + 1);
        mine.push(id);
      }
      const oldest = turn % DELETE_EVERY === 0 ? mine.shift() : undefined;
      // A repeated request for a deletion that succeeded finds nothing.
      if (
        oldest &&
        (await ask(`/api/process-manager/processInstances/${oldest}`, { method: 'DELETE' }, [200, 204, 404], number))
      ) {
        history.deleted.add(oldest);
      }
      if (turn % DESCRIBE_EVERY === 0) {
        const own = ownTokens[number] as string;
        const body = JSON.stringify({ description: key });
        const path = `/api/process-manager/processTokens/${own}`;
        if (await ask(path, { method: 'POST', body }, [200], number)) history.described.set(own, key);
      }
      await sleep(PAUSE_MS);
    }
  };
  const writers = ownTokens.map((_, number) => writer(number));
  return {
    history,
    async stop() {
      stopping = true;
      await Promise.all(writers);
    },
  };
}
