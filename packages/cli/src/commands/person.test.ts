import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { test } from 'node:test';
import { createClient } from 'grove-idv-sdk';
import { grove, groveJson, startGrove, temporaryFolder } from '../../test/grove.ts';

test('a person is found, exported and erased by one command each', async (t) => {
  const folder = temporaryFolder(t);
  const { url, ready } = await startGrove(t, { GROVE_DATA: `${folder}/data` });
  const env = { GROVE_URL: url, GROVE_API_KEY: ready.apiKey ?? '' };
  const client = createClient({ baseUrl: url, apiKey: ready.apiKey ?? '' });
  const email = 'ada@plumbago.example';
  const parameters = { email, customerNumber: 'C-42' };
  const body = { name: 'for Ada', processDefnName: 'document-only', parameters };
  const { id } = await client.processTokens.create({ body });
  await client.processInstances.create({ query: { pt: id } });
  const who = ['--email', email];

  const { found } = await groveJson<{ found: Record<string, string[]> }>(['person', 'find', ...who], env);
  assert.deepEqual([found.processInstances?.length, found.processTokens], [1, [id]]);
  const file = `${folder}/ada.zip`;
  await groveJson(['person', 'export', file, ...who], env);
  assert.equal(statSync(file).mode & 0o777, 0o600);
  assert.equal((await grove(['person', 'erase', ...who], env)).code, 2);
  assert.equal((await grove(['person', 'erase', '--yes'], env)).code, 2);
  const byNumber = ['--parameter', 'customerNumber=C-42', '--reference', 'TICKET-1', '--yes'];
  const erased = await groveJson<{ erased: number; receipt: string }>(['person', 'erase', ...byNumber], env);
  assert.equal(erased.erased, 2);
  assert.match(erased.receipt, /^ey.+\..+\..+$/);
  const again = await groveJson<{ found: Record<string, string[]> }>(['person', 'find', ...who], env);
  assert.deepEqual(again.found.processInstances, []);
});
