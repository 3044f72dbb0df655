import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { addressesOf, type ListedOperation, operations, paramNames } from '@grove/contract';
import openapi from '@grove/contract/openapi.json' with { type: 'json' };
import { IS_LONG } from '../../../scripts/long.ts';
import { codeOf, endUser } from './end-user.ts';
import { openTestApp, type TestApp, testPlaces } from './harness.ts';
import { fetchAtHost, firstOwner, hostOf, originOf } from './operators.ts';
import { fetchAnswer } from './record-answers.ts';
import { pageZip } from './zips.ts';

/**
 * Every operation of the contract, with hostile values in each member of its body, its query and its path, on both
 * engines. For any input, the server answers without a fault of its own, and both engines give the same answer. A new
 * operation is covered as soon as it is in the contract. Each operation gets every fourth value, the next operation
 * others; `npm run test:long` sends all.
 */
const NOBODY = '01JZ4MCW8A0C2E4G6J8M0P2R4T';
const STEPS = [
  { id: 'consent', type: 'consent' },
  { id: 'decide', type: 'decision', rules: [{ when: 'true', outcome: 'REVIEW' }] },
];

/** JSON texts, for each type of a member. */
const LONG = JSON.stringify('x'.repeat(65_536));
const DATES = [
  '0000-01-01T00:00:00Z',
  '9999-12-31T23:59:59.999Z',
  '-000001-01-01T00:00:00Z',
  '0001-01-01',
  '9999-12-31',
];
const NOWHERE = ['"\\u0000"', '"\\ud800"', '1e400'];
const TEXTS = [LONG, '"\\u0001\\u202e\\uffff\\udbff\\udfff"', '"\'; DROP TABLE tenants; --"'];
const NUMBERS = ['1e400', '-0', '9007199254740993', '2147483648', '-9223372036854775809', '5e-324'];
const OTHERS = [`${'['.repeat(31)}${']'.repeat(31)}`, '{"":{"toString":1}}', 'null'];

type Schema = {
  type?: string;
  format?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
  enum?: unknown[];
};

/** A value that every body refuses at any position is sent once, in the first member. */
function hostileValues(name: string, schema: Schema, isFirst: boolean): string[] {
  const types = new Set([schema, ...(schema.anyOf ?? [])].map(({ type }) => type));
  const isDate = schema.format?.startsWith('date') || /(Dtm|Date|DateTime|[dD]ateOfBirth)$/.test(name);
  return [
    ...(isDate ? DATES.map((each) => JSON.stringify(each)) : []),
    ...(types.has('string') ? TEXTS : []),
    ...(types.has('number') || types.has('integer') ? NUMBERS : []),
    ...(isFirst ? [...NOWHERE, ...OTHERS] : OTHERS.slice(-1)),
  ];
}

const IN_QUERY = [
  '%00',
  '%ED%A0%80',
  '%01%F4%8F%BF%BF',
  '9'.repeat(30),
  '-1',
  '1e400',
  'x'.repeat(300),
  '%',
  "'",
  '%25_',
].concat(DATES.map(encodeURIComponent));
const IN_PATH = ['%00', '%ED%A0%80', '%01', '..%2f..%2f', 'x'.repeat(300), '%F4%8F%BF%BF', "'%25_", '%zz'];

/** The placeholder for the hostile value, because some are not values of JavaScript. */
const MARK = 'the hostile value';

/** The body with each member, and the members of its members, set to a hostile value in turn. */
function* hostileBodies(base: Record<string, unknown>, schema: Schema, depth = 0): Generator<string> {
  for (const [at, [name, member]] of Object.entries(schema.properties ?? {}).entries()) {
    const text = JSON.stringify({ ...base, [name]: MARK });
    const place = (value: string) => text.replace(JSON.stringify(MARK), () => value);
    for (const value of hostileValues(name, member, at === 0)) yield place(value);
    const inner = member.items ?? member;
    if (depth >= 2 || !inner.properties) continue;
    const own = base[name];
    const current = (member.items ? (own as unknown[] | undefined)?.[0] : own) ?? {};
    for (const body of hostileBodies(current as Record<string, unknown>, inner, depth + 1)) {
      yield place(member.items ? `[${body}]` : body);
    }
  }
}

type Documented = {
  operationId: string;
  requestBody?: { content: { 'application/json'?: { example?: Record<string, unknown> } } };
};

const EXAMPLES = new Map(
  Object.values(openapi.paths as unknown as Record<string, Record<string, Documented>>)
    .flatMap((path) => Object.values(path))
    .map(({ operationId, requestBody }) => [operationId, requestBody?.content['application/json']?.example]),
);

type Request = {
  url: string;
  method: string;
  body?: string | Buffer;
  type?: string;
  credential: Record<string, string>;
};

