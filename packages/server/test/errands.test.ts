import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';

const PACKAGES = fileURLToPath(new URL('../../', import.meta.url));

/** Source files in a folder of `packages/` whose text matches, without tests and generated files. */
function filesWith(folder: string, pattern: RegExp): string[] {
  return readdirSync(`${PACKAGES}${folder}`, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(tsx?|js)$/.test(file) && !/\.(test|generated)\.|\/test\//.test(file))
    .map((file) => `${folder}/${file}`)
    .filter((file) => pattern.test(readFileSync(`${PACKAGES}${file}`, 'utf8')))
    .sort();
}

/** The promises of ARCHITECTURE.md to a newcomer, checked on existing examples. */
describe('the tasks of a newcomer in ARCHITECTURE.md', () => {
  it('a new field of API keys is a migration, the table, the contract and the handlers', () => {
    const folder = 'server/src/arthr';
    assert.deepEqual(filesWith(folder, /\bdescription\b/), [
      `${folder}/api-keys/api-keys.table.ts`,
      `${folder}/api-keys/api-keys.ts`,
    ]);
    assert.ok(filesWith('contract/src', /\bdescription: /).includes('contract/src/arthr.ts'));
  });

  it('a new step type that end users do not see is its file and the registry', () => {
    const files = filesWith('server/src/process-manager', /'addUser'|\/add-user\.ts'/);
    assert.deepEqual(
      files.map((file) => file.replace('server/src/process-manager/', '')),
      ['engine/steps/add-user.ts', 'engine/steps/registry.ts'],
    );
  });

  it('a new step type that end users see is at most six files besides translations', () => {
    const filesOfStep = ['server/src', 'contract/src', 'journey/src', 'journey/public'].flatMap((folder) =>
      filesWith(folder, /\bswitchDevice\b/),
    );
    const view = filesWith('journey/src', /\bSwitchDeviceStep\b/);
    const files = new Set([...filesOfStep, ...view]);
    assert.ok(files.size <= 6, [...files].join(', '));
  });

  it('a new operation is its row, its handler and a test', () => {
    assert.deepEqual(filesWith('contract/src', /^ +listChecks: get\(/m), ['contract/src/userdata-server.ts']);
    assert.deepEqual(filesWith('server/src', /^ +async listChecks\(/m), ['server/src/userdata-server/user-data.ts']);
  });

  it('a search for a code finds its meaning and where it is raised', () => {
    const raised = filesWith('server/src', /(ensure\(.*, 372\)|Refusal\(372)/);
    assert.deepEqual(
      raised.map((file) => file.replace('server/src/identity-store/passkeys/', '')),
      ['complete-authentication.ts', 'verify-authentication.ts'],
    );
    assert.ok(filesWith('contract/src', /^ {2}372: /m).includes('contract/src/errors.ts'));
  });
});
