import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { generalCodes, groveCodes, operations } from '@grove/contract';

/** A code that no test raises could have a wrong meaning, or never be raised. */
describe('the error codes', () => {
  const folder = fileURLToPath(new URL('..', import.meta.url));
  const files = globSync('{src,test}/**/*.test.ts', { cwd: folder });
  const titles = files.flatMap((file) =>
    [...readFileSync(`${folder}/${file}`, 'utf8').matchAll(/\bit\(\s*[`'"](.*)/g)].map(([, title]) => title as string),
  );
  const ofOperations = operations().flatMap(({ operation }) => operation.codes ?? []);

  it('the titles of the tests are read', () => assert.ok(titles.length > 100));

  const general = [...Object.keys(generalCodes), ...Object.keys(groveCodes)].map(Number);
  for (const code of new Set([...ofOperations, ...general])) {
    it(`${code} is in the title of a test that raises it`, () => {
      const raised = titles.some((title) => new RegExp(`\\b${code}\\b`).test(title));
      assert.ok(raised, `no test of the server names ${code}`);
    });
  }
});
