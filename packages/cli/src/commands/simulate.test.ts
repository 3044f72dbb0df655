import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { grove, groveJson, startGrove, temporaryFolder } from '../../test/grove.ts';

const DEFINITION = `name: document-and-selfie
steps:
  - { id: agree, type: consent }
  - { id: decide, type: decision }
`;

test('simulate replays past instances, and explains invalid input', async (t) => {
  const folder = temporaryFolder(t);
  const { ready } = await startGrove(t, { GROVE_DATA: folder });
  const env = { GROVE_URL: ready.baseUrl, GROVE_API_KEY: ready.apiKey ?? '' };
  const file = join(folder, 'new.yaml');
  writeFileSync(file, DEFINITION);
  const { stdout } = await grove(['simulate', file, '--since', '30d'], env);
  assert.match(stdout, /^There are no instances of this definition in that time\.$/m);
  const found = await groveJson<{ examined: number }>(['simulate', file], env);
  assert.deepEqual(found, { examined: 0, counts: [], changed: [] });
  const wrong = await grove(['simulate', file, '--since', 'yesterday'], env);
  assert.equal(wrong.code, 2);
  writeFileSync(file, 'name: [');
  const faulty = await grove(['simulate', file], env);
  assert.equal(faulty.code, 2);
  assert.match(faulty.stderr, /new\.yaml:1:\d/);
});