/** The ids and names for the paths, and the headers of each kind of caller. */
type Seeds = { names: Record<string, string>; headers: Partial<Record<string, Record<string, string>>> };

async function seed(grove: TestApp): Promise<Seeds> {
  const owner = await firstOwner(grove);
  const names = await seedNames(grove);
  const atConsole = { Host: hostOf(grove), Origin: originOf(grove), 'Sec-Fetch-Site': 'same-origin' };
  const create = `/api/process-manager/processInstances/create?pt=${names.processTokenId}`;
  const open = async () => endUser(grove, codeOf((await grove.call(create, { method: 'POST' })).body.redirectUrl));
  const [reviewed, user] = [await open(), await open()];
  await reviewed.submit('consent', { accepted: true });
  assert.equal((await reviewed.settled()).waitingFor, 'review');
  return {
    names: { ...names, processInstanceId: reviewed.processInstanceId, journey: user.processInstanceId },
    headers: {
      bearer: { Authorization: `Bearer ${await grove.token()}` },
      journey: { Cookie: user.cookie },
      operator: { ...atConsole, Cookie: `grove-operator=${owner.cookie}` },
      public: atConsole,
      apiKey: { 'X-Api-Key': grove.apiKey },
    },
  };
}

/** Creates one resource of each kind that a single request can create. */
async function seedNames(grove: TestApp): Promise<Record<string, string>> {
  const create = async (path: string, body: object | Buffer, type = 'application/json') => {
    const content = body instanceof Buffer ? body : JSON.stringify(body);
    const init = { method: 'POST', body: content as string, headers: { 'Content-Type': type } };
    const answer = await grove.call(`/api/${path}`, init);
    assert.ok(answer.status < 300, `${path} ${answer.text}`);
    const { id, operator, executionId } = answer.body ?? {};
    return (id ?? operator?.id ?? executionId) as string;
  };
  const definitions = 'process-manager/processDefinitions';
  const definition = await create(definitions, { name: 'onboarding', steps: STEPS });
  await create(`${definitions}/${definition}/deploy`, {});
  const store = 'identity-store/stores/customers';
  const watchlist = 'watchlist-manager/facewatchlists';
  const watchlistId = await create(watchlist, { name: 'banned', type: 'DOCUMENT_NUMBER' });
  const secret = { name: 'RISK_KEY', value: 'hunter2', hosts: ['risk.example'] };
  const hook = { name: 'crm', uri: 'https://crm.example/', events: ['*'] };
  const ids = {
    processDefinitionId: definition,
    processDefnId: definition,
    processTokenId: await create('process-manager/processTokens', { name: 'link', processDefnName: 'onboarding' }),
    exportId: await create('process-manager/exports', {}),
    cloudSecretId: await create('process-manager/cloudSecrets', secret),
    personRequestId: await create('userdata-server/personRequests', { email: 'ada@example.com' }),
    apiKeyId: await create('arthr/apiKeys', { name: 'caller', permissions: [] }),
    webhookId: await create('notification-service/webhooks', hook),
    watchlistId,
    memberId: await create(`${watchlist}/${watchlistId}/watchlist-members`, { value: 'L898902C3' }),
    id: await create('theme-server/customPages/questions/versions', pageZip(), 'application/zip'),
    executionId: await create('identity-store/events/queries/start', {}),
  };
  await create('theme-server/themes', EXAMPLES.get('themes.create') ?? {});
  await create('identity-store/stores', { name: 'customers' });
  await create(`${store}/totpPolicy`, { name: 'usual' });
  await create(`${store}/passkeyConfig`, { rpId: 'example.com' });
  await create(`${store}/appkeyConfig`, { rpId: 'example.com', appId: 'https://example.com/app' });
  await create(`${store}/pushNotificationPolicy`, { rpId: 'example.com' });
  await create('operator-manager/roles', { name: 'Shift leader', permissions: [], environments: ['live'] });
  const person = { name: 'Ada', email: 'ada@acme.example', role: 'Shift leader' };
  return {
    ...ids,
    userId: await create(`${store}/users`, { extId: 'ada' }),
    operatorId: await create('operator-manager/operators', person),
    storeName: 'customers',
    rpId: 'example.com',
    policyName: 'usual',
    regPolicyName: 'default',
    authPolicyName: 'default',
    userExtId: 'ada',
    roleName: 'Shift leader',
    themeName: 'words',
    assetName: 'logo',
    stepId: 'consent',
    imageName: 'front',
    type: 'FACE',
    name: 'questions',
  };
}

/** Bodies of operations whose example contains values that do not exist here. */
const OWN: Readonly<Record<string, (names: Seeds['names']) => Record<string, unknown>>> = {
  'processTokens.create': () => ({ processDefnVersion: 1, parameters: {} }),
  'shadowVersions.start': ({ processDefinitionId }) => ({ processDefinitionId }),
  'reviews.assign': ({ operatorId }) => ({ operatorId }),
  'operators.invite': () => ({ email: 'eve@acme.example', role: 'Shift leader' }),
  'users.create': () => ({ extId: 'eve' }),
};

