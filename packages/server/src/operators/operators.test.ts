import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { addressesOf, operations } from '@grove/contract';
import { authenticator } from '../../test/authenticator/authenticator.ts';
import { onBothEngines, openTestApp, type TestApp } from '../../test/harness.ts';
import {
  browse,
  codeIn,
  confirm,
  cookieFrom,
  emptyOperators,
  fillOperators,
  firstOwner,
  hostOf,
  invitePerson,
  joinByLink,
  type Person,
  signIn,
} from '../../test/operators.ts';
import { HOUR, MINUTE } from '../kernel/clock.ts';
import { asTenantId } from '../kernel/ids.ts';
import { MAX_ROLES } from './roles.repository.ts';

const OPERATORS = '/api/operator-manager/operators';
const ROLES = '/api/operator-manager/roles';
const KEYS = '/api/arthr/apiKeys';
const SESSION = '/api/console/session';

onBothEngines('operators', (_engine, places) => {
  let grove: TestApp;
  let owner: Person;
  before(async () => {
    grove = await openTestApp(await places.create());
    owner = await firstOwner(grove);
  });
  after(() => grove.stop());

  const refuses = async (answer: Promise<{ status: number; body: { code: number }; text: string }>, code: number) => {
    const { body, text } = await answer;
    assert.equal(body?.code, code, text);
  };
  const stillFresh = () => confirm(owner);

  it('the link of the first start creates an owner who is signed in, with a cookie that no script can read', async () => {
    const { status, body } = await owner.call(SESSION);
    assert.equal(status, 200);
    assert.deepEqual(
      [body.operator.name, body.operator.email, body.operator.role, body.permissions],
      ['Olga Owner', 'olga@acme.com', 'Owner', ['TNT#acme#*']],
    );
    const line = (await signIn(grove, owner.device)).headers.getSetCookie()[0] ?? '';
    assert.match(line, /^grove-operator=\S+; Path=\/; Max-Age=43200; HttpOnly; SameSite=Strict$/);
    assert.equal(await grove.app.operators.firstOwnerLink(asTenantId('acme')), undefined);
  });

  it('an operator can call what the role permits, and is named by createdBy and the audit log', async () => {
    await stillFresh();
    const creation = await owner.call(KEYS, { body: { name: 'made by a person' } });
    assert.equal(creation.status, 201, creation.text);
    assert.equal(creation.body.createdBy, 'Olga Owner (olga@acme.com)');
    const { body } = await owner.call(`/api/process-manager/auditEvents?operatorId=${owner.id}&action=apiKey.created`);
    assert.deepEqual(
      [body.content[0].actor, body.content[0].operatorId, body.content[0].apiKeyId],
      ['Olga Owner (olga@acme.com)', owner.id, undefined],
    );
    const joined = await owner.call('/api/process-manager/auditEvents?action=operator.joined');
    assert.equal(joined.body.content[0].operatorId, owner.id);
  });

  it('7: a reviewer can call exactly the operations that the role permits', async () => {
    const reviewer = await invitePerson(grove, owner, 'Reviewer');
    const { body } = await reviewer.call(SESSION);
    const permissions = new Set<string>(body.permissions.map((each: string) => each.slice('TNT#acme#'.length)));
    for (const { id, operation } of operations().filter(({ operation }) => operation.permission)) {
      const [address] = addressesOf(operation);
      const url = (address?.path ?? '').replace(/\{\w+\}/g, 'some-id');
      const answer = await reviewer.call(url, { method: operation.method });
      assert.equal(answer.body?.code === 7, !permissions.has(operation.permission as string), `${id}: ${answer.text}`);
    }
  });

  it('100221: a header selects the environment, among those in which the role may work', async () => {
    await stillFresh();
    const role = { name: 'Tester', permissions: ['TNT#acme#ProcessManager:*'], environments: ['test'] };
    assert.equal((await owner.call(ROLES, { body: role })).status, 201);
    const tester = await invitePerson(grove, owner, 'Tester');
    const list = '/api/process-manager/auditEvents';
    assert.equal((await tester.call(list)).status, 200);
    assert.equal((await tester.call(list, { headers: { 'X-Grove-Environment': 'test' } })).status, 200);
    await refuses(tester.call(list, { headers: { 'X-Grove-Environment': 'live' } }), 100221);
    await refuses(owner.call(list, { headers: { 'X-Grove-Environment': 'elsewhere' } }), 100221);
  });

  it('a request in the other environment is another request, even with the same Idempotency-Key', async () => {
    const create = (environment: string) =>
      owner.call('/api/process-manager/processTokens', {
        body: { name: 'of both', processDefnName: 'document-and-selfie' },
        headers: { 'Idempotency-Key': 'one-key', 'X-Grove-Environment': environment },
      });
    const [inTest, again, inLive] = [await create('test'), await create('test'), await create('live')];
    assert.deepEqual([inTest.body.environment, inLive.body.environment], ['test', 'live'], inLive.text);
    assert.deepEqual([again.body.id, again.headers.get('idempotent-replayed')], [inTest.body.id, 'true']);
    assert.equal(inLive.headers.get('idempotent-replayed'), null);
  });

  it('100219: an invitation link works once, until it expires or another is created', async () => {
    await stillFresh();
    const invite = async (name: string) => {
      const body = { name, email: `${name}@links.com`, role: 'Auditor' };
      return (await owner.call(OPERATORS, { body })).body as { url: string; operator: { id: string } };
    };
    const open = (url: string) => browse(grove, '/api/console/invitation/open', { body: { code: codeIn(url) } });
    const used = await invite('used');
    await joinByLink(grove, used.url);
    await refuses(open(used.url), 100219);

    const replaced = await invite('replaced');
    const next = await owner.call(`${OPERATORS}/${replaced.operator.id}/reset`, { body: {} });
    await refuses(open(replaced.url), 100219);
    assert.equal((await open(next.body.url)).status, 200);

    const late = await invite('late');
    grove.clock.advance(72 * HOUR);
    await refuses(open(late.url), 100219);
    await refuses(browse(grove, '/api/console/invitation/open', { body: { code: 'x'.repeat(43) } }), 100219);
    owner = { ...owner, ...(await again(owner)) };
  });

  const again = async (person: Person): Promise<Person> => {
    const answer = await signIn(grove, person.device);
    assert.equal(answer.status, 200, answer.text);
    const cookie = cookieFrom(answer);
    return { ...person, cookie, call: (path, request = {}) => browse(grove, path, { cookie, ...request }) };
  };

  it('100210: a session ends after 30 idle minutes, after 12 hours, when it is revoked, and when the operator signs out', async () => {
    const person = await invitePerson(grove, owner, 'Auditor', 'Ada Auditor');
    const idle = await again(person);
    grove.clock.advance(29 * MINUTE);
    assert.equal((await idle.call(SESSION)).status, 200);
    grove.clock.advance(29 * MINUTE);
    assert.equal((await idle.call(SESSION)).status, 200);
    grove.clock.advance(30 * MINUTE);
    await refuses(idle.call(SESSION), 100210);

    const long = await again(person);
    for (let minutes = 0; minutes < 12 * 60; minutes += 20) {
      assert.equal((await long.call(SESSION)).status, 200);
      grove.clock.advance(20 * MINUTE);
    }
    await refuses(long.call(SESSION), 100210);

    owner = await again(owner);
    const one = await again(person);
    grove.clock.advance(1);
    const other = await again(person);
    const { body } = await other.call('/api/console/sessions');
    assert.deepEqual(
      body.sessions.map(({ current }: { current: boolean }) => current),
      [true, false],
    );
    const revoked = body.sessions[1].id;
    assert.equal((await other.call(`/api/console/sessions/${revoked}`, { method: 'DELETE' })).status, 204);
    await refuses(one.call(SESSION), 100210);
    await refuses(other.call(`/api/console/sessions/${revoked}`, { method: 'DELETE' }), 100035);
    const left = await other.call('/api/console/signOut', { body: {} });
    assert.equal(left.status, 200, left.text);
    assert.match(left.headers.getSetCookie()[0] ?? '', /^grove-operator=; Path=\/; Max-Age=0;/);
    await refuses(other.call(SESSION), 100210);

    const third = await again(person);
    assert.equal((await owner.call(`${OPERATORS}/${person.id}/sessions`)).body.sessions.length, 1);
    assert.equal((await owner.call(`${OPERATORS}/${person.id}/sessions`, { method: 'DELETE' })).status, 204);
    await refuses(third.call(SESSION), 100210);
  });

  it('a cookie that was planted before is worthless after signing in, because the session is new', async () => {
    const planted = await again(owner);
    const answer = await signIn(grove, owner.device, { cookie: planted.cookie });
    assert.notEqual(cookieFrom(answer), planted.cookie);
    await refuses(planted.call(SESSION), 100210);
    const invented = `${'0'.repeat(26)}.${'A'.repeat(43)}`;
    const second = await signIn(grove, owner.device, { cookie: invented });
    assert.notEqual(cookieFrom(second), invented);
    await refuses(owner.call(SESSION, { cookie: invented }), 100210);
    owner = await again(owner);
  });

  it('100067: the cookie of an operator is refused for requests of another site', async () => {
    await stillFresh();
    const body = { name: 'from elsewhere' };
    for (const headers of [
      { 'Sec-Fetch-Site': 'cross-site' },
      { 'Sec-Fetch-Site': 'same-site' },
      { Origin: 'https://evil.example' },
      { Origin: 'null' },
      { Origin: `http://other.fir.localhost:${new URL(grove.baseUrl).port}` },
    ]) {
      await refuses(owner.call(KEYS, { body, headers }), 100067);
    }
    await refuses(owner.call(KEYS, { headers: { 'Sec-Fetch-Site': 'cross-site' } }), 100067);
    await refuses(
      browse(grove, '/api/console/signIn/start', { body: {}, headers: { Origin: 'https://evil.example' } }),
      100067,
    );
  });

  it('100217: the console works at the address of the tenant, and its session at no other', async () => {
    const plain = new URL(grove.baseUrl).host;
    const headers = { Host: plain, Origin: grove.baseUrl };
    await refuses(browse(grove, '/api/console/signIn/start', { body: {}, headers }), 100217);
    await refuses(owner.call(KEYS, { headers }), 100210);
    await grove.app.tenants.create({ id: 'other' });
    const host = hostOf(grove).replace('acme', 'other');
    await refuses(owner.call(KEYS, { headers: { Host: host, Origin: `http://${host}` } }), 100210);
  });

  it('100218: a sign-in is refused with an unknown passkey, of another origin, or without user verification', async () => {
    const stranger = authenticator({ origin: `http://${hostOf(grove)}` });
    stranger.create({ rp: { id: 'acme.fir.localhost' }, user: { id: 'eA' }, challenge: 'eA' });
    await refuses(signIn(grove, stranger), 100218);
    await refuses(signIn(grove, owner.device, { origin: 'http://evil.fir.localhost' }), 100218);
    await refuses(signIn(grove, owner.device, { faults: { flags: 1 } }), 100218);
    owner = await again(owner);
  });

  it('100035: a sign-in challenge works once, and only for its kind', async () => {
    const started = await browse(grove, '/api/console/signIn/start', { body: {} });
    const { ceremonyId, publicKey } = started.body;
    const body = { ceremonyId, credential: owner.device.get(publicKey) };
    assert.equal((await browse(grove, '/api/console/signIn/complete', { body })).status, 200);
    await refuses(browse(grove, '/api/console/signIn/complete', { body }), 100035);
    const other = await owner.call('/api/console/confirmation/start', { body: {} });
    const crossed = { ceremonyId: other.body.ceremonyId, credential: owner.device.get(other.body.publicKey) };
    await refuses(browse(grove, '/api/console/signIn/complete', { body: crossed }), 100035);
    const late = await browse(grove, '/api/console/signIn/start', { body: {} });
    const credential = owner.device.get(late.body.publicKey);
    grove.clock.advance(5 * MINUTE);
    const expired = { ceremonyId: late.body.ceremonyId, credential };
    await refuses(browse(grove, '/api/console/signIn/complete', { body: expired }), 100035);
  });

  it('100216: five failures lock the operator for a quarter of an hour, even with the right passkey', async () => {
    owner = await again(owner);
    const person = await invitePerson(grove, owner, 'Auditor', 'Lou Locked');
    const wrong = { signature: () => Buffer.alloc(70, 1) };
    for (let at = 0; at < 4; at += 1) await refuses(signIn(grove, person.device, { faults: wrong }), 100218);
    await refuses(signIn(grove, person.device, { faults: wrong }), 100216);
    await refuses(signIn(grove, person.device), 100216);
    const { body } = await owner.call(`${OPERATORS}/${person.id}`);
    assert.ok(body.lockedUntilDtm);
    const locked = await owner.call(`/api/process-manager/auditEvents?action=operator.locked`);
    assert.equal(locked.body.content[0].operatorId, person.id);
    assert.equal((await owner.call(`${OPERATORS}/${person.id}`, { body: { unlock: true } })).status, 200);
    assert.equal((await signIn(grove, person.device)).status, 200);
    for (let at = 0; at < 5; at += 1) await signIn(grove, person.device, { faults: wrong });
    grove.clock.advance(15 * MINUTE);
    assert.equal((await signIn(grove, person.device)).status, 200);
  });

  it('100216: a lock that was set while the clock was ahead ends once the clock is corrected', async () => {
    owner = await again(owner);
    const person = await invitePerson(grove, owner, 'Auditor', 'Tess Ahead');
    const right = grove.clock.now();
    grove.clock.advance(300 * 24 * 60 * MINUTE);
    const wrong = { signature: () => Buffer.alloc(70, 1) };
    for (const code of [100218, 100218, 100218, 100218, 100216]) {
      await refuses(signIn(grove, person.device, { faults: wrong }), code);
    }
    await refuses(signIn(grove, person.device), 100216);
    grove.clock.set(right);
    assert.equal((await signIn(grove, person.device)).status, 200);
  });

  it('operators see the version and the queues of their own tenant, and nothing of another', async () => {
    const health = async (call: Person['call']) => (await call('/api/operator-manager/health')).body;
    const before = await health(owner.call);
    assert.match(before.version, /^\d+\.\d+\.\d+/);
    assert.equal(before.region, 'fir');
    const other = await grove.app.tenants.create({ id: 'queueful' });
    const webhook = { name: 'crm', uri: 'https://hooks.example.com/x', events: ['*'] };
    const add = async (token: string) => {
      const init = { method: 'POST', token, body: JSON.stringify(webhook) };
      const { body } = await grove.call('/api/notification-service/webhooks', init);
      await grove.call(`/api/notification-service/webhooks/${body.id}/test`, { method: 'POST', token, body: '{}' });
      return body.id;
    };
    await add(await grove.token(other.apiKey));
    assert.equal((await health(owner.call)).webhookDeliveries.waiting, before.webhookDeliveries.waiting);
    assert.equal((await owner.call('/api/operator-manager/health', { cookie: null })).status, 401);
  });

  it('100211: a destructive action needs a passkey that was used within ten minutes', async () => {
    owner = await again(owner);
    grove.clock.advance(10 * MINUTE);
    await refuses(owner.call(KEYS, { body: { name: 'too late' } }), 100211);
    assert.equal((await owner.call(KEYS)).status, 200);
    assert.equal((await confirm(owner)).status, 200);
    assert.equal((await owner.call(KEYS, { body: { name: 'confirmed' } })).status, 201);
  });

  it('100210, 100211: a clock that was ahead and is corrected makes no session longer, and no confirmation more recent', async () => {
    owner = await again(owner);
    const right = grove.clock.now();
    grove.clock.advance(5 * HOUR);
    const ahead = await again(owner);
    grove.clock.set(right);
    await refuses(ahead.call(SESSION), 100210);
    grove.clock.advance(5 * HOUR - 4 * MINUTE);
    assert.equal((await ahead.call(SESSION)).status, 200);
    grove.clock.set(right);
    owner = await again(owner);
    // The session began at the right time, but its passkey was used while the clock was ahead.
    grove.clock.advance(25 * MINUTE);
    assert.equal((await confirm(owner)).status, 200);
    grove.clock.set(right);
    assert.equal((await owner.call(KEYS)).status, 200);
    await refuses(owner.call(KEYS, { body: { name: 'confirmed in 25 minutes' } }), 100211);
    owner = await again(owner);
  });

  it('100015: an operator can neither give a role with more permissions than their own, nor change an operator who has more', async () => {
    owner = await again(owner);
    const admin = await invitePerson(grove, owner, 'Administrator');
    const invite = (role: string) =>
      admin.call(OPERATORS, { body: { name: 'New', email: `new-${role}@acme.com`.toLowerCase(), role } });
    await refuses(invite('Owner'), 100015);
    assert.equal((await invite('Reviewer')).status, 201);
    await refuses(admin.call(`${OPERATORS}/${admin.id}`, { body: { role: 'Owner' } }), 100015);
    await refuses(admin.call(`${OPERATORS}/${owner.id}`, { body: { status: 'SUSPENDED' } }), 100015);
    await refuses(admin.call(`${OPERATORS}/${owner.id}/reset`, { body: {} }), 100015);
    await refuses(admin.call(`${OPERATORS}/${owner.id}/sessions`, { method: 'DELETE' }), 100015);
    await refuses(admin.call(`${OPERATORS}/${owner.id}`, { method: 'DELETE' }), 100015);
    await refuses(admin.call(ROLES, { body: { name: 'All', permissions: ['TNT#acme#*'] } }), 100015);
    await refuses(admin.call(KEYS, { body: { name: 'all', permissions: ['TNT#acme#*'] } }), 100015);
    await refuses(admin.call(ROLES, { body: { name: 'x', permissions: ['TNT#other#ProcessManager:*'] } }), 100001);
    const tester = await invitePerson(grove, owner, 'Tester', 'Tess Tester');
    await refuses(tester.call(OPERATORS, { body: { name: 'N', email: 'n@n.n', role: 'Owner' } }), 7);
  });

  it('100015: a role cannot be extended by an operator who has it', async () => {
    await stillFresh();
    const permissions = ['TNT#acme#OperatorManager:*', 'TNT#acme#ProcessManager:listReviews'];
    assert.equal((await owner.call(ROLES, { body: { name: 'Lead', permissions } })).status, 201);
    const lead = await invitePerson(grove, owner, 'Lead');
    const wider = { permissions: [...permissions, 'TNT#acme#ProcessManager:approveReview'] };
    await refuses(lead.call(`${ROLES}/Lead`, { body: wider }), 100015);
    const changed = await lead.call(`${ROLES}/Lead`, { body: { permissions: permissions.slice(0, 1) } });
    assert.deepEqual(changed.body.permissions, permissions.slice(0, 1));
    await refuses(lead.call('/api/process-manager/reviews'), 7);
  });

  it('100212: the last owner cannot be removed, suspended or given another role', async () => {
    await stillFresh();
    const path = `${OPERATORS}/${owner.id}`;
    await refuses(owner.call(path, { method: 'DELETE' }), 100212);
    await refuses(owner.call(path, { body: { status: 'SUSPENDED' } }), 100212);
    await refuses(owner.call(path, { body: { role: 'Auditor' } }), 100212);
    const second = await invitePerson(grove, owner, 'Owner', 'Oscar Owner');
    assert.equal((await owner.call(`${OPERATORS}/${second.id}`, { body: { role: 'Auditor' } })).status, 200);
    assert.equal((await second.call(SESSION)).body.operator.role, 'Auditor');
    await refuses(second.call(KEYS, { body: { name: 'as an owner' } }), 7);
  });

  it('100213: a suspended operator loses every session at once, and cannot sign in or use a link', async () => {
    await stillFresh();
    const person = await invitePerson(grove, owner, 'Developer');
    const path = `${OPERATORS}/${person.id}`;
    assert.equal((await owner.call(path, { body: { status: 'SUSPENDED' } })).body.status, 'SUSPENDED');
    await refuses(person.call(SESSION), 100210);
    await refuses(signIn(grove, person.device), 100218);
    assert.equal((await owner.call(path, { body: { status: 'ACTIVE' } })).body.status, 'ACTIVE');
    assert.equal((await signIn(grove, person.device)).status, 200);
    assert.equal((await owner.call(path, { method: 'DELETE' })).status, 204);
    await refuses(signIn(grove, person.device), 100218);
    await refuses(owner.call(path), 100213);
  });

  it('100214 100215 100014: a role has a unique name, is found by it, and cannot be deleted while an operator has it', async () => {
    await stillFresh();
    await refuses(owner.call(`${ROLES}/Owner`, { body: { description: 'x' } }), 100214);
    await refuses(owner.call(OPERATORS, { body: { name: 'N', email: 'n@n.n', role: 'Nothing' } }), 100214);
    await refuses(owner.call(`${ROLES}/Lead`, { method: 'DELETE' }), 100215);
    await refuses(owner.call(ROLES, { body: { name: 'owner' } }), 100014);
    await refuses(owner.call(ROLES, { body: { name: 'LEAD' } }), 100014);
    // No address can contain such names, so nobody could change or delete the role.
    for (const name of ['.', '..']) await refuses(owner.call(ROLES, { body: { name } }), 100001);
    await refuses(owner.call(OPERATORS, { body: { name: 'N', email: 'OLGA@acme.com', role: 'Auditor' } }), 100014);
    assert.equal((await owner.call(ROLES, { body: { name: 'Short-lived' } })).status, 201);
    assert.equal((await owner.call(`${ROLES}/Short-lived`, { method: 'DELETE' })).status, 204);
    const { body } = await owner.call(ROLES);
    const names = body.roles.map(({ name }: { name: string }) => name);
    assert.deepEqual(names, ['Owner', 'Administrator', 'Developer', 'Reviewer', 'Auditor', 'Lead', 'Tester']);
    const list = await owner.call(`${OPERATORS}?name=olga%25`);
    assert.deepEqual([list.body.totalElements, list.body.content[0].id], [1, owner.id]);
  });

  it('100351: a role cannot be changed by an operator who has read an older version', async () => {
    const readByTwo = await owner.call(ROLES, { body: { name: 'Read by two', permissions: [] } });
    const { lastUpdatedDtm } = readByTwo.body;
    const path = `${ROLES}/Read%20by%20two?ifLastUpdatedDtm=${encodeURIComponent(lastUpdatedDtm)}`;
    grove.clock.advance(1000);
    assert.equal((await owner.call(path, { body: { description: 'first' } })).status, 200);
    const stale = await owner.call(path, { body: { description: 'second' } });
    assert.deepEqual([stale.status, stale.body.code], [409, 100351]);
    const { roles } = (await owner.call(ROLES)).body;
    const role = roles.find(({ name }: { name: string }) => name === 'Read by two');
    assert.equal(role.description, 'first');
    assert.equal(roles.find(({ name }: { name: string }) => name === 'Owner').lastUpdatedDtm, undefined);
  });

  it('100214 100215: a role that is assigned and deleted at once either still exists or is assigned to nobody', async () => {
    await stillFresh();
    for (let round = 0; round < 8; round++) {
      const name = `Short-lived ${round}`;
      assert.equal((await owner.call(ROLES, { body: { name, permissions: [] } })).status, 201);
      const [invited, deleted] = await Promise.all([
        owner.call(OPERATORS, { body: { name: 'Ida', email: `ida${round}@acme.com`, role: name } }),
        owner.call(`${ROLES}/${name}`, { method: 'DELETE' }),
      ]);
      const outcome = [invited.status, deleted.status];
      assert.ok(
        [
          [201, 409],
          [404, 204],
        ].some((each) => String(each) === String(outcome)),
        String(outcome),
      );
    }
  });

  it('100015: a test key can neither create nor change operators and roles, and sees no names, addresses or sessions', async () => {
    const { apiKey } = await grove.app.tenants.createApiKey('acme', { name: 'CI', environment: 'test' });
    const token = await grove.token(apiKey);
    const role = { name: 'of a test key', permissions: [], environments: ['test'] };
    for (const [path, body] of [
      [ROLES, role],
      [OPERATORS, { name: 'Eve', email: 'eve@evil.example', role: 'Auditor' }],
      [`${OPERATORS}/${owner.id}/sessions`, undefined],
      [OPERATORS, undefined],
      [`${OPERATORS}/${owner.id}`, undefined],
      ['/api/operator-manager/colleagues', undefined],
    ] as const) {
      const request = body ? { method: 'POST', body: JSON.stringify(body) } : {};
      const { status, body: answer } = await grove.call(path, { token, ...request });
      assert.deepEqual([status, answer.code], [403, 100015], path);
    }
    const inTest = { headers: { 'X-Grove-Environment': 'test' } };
    for (const path of [OPERATORS, '/api/operator-manager/colleagues']) {
      assert.equal((await owner.call(path, inTest)).status, 200, path);
    }
  });

  it('100001: an operator cannot have a name or an address that looks like that of another', async () => {
    await stillFresh();
    const grace = { name: 'Grace Gray', email: 'gray@acme.com', role: 'Auditor' };
    for (const changed of [
      { email: 'gray@acme.com\u200b' },
      { email: 'gr\u00aday@acme.com' },
      { email: 'gray\u200d@acme.com' },
      { name: 'Grace \u202eyarG' },
      { name: 'Grace Gray\u2060' },
      { name: 'Grace\u0085Gray' },
      { name: '\u200c' },
    ]) {
      await refuses(owner.call(OPERATORS, { body: { ...grace, ...changed } }), 100001);
    }
    const joined = await owner.call(OPERATORS, { body: { ...grace, name: 'می\u200cخواهم' } });
    assert.equal(joined.status, 201, joined.text);
    assert.equal((await owner.call(`${OPERATORS}/${joined.body.operator.id}`, { method: 'DELETE' })).status, 204);
  });

  it('100065: a tenant has a limited number of roles and operators', async () => {
    await stillFresh();
    const { body } = await owner.call(ROLES);
    const own = body.roles.filter(({ builtIn }: { builtIn: boolean }) => !builtIn).length;
    for (let at = own; at < MAX_ROLES; at += 1) {
      assert.equal((await owner.call(ROLES, { body: { name: `role ${at}`, permissions: [] } })).status, 201);
    }
    assert.equal((await owner.call(ROLES, { body: { name: 'one more', permissions: [] } })).body.code, 100065);
    await fillOperators(grove, owner);
    const invited = { name: 'One more', email: 'more@acme.com', role: 'Auditor' };
    assert.equal((await owner.call(OPERATORS, { body: invited })).body.code, 100065);
    await emptyOperators(grove);
  });

  it('100220: an operator adds passkeys and signs in with each, and the last one cannot be removed', async () => {
    await stillFresh();
    const { body: before } = await owner.call('/api/console/passkeys');
    await refuses(owner.call(`/api/console/passkeys/${before.passkeys[0].id}`, { method: 'DELETE' }), 100220);
    await refuses(owner.call(`/api/console/passkeys/${owner.id}`, { method: 'DELETE' }), 100031);
    const started = await owner.call('/api/console/passkeys/start', { body: {} });
    const device = authenticator({ origin: `http://${hostOf(grove)}` });
    const credential = device.create(started.body.publicKey);
    const body = { ceremonyId: started.body.ceremonyId, credential };
    const added = await owner.call('/api/console/passkeys/complete', { body });
    assert.equal(added.status, 200, added.text);
    await refuses(owner.call('/api/console/passkeys/complete', { body }), 100035);
    assert.equal((await signIn(grove, device)).status, 200);
    assert.equal((await owner.call(`/api/console/passkeys/${added.body.id}`, { method: 'DELETE' })).status, 204);
    await refuses(signIn(grove, device), 100218);
  });

  it('an API key cannot review in the name of an operator, and an operator only in their own name', async () => {
    const path = '/api/process-manager/reviews/01JZ4MCW8A0C2E4G6J8M0P2R4T/approve';
    const name = 'Olga Owner (olga@acme.com)';
    for (const reviewer of [name, `${name}\u200b`, `\u200e${name}.`, 'Olga Owner （olga@acme.com）']) {
      const body = JSON.stringify({ comment: 'ok', reviewer });
      await refuses(grove.call(path, { method: 'POST', body }), 100001);
    }
    await refuses(owner.call(path, { body: { comment: 'ok', reviewer: 'Somebody Else' } }), 100001);
    await refuses(owner.call(path, { body: { comment: 'ok' } }), 100022);
  });

  it('100038 100094: an operator has at most ten passkeys, and none twice', async () => {
    await stillFresh();
    const add = async (device: ReturnType<typeof authenticator>) => {
      const started = await owner.call('/api/console/passkeys/start', { body: {} });
      if (started.status !== 200) return started;
      const credential = device.create(started.body.publicKey);
      return owner.call('/api/console/passkeys/complete', {
        body: { ceremonyId: started.body.ceremonyId, credential },
      });
    };
    const newDevice = () => authenticator({ origin: `http://${hostOf(grove)}` });
    const twice = newDevice();
    assert.equal((await add(twice)).status, 200);
    await refuses(add(twice), 100094);
    for (let at = 2; at < 10; at += 1) assert.equal((await add(newDevice())).status, 200);
    await refuses(add(newDevice()), 100038);
  });
});
