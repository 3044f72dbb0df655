import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { addressesOf, operations } from '@grove/contract';
import { openTestApp, type TestApp, testPlaces } from '../../test/harness.ts';
import { browse, firstOwner, invitePerson, type Person } from '../../test/operators.ts';
import { BUILT_IN_ROLES } from './built-in-roles.ts';

const NOBODY = '01JZ4MCW8A0C2E4G6J8M0P2R4T';
/** The operations that the screens of the console read: every GET of the contract. 404 does not count as a refusal. */
const READS = operations().flatMap(({ id, operation }) => {
  const { method, permission } = operation;
  const path = addressesOf(operation)[0]?.path.replaceAll(/\{\w+\}/g, NOBODY);
  // Operations about all tenants need a grant besides the role: installation.test.ts.
  const isOfTenant = path !== undefined && !path.startsWith('/api/installation-manager/') && !path.endsWith('/stream');
  const isRead = method === 'GET' && permission !== undefined && isOfTenant;
  return isRead ? [{ id, path, permission: permission as string }] : [];
});
const REFUSALS: readonly number[] = [401, 403, 421];
const OWN = ['ProcessManager:listReviews', 'ProcessManager:getProcessInstance'];

type Caller = { name: string; holds(permission: string): boolean; ask(path: string): Promise<{ status: number }> };

/** Twelve kinds of callers request everything that a screen shows. */
describe('the screens of the console', () => {
  const places = testPlaces();
  let grove: TestApp;
  let owner: Person;
  const callers: Caller[] = [];
  before(async () => {
    grove = await openTestApp(await places.create());
    owner = await firstOwner(grove);
    const none = () => false;
    const person = (name: string, { call }: Person, permissions: readonly string[]): Caller => ({
      name,
      holds: (permission) => permissions.some((each) => covers(each, permission)),
      ask: (path) => call(path),
    });
    const roleOf = (name: string) => BUILT_IN_ROLES.find((role) => role.name === name)?.permissions ?? [];
    callers.push(person('Owner', owner, roleOf('Owner')));
    for (const name of ['Administrator', 'Developer', 'Reviewer', 'Auditor']) {
      callers.push(person(name, await invitePerson(grove, owner, name), roleOf(name)));
    }
    const permissions = OWN.map((each) => `TNT#acme#${each}`);
    const role = await owner.call('/api/operator-manager/roles', { body: { name: 'No images', permissions } });
    assert.equal(role.status, 201, role.text);
    callers.push(person('a role of the tenant', await invitePerson(grove, owner, 'No images'), OWN));
    const suspended = await invitePerson(grove, owner, 'Administrator', 'Sue Suspended');
    const body = { status: 'SUSPENDED' };
    assert.equal((await owner.call(`/api/operator-manager/operators/${suspended.id}`, { body })).status, 200);
    callers.push({ name: 'somebody who is suspended', holds: none, ask: (path) => suspended.call(path) });
    const cookie = `${owner.cookie.slice(0, -1)}${owner.cookie.endsWith('A') ? 'B' : 'A'}`;
    callers.push({ name: 'a forged cookie', holds: none, ask: (path) => owner.call(path, { cookie }) });
    callers.push({ name: 'nobody', holds: none, ask: (path) => browse(grove, path) });
    const foreign = { 'Sec-Fetch-Site': 'cross-site', Origin: 'https://evil.example' };
    callers.push({
      name: 'a page of somebody else, with the cookie of the owner',
      holds: none,
      ask: (path) => owner.call(path, { headers: foreign }),
    });
    const creation = await owner.call('/api/arthr/apiKeys', {
      body: { name: 'few', permissions, environment: 'live' },
    });
    assert.equal(creation.status, 201, creation.text);
    const few = await grove.token(creation.body.code);
    const isFew = (permission: string) => OWN.includes(permission);
    callers.push({
      name: 'an API key with two permissions',
      holds: isFew,
      ask: (path) => grove.call(path, { token: few }),
    });
    const other = await grove.app.tenants.create({ id: 'rival', name: 'Rival' });
    callers.push({
      name: 'a key of another tenant, at this address',
      holds: none,
      ask: async (path) =>
        browse(grove, path, { headers: { Authorization: `Bearer ${await grove.token(other.apiKey)}` } }),
    });
  });
  after(() => grove.stop());

  it('the reads of the console refuse each kind of caller exactly what it may not see', async () => {
    assert.equal(callers.length, 12);
    assert.ok(READS.length > 50);
    const faults: string[] = [];
    for (const { name, holds, ask } of callers) {
      for (const { id, path, permission } of READS) {
        const { status } = await ask(path);
        if (REFUSALS.includes(status) === holds(permission)) faults.push(`${name}: ${id} answered ${status}`);
      }
    }
    assert.deepEqual(faults, []);
  });
});

function covers(pattern: string, permission: string): boolean {
  return (
    pattern === '*' || pattern === permission || (pattern.endsWith('*') && permission.startsWith(pattern.slice(0, -1)))
  );
}
