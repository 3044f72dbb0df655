import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Client, createClient } from 'grove-idv-sdk';
import { onBothEngines, openTestApp, type TestApp } from '../../../test/harness.ts';
import { refuses } from '../../../test/refuses.ts';
import { unprepared } from '../../db/db.ts';
import { SHIPPED } from '../install-shipped.ts';

type Document = Parameters<Client['processDefinitions']['create']>[0]['body'];

const PATH = '/api/process-manager/processDefinitions';
const MISSING = '01M7EK55GPPBVSG5TAX910HKS7';
const decide = { id: 'decide', type: 'decision' };
const consent = { id: 'consent', type: 'consent' };
const documentOf = (name: string, more: object = {}): Document => ({ name, steps: [consent, decide], ...more });

onBothEngines('the process definitions of a tenant', (_engine, places) => {
  let grove: TestApp;
  let definitions: Client['processDefinitions'];
  before(async () => {
    grove = await openTestApp(await places.create());
    definitions = grove.client.processDefinitions;
  });
  after(() => grove.stop());

  const create = (name: string, more: object = {}) => definitions.create({ body: documentOf(name, more) });
  const deployed = async (name: string, more: object = {}) => {
    const { id } = await create(name, more);
    return definitions.deploy({ processDefinitionId: id });
  };

  describe('list', () => {
    it('the list of process definitions shows every version, filtered by name and status, with right totals, and sorts by every property', async () => {
      await deployed('listed-a');
      await create('listed-a', { description: 'second' });
      await create('listed-b');
      const list = (query: object) => definitions.list({ query: { name: 'LISTED-%', ...query } });
      const all = await list({ sort: ['name', 'version,desc'] });
      assert.deepEqual(
        all.content.map(({ name, version, status }) => [name, version, status]),
        [
          ['listed-a', 2, 'EDITABLE'],
          ['listed-a', 1, 'DEPLOYED_ACTIVE'],
          ['listed-b', 1, 'EDITABLE'],
        ],
      );
      const editable = await list({ status: 'EDITABLE', size: 1 });
      assert.deepEqual([editable.totalElements, editable.content.length], [2, 1]);
      assert.equal((await definitions.list({ query: { status: 'ARCHIVED', name: 'listed-%' } })).totalElements, 0);
      const whole = await definitions.list({ query: { size: 1000 } });
      assert.equal(whole.totalElements, whole.content.length);
      assert.ok(whole.content.every((each) => !('document' in each)));
      for (const property of Object.keys(whole.content[0] ?? {}).filter(
        (each) => !['tags', 'tenantId'].includes(each),
      )) {
        assert.equal((await list({ sort: [`${property},desc`] })).content.length, 3, property);
      }
      await assert.rejects(list({ sort: ['document'] }), refuses(100001, 400));
    });
  });

  describe('access to process definitions', () => {
    it('100023: a definition of another tenant gets the same answer as one that does not exist', async () => {
      const other = await grove.app.tenants.create({ id: `other-${Date.now()}` });
      const client = createClient({ baseUrl: grove.baseUrl, apiKey: other.apiKey });
      const [foreign] = (await client.processDefinitions.list()).content;
      const bodies = new Set<string>();
      for (const id of [foreign?.id, MISSING, 'x']) {
        for (const [path, init] of [
          [`/${id}`, {}],
          [`/${id}`, { method: 'POST', body: JSON.stringify(documentOf('x')) }],
          [`/${id}`, { method: 'DELETE' }],
          [`/${id}/deploy`, { method: 'POST' }],
          [`/${id}/archive`, { method: 'POST' }],
          [`/${id}/tags`, { method: 'POST', body: '{"name":"t"}' }],
          [`/${id}/tags/t`, { method: 'DELETE' }],
        ] as const) {
          const { status, body } = await grove.call(`${PATH}${path}`, init);
          assert.deepEqual([status, body.code], [404, 100023], path);
          bodies.add(JSON.stringify({ ...body, requestId: '' }));
        }
      }
      assert.equal(bodies.size, 1);
      assert.deepEqual(
        (await client.processDefinitions.list()).content.map(({ status }) => status),
        SHIPPED.map(() => 'DEPLOYED_ACTIVE'),
      );
    });

    it('7: an operation on process definitions without its permission is refused, with the name of the permission', async () => {
      const permissions = ['TNT#acme#ArthrServer*'];
      const { code } = await grove.client.apiKeys.create({ body: { name: 'no definitions', permissions } });
      const token = await grove.token(code);
      for (const [path, init, permission] of [
        ['', {}, 'listProcessDefinitions'],
        ['', { method: 'POST', body: JSON.stringify(documentOf('x')) }, 'addProcessDefinition'],
        ['/validate', { method: 'POST', body: JSON.stringify(documentOf('x')) }, 'validateProcessDefinition'],
        [`/${MISSING}`, {}, 'getProcessDefinition'],
        [`/${MISSING}`, { method: 'POST', body: JSON.stringify(documentOf('x')) }, 'updateProcessDefinition'],
        [`/${MISSING}`, { method: 'DELETE' }, 'deleteProcessDefinition'],
        [`/${MISSING}/deploy`, { method: 'POST' }, 'deployProcessDefinition'],
        [`/${MISSING}/archive`, { method: 'POST' }, 'archiveProcessDefinition'],
        ['/tags', {}, 'listProcessDefinitionTags'],
        [`/${MISSING}/tags`, { method: 'POST', body: '{"name":"t"}' }, 'addProcessDefinitionTag'],
        [`/${MISSING}/tags/t`, { method: 'DELETE' }, 'removeProcessDefinitionTag'],
      ] as const) {
        const { status, body } = await grove.call(`${PATH}${path}`, { ...init, token });
        assert.deepEqual([status, body.code], [403, 7], path);
        assert.ok(body.message.includes(`ProcessManager:${permission}`), path);
      }
    });
  });

  describe('limits', () => {
    const NUMBERS = (until: number) =>
      `WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${until})`;
    const fill = (name: string, until: number) =>
      grove.app.db.of(grove.tenantId as never).write((tx) =>
        tx.run(
          unprepared(`${NUMBERS(until)} INSERT INTO process_definitions (tenant_id, id, name, name_folded, version,
            status, definition_type, retention_days, document, created_at, created_by, last_updated_at, last_updated_by)
            SELECT tenant_id, id || '-${name}-' || n, '${name}', '${name}', n, status, definition_type, retention_days,
            document, created_at, created_by, last_updated_at, last_updated_by
            FROM process_definitions, numbers WHERE tenant_id = $1 AND name = 'document-only'`),
          [grove.tenantId],
        ),
      );

    it('100065: a name has at most 1,000 versions, and a tenant at most 10,000 definitions', async () => {
      await fill('full', 1000);
      await assert.rejects(create('full'), refuses(100065, 409));
      await create('not-full');
      await fill('more', 9000);
      await assert.rejects(create('not-full'), refuses(100065, 409));
    });
  });
});
