import { appendFileSync } from 'node:fs';
import { operations } from '@grove/contract';
import type { FastifyInstance } from 'fastify';
import { Value } from 'typebox/value';
import { type Exchange, stabilise } from './stable-example.ts';

/**
 * Records one successful call of each operation for the documentation, while `npm run examples` runs tests: the one
 * with the most members, and of those the shortest. In other runs nothing is recorded.
 */
export type Recorded = { readonly id: string; readonly example: Exchange };

const { TEST_EXAMPLES_FILE } = process.env;
/** Nobody reads a longer example. */
const MAX_LENGTH = 2_500;
/** The maximum number of requests at once. */
const MAX_WAITING = 20_000;
const byId = new Map(operations().map(({ id, operation }) => [id, operation]));
const operationOf = new Map<string, string>();
const best = new Map<string, Exchange>();

export function recordOperations(http: FastifyInstance): void {
  if (!TEST_EXAMPLES_FILE) return;
  http.addHook('onRequest', (request, _reply, done) => {
    const { served } = request.routeOptions.config ?? {};
    if (operationOf.size >= MAX_WAITING) operationOf.clear();
    if (served) operationOf.set(request.id, served.operationId);
    done();
  });
}

type SentRequest = { readonly body?: unknown };
type ReceivedAnswer = { readonly headers: Headers; readonly status: number };

/** `readText` returns the body of the answer; it is only called if the call may be an example. */
export async function recordExample(
  request: SentRequest,
  { headers, status }: ReceivedAnswer,
  readText: () => Promise<string>,
) {
  const requestId = headers.get('x-request-id') ?? '';
  const id = operationOf.get(requestId);
  operationOf.delete(requestId);
  const operation = id === undefined ? undefined : byId.get(id);
  if (id === undefined || operation === undefined || status !== (operation.status ?? 200)) return;
  const takesJson = operation.body !== undefined || operation.consumes?.includes('application/json');
  const body = takesJson ? readJson(request.body) : undefined;
  const isJson = /^application\/json/.test(headers.get('content-type') ?? '');
  const ok = operation.ok && isJson ? readJson(await readText()) : undefined;
  if (body === undefined && ok === undefined) return;
  const example = stabilise({ ...(body !== undefined && { body }), ...(ok !== undefined && { ok }) });
  if (operation.body && body !== undefined && !Value.Check(operation.body, example.body)) return;
  if (operation.ok && ok !== undefined && !Value.Check(operation.ok, example.ok)) return;
  if (best.size === 0) process.once('exit', write);
  const before = best.get(id);
  if (before === undefined || isBetter(example, before)) best.set(id, example);
}

function readJson(text: unknown): unknown {
  if (typeof text !== 'string') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Words of tests about attackers, which would puzzle a reader. */
const ODD = /evil|hunter|stolen|attack|nonsense|</i;

/** Whether the first example has more members, or as many and is shorter. */
export function isBetter(one: Exchange, other: Exchange): boolean {
  const [mine, yours] = [JSON.stringify(one), JSON.stringify(other)];
  const isOdd = ODD.test(mine);
  if (isOdd !== ODD.test(yours)) return !isOdd;
  const isLong = mine.length > MAX_LENGTH;
  if (isLong !== yours.length > MAX_LENGTH) return !isLong;
  const [members, others] = [membersOf(one).size, membersOf(other).size];
  if (!isLong && members !== others) return members > others;
  return mine.length !== yours.length ? mine.length < yours.length : mine < yours;
}

/** The paths of all members; the elements of a list count as one. */
function membersOf(value: unknown, path = ''): Set<string> {
  if (typeof value !== 'object' || value === null) return new Set();
  const inner = Object.entries(value).map(([name, each]) => {
    const memberPath = Array.isArray(value) ? `${path}[]` : `${path}.${name}`;
    return [memberPath, ...membersOf(each, memberPath)];
  });
  return new Set(inner.flat());
}

/** Written at the end, at once: several processes of a run write to the same file. */
function write(): void {
  const lines = [...best].map(([id, example]) => JSON.stringify({ id, example } satisfies Recorded));
  appendFileSync(TEST_EXAMPLES_FILE as string, `${lines.join('\n')}\n`);
}
