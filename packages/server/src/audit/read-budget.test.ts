import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { operations } from '@grove/contract';
import { codeOf, endUser } from '../../test/end-user.ts';
import { onBothEngines, openTestApp, type TestApp, testClock } from '../../test/harness.ts';
import { DAY, HOUR } from '../kernel/clock.ts';
import type { Principal } from '../kernel/context.ts';
import { asTenantId } from '../kernel/ids.ts';
import { everyTenantId } from '../tenants/tenants.repository.ts';
import { purgeAuditJob, READS_KEPT_DAYS } from './purge-audit.ts';
import { openReadBudget } from './read-budget.ts';

const INSTANCES = '/api/process-manager/processInstances';
const SETTINGS = '/api/process-manager/settings';
const AUDIT = '/api/process-manager/auditEvents?action=apiKey.readBudgetExceeded&size=100';
const TENANT = asTenantId('acme');

onBothEngines('the read budget of an API key', (_engine, places) => {
  const clock = testClock(Math.floor(Date.now() / HOUR) * HOUR);
  let app: TestApp;
  let instanceId: string;
  let apiKeys = 0;

  before(async () => {
    app = await openTestApp(await places.create(), { clock });
    const token = await post('/api/process-manager/processTokens', {
      name: 'all',
      processDefnName: 'document-and-selfie',
    });
    for (let each = 0; each < 5; each++) {
      ({ processInstanceId: instanceId } = (await post(`${INSTANCES}/create?pt=${token.body.id}`, {})).body);
    }
    const hook = { name: 'alarms', uri: 'https://hooks.example.com/', events: ['apiKey.readBudgetExceeded'] };
    assert.equal((await post('/api/notification-service/webhooks', hook)).status, 201);
  });
  after(() => app.stop());

  const post = async (path: string, body: unknown) =>
    app.call(path, { method: 'POST', body: JSON.stringify(body), token: await app.token() });
  const setBudget = async (personsPerHour: number, block: boolean) => {
    const { status } = await post(SETTINGS, { redirectOrigins: [], readBudget: { personsPerHour, block } });
    assert.equal(status, 200);
  };
  const newKey = async () => {
    apiKeys += 1;
    const { apiKey } = await app.app.tenants.createApiKey('acme', { name: `reader ${apiKeys}` });
    const token = await app.token(apiKey);
    return { id: apiKey.split('_')[2], apiKey, read: (path: string) => app.call(`${INSTANCES}${path}`, { token }) };
  };
  const alarms = async (apiKeyId: string | undefined) =>
    (await app.call(`${AUDIT}&apiKeyId=${apiKeyId}`, { token: await app.token() })).body.content;

  it('the read budget of an API key raises one alarm an hour when lists, searches and single reads have shown as many persons as it allows', async () => {
    await setBudget(12, false);
    const key = await newKey();
    await key.read('?size=5');
    await key.read('/search?size=5');
    await key.read(`/${instanceId}`);
    assert.deepEqual(await alarms(key.id), [], '11 of 12');
    assert.equal((await key.read(`/${instanceId}`)).status, 200);
    const [alarm, ...others] = await alarms(key.id);
    assert.deepEqual(others, []);
    assert.deepEqual(
      [alarm.actor, alarm.item, alarm.details.values],
      [`API Key: reader ${apiKeys}`, key.id, { persons: 12, personsPerHour: 12, block: false }],
    );
    assert.equal((await key.read('?size=5')).status, 200, 'an alarm blocks nobody');
    assert.equal((await alarms(key.id)).length, 1);
    const hooks = await app.call('/api/notification-service/webhooks', { token: await app.token() });
    const deliveries = await app.call(
      `/api/notification-service/webhooks/${hooks.body.content[0].id}/deliveries?size=100`,
      { token: await app.token() },
    );
    const alarmDeliveries = deliveries.body.content.filter(({ event }: { event: string }) => event === alarm.action);
    assert.equal(alarmDeliveries.length, 1);
    const warnings = app.logged().match(/an API key has used up its read budget/g) ?? [];
    assert.equal(warnings.length, 1);
  });

  it('the read budget of an API key refuses with 100191 a key that has used it up, if the tenant wants that, until the hour is over; other keys go on', async () => {
    await setBudget(5, true);
    const key = await newKey();
    assert.equal((await key.read('?size=5')).status, 200);
    assert.equal((await alarms(key.id)).length, 1);
    clock.advance(HOUR / 4);
    for (const path of ['?size=5', `/search?size=1`, `/${instanceId}`]) {
      const { status, body, headers } = await key.read(path);
      assert.deepEqual([status, body.code, headers.get('retry-after')], [429, 100191, '2700']);
    }
    const other = await newKey();
    assert.equal((await other.read(`/${instanceId}`)).status, 200);
    clock.advance((HOUR * 3) / 4 - 1);
    assert.equal((await key.read(`/${instanceId}`)).status, 429);
    clock.advance(1);
    const token = await app.token(key.apiKey);
    const read = () => app.call(`${INSTANCES}?size=5`, { token });
    assert.equal((await read()).status, 200);
    assert.equal((await alarms(key.id)).length, 2);
    assert.equal((await read()).status, 429);
    await setBudget(10_000, true);
    await alarms(key.id);
    assert.equal((await read()).status, 200, 'a budget that was raised is noticed');
  });

  it('the read budget of an API key applies from its first read on, however many reads are sent at once', async () => {
    await setBudget(5, true);
    const key = await newKey();
    const answers = await Promise.all(Array.from({ length: 10 }, () => key.read('?size=5')));
    assert.equal(answers.filter(({ status }) => status === 200).length, 1);
    assert.equal(answers.filter(({ body }) => body.code === 100191).length, 9);
  });

  it('the read budget of an API key counts a page past the end, which still shows the total, but not a result without matches', async () => {
    await setBudget(2, true);
    const key = await newKey();
    const outside = async (query: string) => (await key.read(`/search?size=1${query}`)).status;
    assert.equal(await outside('&page=1000'), 200);
    for (let each = 0; each < 3; each++) assert.equal(await outside('&searchString=nobody'), 200);
    assert.equal(await outside('&page=1000'), 200);
    assert.equal(await outside('&page=1000'), 429);
  });

  it('the read budget of an API key counts each instance that shares a value with another, and one if there is none', async () => {
    await setBudget(5, false);
    const parameters = { email: 'shared@example.com', firstName: 'Ada' };
    const processToken = { name: 'linked', processDefnName: 'document-and-selfie' };
    const { body: token } = await post('/api/process-manager/processTokens', processToken);
    const ids: string[] = [];
    for (let each = 0; each < 3; each++) {
      const { body } = await post(`${INSTANCES}/create?pt=${token.id}`, { parameters });
      const user = await endUser(app, codeOf(body.redirectUrl));
      const { step } = await user.look();
      assert.equal((await user.submit(step.id, { accepted: true })).status, 200);
      ids.push(body.processInstanceId);
    }
    const key = await newKey();
    const { body } = await key.read(`/${ids[0]}/links`);
    assert.equal(body.links.length, 2);
    await key.read(`/${ids[1]}/links`);
    assert.deepEqual(await alarms(key.id), [], '4 of 5');
    await key.read(`/${instanceId}/links`);
    assert.equal((await alarms(key.id)).length, 1);
  });

  it('the read budget of an API key counts users that a refused authentication shows, and none is shown when it is used up', async () => {
    await setBudget(2, true);
    const key = await newKey();
    const token = await app.token(key.apiKey);
    const stores = '/api/identity-store/stores';
    assert.equal((await post(stores, { name: 'refused' })).status, 201);
    const { body: user } = await post(`${stores}/refused/users`, { extId: 'ada@example.com' });
    const call = (path: string, body: object) => app.call(path, { method: 'POST', body: JSON.stringify(body), token });
    const face = `${stores}/refused/users/ada@example.com/biometrics/authentications/face/ext`;
    const first = await call(`${stores}/refused/users/${user.id}/biometrics/FACE`, { status: 'DISABLED' });
    assert.deepEqual([first.body.code, first.body.user?.id], [20114, user.id]);
    const second = await call(face, {});
    assert.equal(second.body.user?.id, user.id, second.text);
    const third = await call(face, {});
    assert.deepEqual([third.body.code, third.body.user], [second.body.code, undefined]);
    assert.equal((await alarms(key.id)).length, 1);
    await setBudget(1000, false);
  });

  it('the read budget of an operator who reads in both environments is that of the environment of each read', async () => {
    const caller = { tenantId: TENANT, callerId: 'operator', callerName: 'operator', operator: {} };
    const warnings: object[] = [];
    const alarmData: object[] = [];
    const [inTest, inLive] = (['test', 'live'] as const).map(
      (environment) => ({ ...caller, environment }) as Principal,
    );
    const budget = openReadBudget({
      db: app.app.db,
      clock,
      audit: { record: async () => undefined },
      warn: (details, message) => void warnings.push([details, message]),
      budgetOf: async (_db, environment) => ({ personsPerHour: environment === 'live' ? 2 : 1000, block: true }),
      notify: async (_tx, { data }) => void alarmData.push(data),
      onError: () => undefined,
    });
    (await budget.admit(inTest as Principal, 5))(5);
    (await budget.admit(inLive as Principal, 2))(2);
    assert.throws(() => budget.admit(inLive as Principal, 1), { code: 100191 });
    (await budget.admit(inTest as Principal, 5))(5);
    await budget.stop();
    const values = { persons: 2, personsPerHour: 2, block: true };
    const details = { tenantId: TENANT, environment: 'live', operatorId: 'operator', ...values };
    assert.deepEqual(warnings, [[details, 'an operator has used up its read budget']], 'no API key is blamed');
    assert.partialDeepStrictEqual(alarmData, [{ operatorId: 'operator', operatorName: 'operator', persons: 2 }]);
  });

  it('the read budget of an API key is shared by all servers, counts again what could not be written, and is removed after 30 days', async () => {
    const principal = { tenantId: TENANT, callerId: 'shared', callerName: 'shared', environment: 'live' } as Principal;
    const raised: string[] = [];
    let isAway = false;
    const server = (name: string) =>
      openReadBudget({
        db: app.app.db,
        clock,
        audit: { record: async () => undefined },
        warn: () => undefined,
        async budgetOf() {
          if (isAway) throw new Error('away');
          return { personsPerHour: 10, block: true };
        },
        notify: async (_tx, { data }) => void raised.push(`${name} ${data.persons}`),
        onError: () => undefined,
      });
    const [one, two] = [server('one'), server('two')];
    (await one.admit(principal, 6))(6);
    isAway = true;
    await assert.rejects(one.flush(), /away/);
    isAway = false;
    await one.flush();
    (await two.admit(principal, 6))(6);
    await two.flush();
    assert.deepEqual(raised, ['two 12']);
    assert.throws(() => two.admit(principal, 1), { code: 100191 });
    (await one.admit(principal, 1))(1);
    await one.flush();
    assert.throws(() => one.admit(principal, 1), { code: 100191 }, 'it has learned of the other');
    const three = server('three');
    await assert.rejects(async () => three.admit(principal, 1), { code: 100191 }, 'a restart forgets nothing');
    clock.advance(HOUR);
    const settle = await one.admit(principal, 10);
    assert.throws(() => one.admit(principal, 1), { code: 100191 }, 'what is under way counts');
    settle(1);
    settle(1);
    (await one.admit(principal, 1))(0);
    await Promise.all([one.stop(), two.stop(), three.stop()]);
    assert.deepEqual(raised, ['two 12'], 'a new hour begins at 0');

    const count = async () =>
      (
        await app.app.db
          .of(TENANT)
          .get<{ n: number }>({ text: "SELECT count(*) AS n FROM key_reads WHERE api_key_id = 'shared'" }, [])
      )?.n;
    assert.ok(Number(await count()) >= 2);
    clock.advance(READS_KEPT_DAYS * DAY + HOUR);
    const purge = purgeAuditJob({ db: app.app.db, everyTenantId: () => everyTenantId(app.app.db.system) });
    await purge.run({}, { now: clock.now(), signal: new AbortController().signal } as never);
    assert.equal(Number(await count()), 0);
  });
});

