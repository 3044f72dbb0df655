import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Value } from 'typebox/value';
import { operations } from '../packages/contract/src/index.ts';
import { examples as written } from '../packages/contract/src/openapi-examples.ts';
import { isBetter, type Recorded } from '../packages/server/test/record-examples.ts';
import type { Exchange } from '../packages/server/test/stable-example.ts';

/**
 * Runs the tests whose files contain one of the words, or all tests, and stores a call of each operation as the example in
 * the documentation: `npm run examples -- webhooks`. An example that still fits its schema stays, unless `--again` is set.
 */
const FILE = 'packages/contract/src/examples.json';
const args = process.argv.slice(2);
const isAgain = args.includes('--again');
const folder = mkdtempSync(join(tmpdir(), 'grove-examples-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
const recordedFile = join(folder, 'examples.jsonl');

const words = args.filter((word) => !word.startsWith('--'));
const environment = { ...process.env, TEST_EXAMPLES_FILE: recordedFile };
const { status } = spawnSync(process.execPath, ['scripts/test.ts', ...words], { stdio: 'inherit', env: environment });

const all = new Map(operations().map(({ id, operation }) => [id, operation]));
const stored: Record<string, Exchange> = existsSync(FILE) ? JSON.parse(readFileSync(FILE, 'utf8')) : {};
const examples = new Map(Object.entries(stored).filter(([id, example]) => fits(id, example)));
const recorded = existsSync(recordedFile) ? readFileSync(recordedFile, 'utf8').split('\n').filter(Boolean) : [];
const isOld = new Set([...examples].filter(([id, example]) => isWhole(id, example)).map(([id]) => id));
for (const line of recorded) {
  const { id, example } = JSON.parse(line) as Recorded;
  const before = examples.get(id);
  const isWanted =
    before === undefined || !isWhole(id, before) || ((isAgain || !isOld.has(id)) && isBetter(example, before));
  if (isWanted) examples.set(id, example);
}
// An optional body has the example `{}` if no test sends one.
for (const [id, { body }] of all) {
  const example = examples.get(id) ?? {};
  if (body && example.body === undefined && Value.Check(body, {}) && isWhole(id, { body: {}, ...example })) {
    examples.set(id, { body: {}, ...example });
  }
}
const sorted = [...all.keys()].flatMap((id) => (examples.has(id) ? [[id, examples.get(id)] as const] : []));
writeFileSync(FILE, `${JSON.stringify(Object.fromEntries(sorted), null, 2)}\n`);

const missing = operations().flatMap(({ id, group, name, operation: { body, ok } }) => {
  const example: Exchange = {
    ...examples.get(id),
    ...(written[group] as Record<string, Exchange> | undefined)?.[name],
  };
  return [
    ...(body && example.body === undefined ? [`${id} body`] : []),
    ...(ok && example.ok === undefined ? [id] : []),
  ];
});
console.log(missing.length === 0 ? 'Every operation has its examples.' : `Without an example: ${missing.join(', ')}`);
console.log('Now run npm run generate.');
process.exitCode = status ?? 1;

function isWhole(id: string, example: Exchange): boolean {
  const { body, ok } = all.get(id) ?? {};
  return (!body || example.body !== undefined) && (!ok || example.ok !== undefined);
}

/** Whether the operation still exists and the exchange fits its schemas. */
function fits(id: string, { body, ok }: Exchange): boolean {
  const operation = all.get(id);
  if (!operation) return false;
  const isOk = (schema: typeof operation.ok, value: unknown) =>
    value === undefined || !schema || Value.Check(schema, value);
  return isOk(operation.body, body) && isOk(operation.ok, ok);
}