/** All requests to one operation. */
function* requestsOf({ id, operation }: ListedOperation, { names, headers }: Seeds): Generator<Request> {
  const credential = headers[operation.auth ?? 'bearer'] ?? {};
  const { method, body, consumes } = operation;
  const base = { ...EXAMPLES.get(id), ...OWN[id]?.(names) };
  for (const { path } of addressesOf(operation)) {
    const nameOf = (each: string) => {
      if (operation.auth === 'journey' && each === 'processInstanceId') return names.journey ?? NOBODY;
      return method === 'DELETE' ? NOBODY : (names[each] ?? NOBODY);
    };
    const fill = (hostile?: string, value = '') =>
      path.replaceAll(/\{(\w+)\}/g, (_, each: string) => (each === hostile ? value : nameOf(each)));
    const query = id === 'processInstances.create' ? `?pt=${names.processTokenId}&` : '?';
    const content = consumes
      ? { body: Buffer.from('"\0;\n\ud800,=cmd|x\n'), type: consumes[0] as string }
      : body && { body: JSON.stringify(base), type: 'application/json' };
    const usual = { method, credential };
    yield { url: `${fill()}${query}`, ...usual, ...content };
    for (const each of paramNames(path)) {
      for (const value of IN_PATH) yield { url: fill(each, value), ...usual, ...content };
    }
    for (const each of Object.keys((operation.query as Schema | undefined)?.properties ?? {})) {
      for (const value of IN_QUERY) yield { url: `${fill()}${query}${each}=${value}`, ...usual, ...content };
    }
    if (consumes || !body) continue;
    for (const hostile of hostileBodies(base, body as Schema)) {
      yield { url: `${fill()}${query}`, ...usual, body: hostile, type: 'application/json' };
    }
  }
}

const ORDER = ['GET', 'POST', 'DELETE'];
/** These come last, because nothing works after them. */
const LAST = /signOut|abandon|cancel|archive$|stores.update|users.update|processSettings/;
const placeOf = ({ id, operation }: ListedOperation) => ORDER.indexOf(operation.method) + (LAST.test(id) ? 10 : 0);
// A stream never ends.
const walked = operations()
  .filter(({ operation }) => operation.produces !== 'text/event-stream')
  .toSorted((one, other) => placeOf(one) - placeOf(other));
const SHARE = IS_LONG ? 1 : 4;
/** Whether an answer is this one may depend on how far a job has come. */
const FULL = '409 100065';

describe('hostile values', () => {
  const engines = [testPlaces('sqlite'), testPlaces('postgres')];
  let apps: TestApp[] = [];
  let seeds: Seeds[] = [];
  before(async () => {
    for (const places of engines) apps.push(await openTestApp(await places.create()));
    seeds = await Promise.all(apps.map(seed));
  });
  after(async () => {
    for (const app of apps) await app.stop();
    apps = [];
  });

  const send = async ({ baseUrl }: TestApp, { url, method, body, type, credential }: Request): Promise<string> => {
    const headers = {
      ...(body !== undefined && { 'Content-Type': type as string }),
      ...credential,
    };
    const init = { method, headers, ...(body !== undefined && { body: body as string }) };
    const { status, body: answer } = await fetchAnswer(`${baseUrl}${url}`, init, fetchAtHost);
    return `${status} ${typeof answer?.code === 'number' ? answer.code : ''}`;
  };

  for (const [number, listed] of walked.entries()) {
    it(`${listed.id} answers the same on both engines, with no fault of its own`, async () => {
      const faults: string[] = [];
      const all = apps.map((_, at) => [...requestsOf(listed, seeds[at] as Seeds)]);
      for (const [at, request] of (all[0] ?? []).entries()) {
        // The first request has no hostile value.
        if (at > 0 && at % SHARE !== number % SHARE) continue;
        const requests = [request, all[1]?.[at] as Request];
        const answers = await Promise.all(
          apps.map((grove, engine) => send(grove, requests[engine] as Request).catch((error) => `no answer: ${error}`)),
        );
        const hasFault = answers.some((answer) => !/^[234]/.test(answer));
        const isSame = answers[0] === answers[1] || answers.includes(FULL);
        const { method, url, body } = request;
        if (hasFault || !isSame) faults.push(`${answers.join(' | ')}: ${method} ${url} ${String(body).slice(0, 300)}`);
      }
      assert.deepEqual(faults, []);
    });
  }

  it('hostile values leave no line of level error in the log', () => {
    for (const grove of apps) {
      const lines = grove
        .logged()
        .split('\n')
        .filter((line) => /"level":(50|60)/.test(line));
      assert.deepEqual(lines, []);
    }
  });
});
