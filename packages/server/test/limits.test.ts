import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { unprepared } from '../src/db/db.ts';
import { asTenantId } from '../src/kernel/ids.ts';
import { MAX_WEBHOOKS_PER_ENVIRONMENT } from '../src/notification-service/webhooks.ts';
import { MAX_CLOUD_SECRETS_PER_ENVIRONMENT } from '../src/process-manager/cloud-secrets/cloud-secrets.ts';
import { openTestApp, type TestApp, testPlaces } from './harness.ts';

/** Limits that a test can only reach by copying rows. */
describe('a tenant that has reached its limits', () => {
  const places = testPlaces();
  let grove: TestApp;
  before(async () => {
    grove = await openTestApp(await places.create());
  });
  after(() => grove.stop());

  const post = (path: string, body: object) => grove.call(path, { method: 'POST', body: JSON.stringify(body) });

  /** Copies the one row of a table until there are that many; the columns that must differ get a number. */
  const fill = async (table: string, total: number, differing: readonly string[]) => {
    const db = grove.app.db.of(asTenantId('acme'));
    const columns = await db.all<{ name: string }>(unprepared(`SELECT name FROM pragma_table_info('${table}')`), []);
    const names = columns.map(({ name }) => name);
    const values = names.map((name) => (differing.includes(name) ? `${name} || at` : name)).join(', ');
    const numbers = `WITH RECURSIVE n (at) AS (SELECT 2 UNION ALL SELECT at + 1 FROM n WHERE at < ${total})`;
    await db.write((tx) =>
      tx.run(
        unprepared(`INSERT INTO ${table} (${names.join(', ')}) ${numbers} SELECT ${values} FROM ${table}, n
          WHERE tenant_id = $1`),
        ['acme'],
      ),
    );
  };

  for (const [what, path, table, total, body] of [
    [
      'cloud secrets',
      '/api/process-manager/cloudSecrets',
      'cloud_secrets',
      MAX_CLOUD_SECRETS_PER_ENVIRONMENT,
      { value: 'x' },
    ],
    [
      'webhooks',
      '/api/notification-service/webhooks',
      'webhooks',
      MAX_WEBHOOKS_PER_ENVIRONMENT,
      { uri: 'https://hooks.example.com/grove', events: ['*'] },
    ],
  ] as [string, string, string, number, object][]) {
    it(`a tenant that has reached its limit gets no more ${what}: 100065`, async () => {
      const first = await post(path, { name: 'first', ...body });
      assert.equal(first.status, 201, first.text);
      await fill(table, total, ['id', 'name', 'name_folded']);
      const { status, body: problem } = await post(path, { name: 'more', ...body });
      assert.deepEqual([status, problem.code], [409, 100065]);
    });
  }

  it('264: a tenant cannot give an existing key a permission of an unrecognized type either', async () => {
    const { body: key } = await post('/api/arthr/apiKeys', { name: 'later' });
    const { status, body } = await post(`/api/arthr/apiKeys/${key.id}`, { permissions: ['ORG#acme#*'] });
    assert.deepEqual([status, body.code], [400, 264]);
  });
});
