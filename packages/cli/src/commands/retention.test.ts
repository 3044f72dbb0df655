import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { grove, groveJson, startGrove, temporaryFolder } from '../../test/grove.ts';

test('preview counts the due instances, and run deletes them', async (t) => {
  const folder = temporaryFolder(t);
  const { ready } = await startGrove(t, { GROVE_DATA: folder });
  const apiKey = ready.apiKey ?? '';
  const env = { GROVE_URL: ready.baseUrl, GROVE_API_KEY: apiKey };
  assert.match((await grove(['retention', 'preview'], env)).stdout, /^No instance is due\.$/m);
  const made = await groveJson<{ purged: number; left: number }>(['retention', 'run'], env);
  assert.deepEqual(made, { purged: 0, left: 0 });

  const [first] = await instancesOf({ baseUrl: ready.baseUrl, apiKey }, 3);
  const database = new DatabaseSync(`${folder}/grove.sqlite`);
  t.after(() => database.close());
  database.prepare('UPDATE process_instances SET expiring_at = 1, deadline_at = 1 WHERE id <> ?').run(first as string);
  assert.match((await grove(['retention', 'preview'], env)).stdout, /^2 instances would be deleted, the oldest of 2/m);
  assert.match((await grove(['retention', 'run'], env)).stdout, /^2 instances deleted\.$/m);
  const left = database.prepare('SELECT id FROM process_instances').all();
  assert.deepEqual(
    left.map(({ id }) => id),
    [first],
  );
});

/** Makes instances from one token. Resolves to their ids. */
async function instancesOf({ baseUrl, apiKey }: { baseUrl: string; apiKey: string }, count: number): Promise<string[]> {
  const issued = await fetch(`${baseUrl}/api/arthr/apiKeys/issue`, {
    method: 'POST',
    headers: { 'X-Api-Key': apiKey },
  });
  const { token } = (await issued.json()) as { token: string };
  const post = async (path: string, body: object) => {
    const answer = await fetch(`${baseUrl}/api/process-manager/${path}`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    return (await answer.json()) as { id: string; processInstanceId: string };
  };
  const { id } = await post('processTokens', { name: 'retention', processDefnName: 'document-only' });
  const ids: string[] = [];
  for (let at = 0; at < count; at++) {
    ids.push((await post(`processInstances/create?pt=${id}`, {})).processInstanceId);
  }
  return ids;
}
