import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import type { Client } from 'grove-idv-sdk';
import { onBothEngines, openTestApp, type TestApp } from '../../../test/harness.ts';
import { refuses } from '../../../test/refuses.ts';
import { unprepared } from '../../db/db.ts';
import { MINUTE, toDtm } from '../../kernel/clock.ts';

onBothEngines('tags of process definitions', (_engine, places) => {
  let grove: TestApp;
  let definitions: Client['processDefinitions'];
  before(async () => {
    grove = await openTestApp(await places.create());
    definitions = grove.client.processDefinitions;
  });
  after(() => grove.stop());

  let count = 0;
  const version = async ({ deploy = true } = {}) => {
    count += 1;
    const steps = [{ id: 'decide', type: 'decision' }];
    const { id } = await definitions.create({ body: { name: `tagged-${count}`, steps } });
    if (deploy) await definitions.deploy({ processDefinitionId: id });
    return { processDefinitionId: id };
  };
  const put = (on: { processDefinitionId: string }, name: string) => definitions.addTag({ ...on, body: { name } });
  const tagsOf = async (on: { processDefinitionId: string }) => (await definitions.get(on)).tags;

  it('a tag is added to a version, shown with it, and moved by adding it to another', async () => {
    const [one, other] = [await version(), await version()];
    const answer = await grove.call(`/api/process-manager/processDefinitions/${one.processDefinitionId}/tags`, {
      method: 'POST',
      body: '{"name":"Ünstable / 1"}',
    });
    assert.equal(answer.status, 201);
    assert.deepEqual(answer.body, {
      name: 'Ünstable / 1',
      ...one,
      processDefnName: 'tagged-1',
      processDefnVersion: 1,
      environment: 'live',
      createdDtm: toDtm(grove.clock.now()),
      createdBy: 'API Key: First key',
    });
    assert.deepEqual(await tagsOf(one), ['Ünstable / 1']);
    const listed = await definitions.list({ query: { name: 'tagged-1' } });
    assert.deepEqual(listed.content[0]?.tags, ['Ünstable / 1']);

    grove.clock.advance(MINUTE);
    // Adding a tag to its own version changes nothing.
    assert.deepEqual(await put(one, 'Ünstable / 1'), answer.body);
    const moved = await put(other, 'Ünstable / 1');
    assert.deepEqual(
      [moved.processDefinitionId, moved.createdDtm],
      [other.processDefinitionId, toDtm(grove.clock.now())],
    );
    assert.deepEqual([await tagsOf(one), await tagsOf(other)], [[], ['Ünstable / 1']]);
    await definitions.removeTag({ ...other, tagName: 'Ünstable / 1' });
    assert.deepEqual(await tagsOf(other), []);
  });

  it('a tag cannot be named . or .., which no address can contain', async () => {
    const { processDefinitionId } = await version();
    for (const name of ['.', '..']) {
      const { status, body } = await grove.call(`/api/process-manager/processDefinitions/${processDefinitionId}/tags`, {
        method: 'POST',
        body: JSON.stringify({ name }),
      });
      assert.deepEqual([status, body.code, body.errors[0].pointer], [400, 100001, '/name']);
    }
  });

  it('100047: a tag can be added only to a deployed version', async () => {
    const editable = await version({ deploy: false });
    await assert.rejects(put(editable, 'early'), refuses(100047, 400));
    const archived = await version();
    await definitions.archive(archived);
    await assert.rejects(put(archived, 'late'), refuses(100047, 400));
  });

  it('100063: a tag cannot be removed from a version that does not have it, and stays where it is', async () => {
    const [one, other] = [await version(), await version()];
    await put(one, 'mine');
    await assert.rejects(definitions.removeTag({ ...other, tagName: 'mine' }), refuses(100063, 404));
    await assert.rejects(definitions.removeTag({ ...one, tagName: 'Mine' }), refuses(100063, 404));
    assert.deepEqual(await tagsOf(one), ['mine']);
    await assert.rejects(put({ processDefinitionId: 'x' }, 'mine'), refuses(100023, 404));
    for (const name of ['', 'x'.repeat(51)]) await assert.rejects(put(one, name), refuses(100001, 400));
  });

  it('the list of tags shows the version of each, filters by name and sorts by every property', async () => {
    const on = await version();
    for (const name of ['list-b', 'list-A', 'list-c']) await put(on, name);
    const list = (query: object) => definitions.listTags({ query: { name: 'LIST-%', ...query } });
    const { content, totalElements } = await list({ sort: ['name,desc'], size: 2 });
    assert.deepEqual([content.map(({ name }) => name), totalElements], [['list-c', 'list-b'], 3]);
    assert.equal(content[0]?.processDefinitionId, on.processDefinitionId);
    for (const property of Object.keys(content[0] ?? {})) {
      assert.equal((await list({ sort: [property] })).content.length, 3, property);
    }
    await assert.rejects(list({ sort: ['id'] }), refuses(100001, 400));
    assert.ok((await definitions.listTags({ query: {} })).totalElements >= 3);
  });

  it('a tag that 10 requests add to 10 versions at once is on one of them', async () => {
    const versions = await Promise.all(Array.from({ length: 10 }, () => version()));
    await Promise.all(versions.map((each) => put(each, 'wanted')));
    const bearing = (await Promise.all(versions.map(tagsOf))).filter((tags) => tags.length > 0);
    assert.deepEqual(bearing, [['wanted']]);
  });

  it('a version to which a tag is added while it is archived is either tagged or archived', async () => {
    for (let round = 0; round < 5; round++) {
      const on = await version();
      const results = await Promise.allSettled([put(on, `raced-${round}`), definitions.archive(on)]);
      assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 1);
      const { status, tags } = await definitions.get(on);
      assert.equal(tags.length === 1, status === 'DEPLOYED_ACTIVE');
    }
  });

  it('100065: a version has at most 100 tags, and a tenant at most 1,000', async () => {
    const fill = (on: { processDefinitionId: string }, prefix: string, until: number) =>
      grove.app.db.of(grove.tenantId as never).write((tx) =>
        tx.run(
          unprepared(`WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${until})
            INSERT INTO process_definition_tags (tenant_id, name, name_folded, definition_id, created_at, created_by)
            SELECT tenant_id, '${prefix}' || n, '${prefix}' || n, id, created_at, created_by
            FROM process_definitions, numbers WHERE tenant_id = $1 AND id = $2`),
          [grove.tenantId, on.processDefinitionId],
        ),
      );
    const full = await version();
    await fill(full, 'full-', 100);
    await assert.rejects(put(full, 'one more'), refuses(100065, 409));
    assert.equal((await tagsOf(full)).length, 100);
    const other = await version();
    await put(other, 'one more');
    await fill(await version(), 'many-', 900);
    await assert.rejects(put(other, 'too many'), refuses(100065, 409));
    // An existing tag can still be moved.
    await put(await version(), 'one more');
  });
});
