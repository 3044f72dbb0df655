import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { addressesOf, type ListedOperation, operations } from '@grove/contract';
import { type Authenticator, authenticator } from '../../test/authenticator/authenticator.ts';
import { openTestApp, type TestApp, testPlaces } from '../../test/harness.ts';
import { browse, codeIn, firstOwner, invitePerson, originOf, type Person } from '../../test/operators.ts';
import { MINUTE } from '../kernel/clock.ts';
import { asTenantId } from '../kernel/ids.ts';

const NOBODY = '01JZ4MCW8A0C2E4G6J8M0P2R4T';
/** The options for an authenticator, without a ceremony. */
const PUBLIC_KEY = { rp: { id: 'acme.fir.localhost' }, user: { id: 'eA' }, challenge: 'eA' };
/** The time after the use of a passkey in which an operator may do something destructive. */
const FRESH_MS = 10 * MINUTE;

/** The refusals that all operations for operators share, tested for each. */
describe('every operation for operators', () => {
  const places = testPlaces();
  let grove: TestApp;
  let owner: Person;
  before(async () => {
    grove = await openTestApp(await places.create());
    owner = await firstOwner(grove);
    grove.clock.advance(FRESH_MS);
  });
  after(() => grove.stop());

  const naming = (code: number) =>
    operations().filter(({ operation: { method, codes = [] } }) => method !== 'GET' && codes.includes(code as never));
  const urlsOf = ({ operation }: ListedOperation) =>
    addressesOf(operation).map(({ path }) => path.replace(/\{\w+\}/g, NOBODY));

  const sentTo = ({ operation: { method } }: ListedOperation) => ({ method, ...(method === 'POST' && { body: {} }) });

  for (const each of naming(100067).filter(({ operation }) => operation.path.startsWith('/api/console/'))) {
    it(`100067: ${each.id} is refused for a request of another site`, async () => {
      for (const url of urlsOf(each)) {
        const headers = { Origin: 'https://evil.example' };
        const { status, body } = await browse(grove, url, { ...sentTo(each), headers, cookie: owner.cookie });
        assert.deepEqual([status, body.code], [403, 100067], url);
      }
    });
  }

  for (const each of naming(100211)) {
    it(`100211: ${each.id} needs a passkey that was used within ten minutes`, async () => {
      for (const url of urlsOf(each)) {
        const { status, body } = await owner.call(url, sentTo(each));
        assert.deepEqual([status, body.code], [403, 100211], url);
      }
    });
  }
});

