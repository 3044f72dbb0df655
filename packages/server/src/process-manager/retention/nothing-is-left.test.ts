import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { codeOf, endUser } from '../../../test/end-user.ts';
import { onBothEngines, openTestApp, type TestApp } from '../../../test/harness.ts';
import { noise } from '../../../test/images.ts';
import type { Reads } from '../../db/db.ts';
import { asTenantId } from '../../kernel/ids.ts';

/**
 * One subject with unique words, in every place that stores data of a subject. After its deletion, every file, every
 * table and the log are searched for these words.
 */
const WORDS = {
  firstName: 'Zuleikha',
  lastName: 'Quillfeather',
  email: 'vexillology@plumbago.example',
  phoneNumber: '+4917612349876',
  caseNumber: 'Xanthophyll77',
  address: 'Wobbegong Crescent 12',
  person: 'brouhaha',
  comment: 'Kerfuffle about the photograph',
};
const NEEDLES = [...Object.values(WORDS), 'vexillology', 'wobbegong'].map((word) => word.toLowerCase());
const TENANT = asTenantId('acme');

const DEFINITION = {
  name: 'everything',
  processDefinitionType: 'VERIFICATION',
  attributes: { searchable: ['caseNumber'] },
  steps: [
    {
      id: 'details',
      type: 'form',
      key: 'form1',
      schema: { type: 'object', properties: { address: { type: 'string' } } },
    },
    { id: 'document', type: 'document', key: 'doc1' },
    { id: 'selfie', type: 'face', key: 'face1', liveness: 'none' },
    { id: 'decide', type: 'decision', onAnyFailure: 'FAIL' },
  ],
};

async function post(app: TestApp, path: string, token: string, body: object = {}) {
  const headers = { 'Idempotency-Key': `key-${Math.random()}`, 'Content-Type': 'application/json' };
  const answer = await app.call(path, { method: 'POST', body: JSON.stringify(body), token, headers });
  assert.ok(answer.status < 400, `${path}: ${answer.text}`);
  return answer;
}

/** A token for this one person, an instance of it, a whole journey, and a read of everything. */
async function leaveTraces(app: TestApp, token: string, photograph: Uint8Array): Promise<string> {
  const definition = await post(app, '/api/process-manager/processDefinitions', token, DEFINITION);
  await post(app, `/api/process-manager/processDefinitions/${definition.body.id}/deploy`, token);
  const { person: _person, comment, address, ...parameters } = WORDS;
  const limits = { type: 'MULTI_USE_COUNT_LIMITED', maxCount: 1 };
  const tokenBody = { name: 'one person', processDefnName: 'everything', parameters, ...limits };
  const { body: processToken } = await post(app, '/api/process-manager/processTokens', token, tokenBody);
  const { body: created } = await post(
    app,
    `/api/process-manager/processInstances/create?pt=${processToken.id}`,
    token,
  );
  const user = await endUser(app, codeOf(created.redirectUrl));
  await user.submit('details', { address });
  await user.upload('document', 'front', { person: WORDS.person });
  await user.submit('document');
  await user.settled();
  const image = { method: 'POST', body: Buffer.from(photograph), headers: { 'content-type': 'image/jpeg' } };
  assert.equal((await user.call('/steps/selfie/images/image', image)).status, 200);
  await user.submit('selfie');
  await user.settled();
  const id = created.processInstanceId as string;
  await app.app.db
    .of(TENANT)
    .write((tx) =>
      tx.run({ text: 'UPDATE process_instances SET review_comment = $3 WHERE tenant_id = $1 AND id = $2' }, [
        tx.tenantId,
        id,
        comment,
      ]),
    );
  const place = `/api/userdata-server/processDefinitions/${definition.body.id}/processInstances/${id}`;
  const { text } = await app.call(`${place}/userdata`, { token });
  assert.match(text, /Wobbegong/);
  await post(app, `${place}/userdataarchive`, token);
  const search = `/api/process-manager/processInstances/search?searchString=${WORDS.lastName}`;
  assert.equal((await app.call(search, { token })).body.totalElements, 1);
  return id;
}

function filesOf(folder: string): string[] {
  if (!existsSync(folder)) return [];
  const all = readdirSync(folder, { recursive: true, withFileTypes: true });
  return all.flatMap((each) => (each.isFile() ? [join(each.parentPath, each.name)] : []));
}

