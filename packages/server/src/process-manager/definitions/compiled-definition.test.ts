import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { onBothEngines, openTestApp, type TestApp } from '../../../test/harness.ts';
import { asTenantId } from '../../kernel/ids.ts';
import { compiledDefinition, compiledOf, findCompiled } from './compiled-definition.ts';
import { findDefinition, setStatus } from './definitions.repository.ts';

const documentOf = (name: string, retentionDays: number) => ({
  name,
  retentionDays,
  steps: [
    { id: 'consent', type: 'consent' },
    { id: 'decide', type: 'decision' },
  ],
});

onBothEngines('the cache of compiled definitions', (_engine, places) => {
  let grove: TestApp;
  before(async () => {
    grove = await openTestApp(await places.create());
  });
  after(() => grove.stop());

  const db = () => grove.app.db.of(asTenantId(grove.tenantId));
  const create = async (name: string) =>
    (await grove.client.processDefinitions.create({ body: documentOf(name, 7) })).id;
  const change = (id: string, name: string) =>
    grove.client.processDefinitions.update({ processDefinitionId: id, body: documentOf(name, 9) });

  it('the cache of compiled definitions compiles an editable version anew at each use', async () => {
    const id = await create('draft');
    assert.equal((await findCompiled(db(), id))?.definition.retentionDays, 7);
    await change(id, 'draft');
    assert.equal((await findCompiled(db(), id))?.definition.retentionDays, 9);
  });

  it('the cache of compiled definitions compiles a deployed version once, and does not cache its status', async () => {
    const id = await create('deployed');
    await grove.client.processDefinitions.deploy({ processDefinitionId: id });
    const compiled = await compiledDefinition(db(), id);
    await grove.client.processDefinitions.archive({ processDefinitionId: id });
    const row = await findDefinition(db(), { id });
    assert.equal(row?.status, 'ARCHIVED');
    assert.equal(compiledOf(db(), row), compiled);
    assert.equal('status' in compiled, false);
  });

  it('the cache of compiled definitions drops a version whose deployment was rolled back', async () => {
    const id = await create('rolled-back');
    const rollingBack = db().write(async (tx) => {
      const row = await findDefinition(tx, { id });
      assert.ok(row);
      await setStatus(tx, { ...row, status: 'DEPLOYED_ACTIVE', deployed_at: grove.clock.now() });
      await compiledDefinition(tx, id);
      throw new Error('not this time');
    });
    await assert.rejects(rollingBack, /not this time/);
    await change(id, 'rolled-back');
    assert.equal((await compiledDefinition(db(), id)).definition.retentionDays, 9);
  });

  it('the cache of compiled definitions refuses a token with 100047 as soon as its cached definition is archived', async () => {
    const id = await create('archived');
    await grove.client.processDefinitions.deploy({ processDefinitionId: id });
    const token = { name: 'archived', type: 'UNLIMITED' as const, processDefnName: 'archived', processDefnVersion: 1 };
    const { id: pt } = await grove.client.processTokens.create({ body: token });
    await grove.client.processInstances.create({ query: { pt } });
    await grove.client.processDefinitions.archive({ processDefinitionId: id });
    await assert.rejects(
      () => grove.client.processInstances.create({ query: { pt } }),
      (error: { code?: number }) => error.code === 100047,
    );
  });

  it('the cache of compiled definitions finds nothing for a version that does not exist', async () => {
    assert.equal(await findCompiled(db(), 'missing'), undefined);
    await assert.rejects(compiledDefinition(db(), 'missing'), /is gone/);
  });
});