/** Codes with a reason of their own: each operation that declares one must answer it. */
describe('the console without a proper session', () => {
  const places = testPlaces();
  let grove: TestApp;
  let owner: Person;
  before(async () => {
    grove = await openTestApp(await places.create());
    owner = await firstOwner(grove);
  });
  after(() => grove.stop());

  const CONSOLE = '/api/console';
  const OPERATORS = '/api/operator-manager/operators';
  const ROLES = '/api/operator-manager/roles';
  const newDevice = () => authenticator({ origin: originOf(grove) });
  const codeOf = async (answer: ReturnType<typeof browse>) => (await answer).body?.code;
  const accept = (body: object) => browse(grove, `${CONSOLE}/invitation/accept`, { body });
  /** An unused link, with a ceremony under way. */
  const invitation = async (device: Authenticator = newDevice()) => {
    invited += 1;
    const body = { name: 'Ida', email: `ida${invited}@acme.com`, role: 'Auditor' };
    const code = codeIn((await owner.call(OPERATORS, { body })).body.url);
    const { ceremonyId, publicKey } = (await browse(grove, `${CONSOLE}/invitation/open`, { body: { code } })).body;
    return { code, ceremonyId, credential: device.create(publicKey), operator: body };
  };
  let invited = 0;
  /** Starts a ceremony to add a passkey or to use one again. */
  const beginCeremony = async (tail: 'passkeys' | 'confirmation', person = owner) => {
    const { ceremonyId, publicKey } = (await person.call(`${CONSOLE}/${tail}/start`, { body: {} })).body;
    return { ceremonyId, publicKey };
  };
  const complete = (tail: 'passkeys' | 'confirmation', body: object, person = owner) =>
    person.call(`${CONSOLE}/${tail}/complete`, { body });

  for (const { id, operation } of operations().filter(({ operation: { codes = [] } }) => codes.includes(100210))) {
    it(`100210: ${id} is refused without a session`, async () => {
      const url = operation.path.replace(/\{\w+\}/g, NOBODY);
      const { method } = operation;
      const answer = await browse(grove, url, { method, ...(method === 'POST' && { body: {} }) });
      assert.deepEqual([answer.status, answer.body.code], [401, 100210]);
    });
  }

  it('100217: nobody can sign in or join except at the address of the tenant', async () => {
    const headers = { Host: new URL(grove.baseUrl).host, Origin: grove.baseUrl };
    const completion = { ceremonyId: NOBODY, credential: newDevice().create(PUBLIC_KEY) };
    for (const [path, body] of [
      ['signIn/start', {}],
      ['signIn/complete', completion],
      ['invitation/open', { code: 'x' }],
      ['invitation/accept', { code: 'x', ...completion }],
      ['singleSignOn/complete', { query: '?code=x' }],
      ['signIn/email/start', { email: 'a@acme.com' }],
      ['signIn/email/open', { code: 'x' }],
      ['signIn/email/complete', { ceremonyId: NOBODY, code: '000000' }],
    ] as const) {
      const answer = await browse(grove, `${CONSOLE}/${path}`, { body, headers });
      assert.deepEqual([answer.status, answer.body.code], [421, 100217], path);
    }
  });

  it('100219: an unknown invitation code is refused', async () => {
    const { code: _, operator: __, ...answer } = await invitation();
    assert.equal(await codeOf(accept({ ...answer, code: 'x'.repeat(43) })), 100219);
  });

  it('100035: an unknown ceremony cannot be completed', async () => {
    const { operator: _, ...answer } = await invitation();
    assert.equal(await codeOf(accept({ ...answer, ceremonyId: NOBODY })), 100035);
    const { publicKey } = await beginCeremony('confirmation');
    const credential = owner.device.get(publicKey);
    assert.equal(await codeOf(complete('confirmation', { ceremonyId: NOBODY, credential })), 100035);
    const passkey = newDevice().create((await beginCeremony('passkeys')).publicKey);
    assert.equal(await codeOf(complete('passkeys', { ceremonyId: NOBODY, credential: passkey })), 100035);
  });

  it('100218: a passkey of another origin cannot be used to join, cannot be added, and does not confirm', async () => {
    const elsewhere = () => authenticator({ origin: 'https://evil.example' });
    const { operator: _, ...answer } = await invitation(elsewhere());
    assert.equal(await codeOf(accept(answer)), 100218);
    const adding = await beginCeremony('passkeys');
    const credential = elsewhere().create(adding.publicKey);
    assert.equal(await codeOf(complete('passkeys', { ceremonyId: adding.ceremonyId, credential })), 100218);
    const { ceremonyId, publicKey } = await beginCeremony('confirmation');
    const wrong = owner.device.get(publicKey, { clientData: { origin: 'https://evil.example' } });
    assert.equal(await codeOf(complete('confirmation', { ceremonyId, credential: wrong })), 100218);
  });

  it('100094 100014: joining needs an unused passkey and an unused e-mail address', async () => {
    const { operator: _, ...answer } = await invitation(owner.device.clone());
    const refusal = await accept(answer);
    assert.deepEqual([refusal.status, refusal.body.code], [409, 100094], refusal.text);
    const link = await grove.app.operators.invite(asTenantId('acme'), { name: 'New', email: '', role: 'Auditor' });
    const code = codeIn(link.url);
    const { ceremonyId, publicKey } = (await browse(grove, `${CONSOLE}/invitation/open`, { body: { code } })).body;
    const credential = newDevice().create(publicKey);
    const emailRefusal = await accept({ code, ceremonyId, credential, email: 'OLGA@acme.com' });
    assert.deepEqual([emailRefusal.status, emailRefusal.body.code], [409, 100014], emailRefusal.text);
  });

  it('100216: five failed confirmations lock the operator', async () => {
    const person = await invitePerson(grove, owner, 'Auditor', 'Lou Locked');
    const codes: number[] = [];
    for (let at = 0; at < 5; at += 1) {
      const { ceremonyId, publicKey } = await beginCeremony('confirmation', person);
      const credential = person.device.get(publicKey, { signature: () => Buffer.alloc(70, 1) });
      codes.push(await codeOf(complete('confirmation', { ceremonyId, credential }, person)));
    }
    assert.deepEqual(codes, [100218, 100218, 100218, 100218, 100216]);
  });

  it('100213 100214: an operator or a role that does not exist can be neither changed nor removed', async () => {
    const nobody = `${OPERATORS}/${NOBODY}`;
    const requests: [string, { method?: string; body?: object }][] = [
      [nobody, { body: { status: 'ACTIVE' } }],
      [nobody, { method: 'DELETE' }],
      [`${nobody}/reset`, { body: {} }],
      [`${nobody}/sessions`, {}],
      [`${nobody}/sessions`, { method: 'DELETE' }],
    ];
    for (const [path, request] of requests) assert.equal(await codeOf(owner.call(path, request)), 100213, path);
    const { id } = await invitePerson(grove, owner, 'Auditor', 'Ada Auditor');
    assert.equal(await codeOf(owner.call(`${OPERATORS}/${id}`, { body: { role: 'Nothing' } })), 100214);
    assert.equal(await codeOf(owner.call(`${ROLES}/Nothing`, { method: 'DELETE' })), 100214);
  });

  it('264: a permission of a role must begin with TNT#', async () => {
    const permissions = ['SYS#acme#ProcessManager:*'];
    assert.equal(await codeOf(owner.call(ROLES, { body: { name: 'Wide', permissions } })), 264);
    assert.equal((await owner.call(ROLES, { body: { name: 'Narrow', permissions: [] } })).status, 201);
    assert.equal(await codeOf(owner.call(`${ROLES}/Narrow`, { body: { permissions } })), 264);
  });

  it('100038: an operator has at most ten passkeys, even if another was started before the tenth', async () => {
    const person = await invitePerson(grove, owner, 'Auditor', 'Kim Keys');
    const add = async () => {
      const { ceremonyId, publicKey } = await beginCeremony('passkeys', person);
      return { ceremonyId, credential: newDevice().create(publicKey) };
    };
    const late = await add();
    for (let at = 1; at < 10; at += 1) assert.equal((await complete('passkeys', await add(), person)).status, 200);
    assert.equal(await codeOf(complete('passkeys', late, person)), 100038);
    assert.equal(await codeOf(person.call(`${CONSOLE}/passkeys/start`, { body: {} })), 100038);
  });
});