/** Names of the files that contain any of the words, in upper or lower case. */
function filesWith(folder: string, needles: readonly string[]): string[] {
  return filesOf(folder).flatMap((file) => {
    const content = readFileSync(file).toString('latin1').toLowerCase();
    return needles.filter((needle) => content.includes(needle)).map((needle) => `${file}: ${needle}`);
  });
}

/** Tables of PostgreSQL with a row that contains any of the words, as text or as bytes. */
async function tablesWith(app: TestApp, needles: readonly string[]): Promise<string[]> {
  const { db } = app.app;
  const tables = await db.system.all<{ name: string; of_tenant: boolean }>(
    {
      text: `SELECT t.table_name AS name, EXISTS (SELECT 1 FROM information_schema.columns c WHERE c.table_name =
        t.table_name AND c.table_schema = t.table_schema AND c.column_name = 'tenant_id') AS of_tenant
        FROM information_schema.tables t WHERE t.table_schema = current_schema()`,
    },
    [],
  );
  assert.ok(tables.length > 15);
  const places: string[] = [];
  for (const { name, of_tenant } of tables) {
    const reads: Reads = of_tenant ? db.of(TENANT) : db.system;
    for (const row of await reads.all<Record<string, unknown>>({ text: `SELECT * FROM ${name}` }, [])) {
      const text = Object.values(row)
        .map((value) => (value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : String(value)))
        .join('\n')
        .toLowerCase();
      places.push(...needles.filter((needle) => text.includes(needle)).map((needle) => `${name}: ${needle}`));
    }
  }
  return places;
}

async function assertErased(app: TestApp, token: string, id: string): Promise<void> {
  for (let tries = 0; ; tries++) {
    const { body } = await app.call(`/api/process-manager/erasures/${id}`, { token });
    if (body.state === 'ERASED') return;
    assert.ok(tries < 1000, `the erasure is never confirmed: ${app.logged()}`);
    await wait(10);
  }
}

type Erase = (app: TestApp, id: string, token: string) => Promise<{ status: number }>;

/** Both end with the same search, because a redaction must leave nothing of the person either. */
const ERASURES: readonly (readonly [done: string, erase: Erase])[] = [
  ['erased', (app, id, token) => app.call(`/api/process-manager/processInstances/${id}`, { method: 'DELETE', token })],
  ['redacted', (app, id, token) => post(app, `/api/process-manager/processInstances/${id}/redact`, token)],
];

for (const [done, erase] of ERASURES) {
  onBothEngines(`the traces of a subject that was ${done}`, (engine, places) => {
    let app: TestApp;
    before(async () => {
      app = await openTestApp(await places.create());
    });
    after(() => app.stop());

    it(`nothing of a subject that was ${done} is left in any file, table or log`, async () => {
      const { apiKey } = await app.app.tenants.createApiKey('acme', { name: 'test', environment: 'test' });
      const token = await app.token(apiKey);
      const photograph = await noise(64, 64).jpeg().toBuffer();
      const blobsBefore = filesOf(app.config.blobFolder);
      const id = await leaveTraces(app, token, photograph);
      const search =
        engine === 'sqlite' ? () => filesWith(app.config.dataFolder, NEEDLES) : () => tablesWith(app, NEEDLES);

      // Written directly into the database in plain text, to prove that the search finds it.
      const before = (await search()).join();
      assert.match(before, /kerfuffle/);
      assert.doesNotMatch(
        before,
        /zuleikha|quillfeather|vexillology|xanthophyll77|wobbegong|brouhaha/,
        'all else is sealed',
      );
      assert.equal(filesOf(app.config.blobFolder).length, blobsBefore.length + 4);

      assert.equal((await erase(app, id, token)).status, 200);
      await assertErased(app, token, id);

      assert.deepEqual(await search(), []);
      // Only the sealed record of the erasure is left, which cannot be searched.
      const [entry = '', ...others] = filesOf(app.config.blobFolder).filter((file) => !blobsBefore.includes(file));
      assert.deepEqual([others, entry.includes('/erased/'), readFileSync(entry).includes(id)], [[], true, false]);
      assert.deepEqual(
        NEEDLES.filter((needle) => app.logged().toLowerCase().includes(needle)),
        [],
      );
      if (engine === 'sqlite') {
        vacuum(app.config.database as { file: string });
        assert.deepEqual(await search(), []);
      }
    });
  });
}

function vacuum({ file }: { file: string }): void {
  const database = new DatabaseSync(file);
  database.exec('VACUUM; PRAGMA wal_checkpoint(TRUNCATE);');
  database.close();
}
