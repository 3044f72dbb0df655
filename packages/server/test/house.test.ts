import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';

/** Promises of ARCHITECTURE.md that no other tool checks. */
const HOME = fileURLToPath(new URL('../../..', import.meta.url));
const FILES = globSync('packages/{server,cli}/src/**/*.ts', { cwd: HOME, exclude: ['**/*.test.ts'] });

function linesWith(pattern: RegExp, isExempt: (file: string) => boolean): string[] {
  return FILES.filter((file) => !isExempt(file)).flatMap((file) =>
    readFileSync(join(HOME, file), 'utf8')
      .split('\n')
      .flatMap((line, at) => (pattern.test(line) ? [`${file}:${at + 1} ${line.trim()}`] : [])),
  );
}

describe('the rules of the source code', () => {
  it('only db/ contains SQL that only one engine understands', () => {
    assert.ok(FILES.length > 500);
    assert.deepEqual(
      linesWith(/\/\*(postgres|sqlite) |pg_advisory|json_each/, (file) => file.includes('/db/')),
      [],
    );
  });

  it('no column is read by its position', () => {
    assert.deepEqual(
      linesWith(/values\[\d+\] as/, () => false),
      [],
    );
  });

  it('parameters of statements have names: numbered placeholders are only in db/', () => {
    /** Statements with lists of values of varying length. This list may only become shorter. */
    const exemptions = [
      'audit/audit.repository.ts',
      'identity-store/events/event-queries.repository.ts',
      'process-manager/instances/instance-ids.repository.ts',
      'process-manager/instances/instance-search.repository.ts',
    ];
    const isExempt = (file: string) =>
      /packages\/cli|\/db\//.test(file) || exemptions.some((each) => file.endsWith(each));
    assert.deepEqual(linesWith(/[=(,<>] ?\$\d|\$\$\{/, isExempt), []);
  });
});
