import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { onBothEngines, openTestApp, type TestApp } from '../../../test/harness.ts';
import { confirm, firstOwner, invitePerson, joinByLink, type Person } from '../../../test/operators.ts';
import { asTenantId, newId } from '../../kernel/ids.ts';

const TENANTS = '/api/installation-manager/tenants';
const QUEUES = '/api/installation-manager/queues';

onBothEngines('operators of the installation', (_engine, places) => {
  let grove: TestApp;
  let owner: Person;
  const acme = asTenantId('acme');
  before(async () => {
    grove = await openTestApp(await places.create());
    owner = await firstOwner(grove);
  });
  after(() => grove.stop());
  const codeOf = async (answer: Promise<{ body: { code?: number } }>) => (await answer).body?.code;
  const idsOf = async (query = '') =>
    (await owner.call(`${TENANTS}${query}`)).body.content.map(({ id }: { id: string }) => id);

  it('100352: an owner is not an operator of the installation until it is granted on the machine, and an API key never is', async () => {
    for (const path of [TENANTS, QUEUES]) {
      assert.equal(await codeOf(owner.call(path)), 100352);
      assert.equal(await codeOf(grove.call(path)), 100352);
    }
    await confirm(owner);
    assert.equal(await codeOf(owner.call(TENANTS, { body: { id: 'sneaky' } })), 100352);
    assert.equal((await owner.call('/api/console/session')).body.ofInstallation, false);
    await grove.app.operators.setInstallation(acme, owner.id, true);
    assert.equal((await owner.call('/api/console/session')).body.ofInstallation, true);
    assert.deepEqual(await idsOf(), ['acme']);
    assert.equal(await codeOf(grove.call(TENANTS)), 100352, 'the API key is still none');
  });

  it('100014: operators of the installation create a tenant, whose first owner joins by the link, and no second one with the same id', async () => {
    await confirm(owner);
    const creation = await owner.call(TENANTS, { body: { id: 'globex', name: 'Globex' } });
    assert.equal(creation.status, 201, creation.text);
    assert.deepEqual(
      [creation.body.tenant.id, creation.body.tenant.name, creation.body.tenant.status],
      ['globex', 'Globex', 'ACTIVE'],
    );
    assert.match(creation.body.ownerUrl, /^http:\/\/globex\.fir\.localhost:\d+\/console\/#invite=/);
    assert.ok(await grove.token(creation.body.apiKey));
    assert.equal(await codeOf(owner.call(TENANTS, { body: { id: 'globex' } })), 100014);
    assert.equal(await codeOf(owner.call(TENANTS, { body: { id: 'Not An Id' } })), 100001);
    assert.deepEqual(await idsOf('?name=GLO%25'), ['globex']);
  });

  it('operators of the installation create one tenant, and get its keys again, if they repeat a request with an Idempotency-Key', async () => {
    await confirm(owner);
    const make = () =>
      owner.call(TENANTS, { body: { id: 'initech' }, headers: { 'Idempotency-Key': 'a key of this test' } });
    const once = { ...(await owner.call(TENANTS, { body: { id: 'hooli' }, headers: { 'Idempotency-Key': 'k-1' } })) };
    assert.equal(once.status, 201, once.text);
    const again = await owner.call(TENANTS, { body: { id: 'hooli' }, headers: { 'Idempotency-Key': 'k-1' } });
    assert.deepEqual([again.status, again.body], [201, once.body]);
    assert.equal(again.headers.get('idempotent-replayed'), 'true');
    assert.equal((await make()).body.code, 100001, 'a key has no spaces, and nothing is made');
    assert.deepEqual(await idsOf('?name=initech'), []);
  });

  it('100353 100354: operators of the installation suspend and resume another tenant, not their own, and both audit logs name them', async () => {
    await confirm(owner);
    const act = (id: string, what: string) => owner.call(`${TENANTS}/${id}/${what}`, { body: {} });
    assert.equal((await act('globex', 'suspend')).body.status, 'SUSPENDED');
    assert.equal((await act('globex', 'resume')).body.status, 'ACTIVE');
    for (const what of ['suspend', 'resume']) {
      assert.equal(await codeOf(act('acme', what)), 100354);
      assert.equal(await codeOf(act('nobody-here', what)), 100353);
    }
    const actorsIn = async (call: (path: string) => Promise<{ body: { content: { actor: string }[] } }>) =>
      (await call('/api/process-manager/auditEvents?action=tenant.suspended')).body.content.map(({ actor }) => actor);
    assert.deepEqual(await actorsIn(owner.call), ['Olga Owner (olga@acme.com)']);
    const { apiKey } = await grove.app.tenants.createApiKey('globex', { name: 'reader' });
    const token = await grove.token(apiKey);
    assert.deepEqual(await actorsIn((path) => grove.call(path, { token })), ['Olga Owner (olga@acme.com)']);
  });

  it('100355: operators of the installation see the queues without payloads, and try again only what was given up', async () => {
    const queues = await owner.call(QUEUES);
    assert.equal(queues.status, 200, queues.text);
    assert.match(queues.body.version, /^\d/);
    assert.doesNotMatch(queues.text, /payload/);
    const retry = (id: string) => owner.call(`/api/installation-manager/jobs/${id}/retry`, { body: {} });
    assert.equal(await codeOf(retry('01JZ4MCW8A0C2E4G6J8M0P2R4T')), 100355);
    const deadJob = newId(grove.clock.now());
    const text = `INSERT INTO jobs (id, kind, payload, state, attempts, max_attempts, run_at, lease_until, created_at, last_error)
      VALUES ($1, 'test.given-up', '{}', 'DEAD', 5, 5, 0, 0, 0, 'nobody answered')`;
    await grove.app.db.system.write((tx) => tx.run({ text }, [deadJob]));
    const { deadJobs } = (await owner.call(QUEUES)).body;
    assert.deepEqual(
      deadJobs.map(({ id, error }: { id: string; error: string }) => [id, error]),
      [[deadJob, 'nobody answered']],
    );
    assert.equal((await retry(deadJob)).status, 204);
    assert.deepEqual((await owner.call(QUEUES)).body.deadJobs, []);
  });

  it('operators of the installation are limited by their role, and lose the right if an operator of the tenant resets them', async () => {
    const auditor = await invitePerson(grove, owner, 'Auditor');
    await grove.app.operators.setInstallation(acme, auditor.id, true);
    assert.equal((await auditor.call(TENANTS)).status, 200);
    await confirm(auditor);
    assert.equal(await codeOf(auditor.call(TENANTS, { body: { id: 'more' } })), 7);
    await confirm(owner);
    const reset = await owner.call(`/api/operator-manager/operators/${auditor.id}/reset`, { body: {} });
    const operator = await joinByLink(grove, reset.body.url);
    assert.equal(operator.id, auditor.id);
    assert.equal(await codeOf(operator.call(TENANTS)), 100352, 'whoever has the link got nothing of the installation');
    await grove.app.operators.setInstallation(acme, owner.id, false);
    assert.equal(await codeOf(owner.call(TENANTS)), 100352, 'it ends at once');
  });
});