describe('operations that show persons', () => {
  /**
   * The caller has just sent all this data, or the person has just authenticated, or the data of the person was
   * removed.
   */
  const UNCOUNTED = [
    'processInstances.redact',
    'processTokens.create',
    'users.create',
    'watchlists.addMember',
    'watchlists.addMemberImage',
    'passkeys.completeRegistration',
    'passkeys.authenticate',
    'appkeys.completeRegistration',
    'appkeys.authenticate',
    'appkeys.authenticateWithSession',
    'totps.completeRegistration',
    'totps.authenticate',
    'biometrics.authenticateFace',
  ];

  it('operations that show persons declare it, so that they count against the read budget, also if they change something', () => {
    const shows = (schema: unknown) =>
      /"(firstName|extId|parameters|biographicData)":/.test(JSON.stringify(schema ?? {}));
    const uncounted = operations()
      .filter(({ operation }) => operation.permission && shows(operation.ok))
      .filter(({ operation }) => !operation.persons);
    assert.deepEqual(uncounted.map(({ id }) => id).toSorted(), UNCOUNTED.toSorted());
  });

  it('operations that show persons count each person of a list', () => {
    const showsPerson = (item: unknown) => {
      const names = Object.keys((item as { properties?: object } | undefined)?.properties ?? {});
      return names.includes('firstName') || names.includes('extId');
    };
    const hasPersonList = (schema: unknown): boolean =>
      typeof schema === 'object' &&
      schema !== null &&
      (showsPerson((schema as { items?: unknown }).items) || Object.values(schema).some(hasPersonList));
    const lists = operations().filter(({ operation }) => operation.persons === 'one' && hasPersonList(operation.ok));
    assert.deepEqual(
      lists.map(({ id }) => id),
      [],
    );
  });
});
