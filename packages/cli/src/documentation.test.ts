import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type Environment, environmentOf, GROVE, keysSeenBy, startGrove, temporaryFolder } from '../test/grove.ts';

/** Runs the examples of the documentation unchanged, except for addresses, keys and folders. */
const REPOSITORY = fileURLToPath(new URL('../../..', import.meta.url));
const DOCUMENTED_ADDRESS = 'http://localhost:8080';
const MARK = '<<< next block >>>';
const TIMEOUT_MS = 120_000;

const run = promisify(execFile);

/** The blocks of a language in the section whose title begins with `title`. */
function blocksOf(document: string, title: string, language: string): string[] {
  const sections = readFileSync(`${REPOSITORY}/${document}`, 'utf8').split(/^## /m);
  const section = sections.find((each) => each.startsWith(title)) ?? '';
  const blocks = [...section.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))];
  assert.ok(blocks.length > 0, `${document} has ${language} under ${title}`);
  return blocks.map(([, text = '']) => text);
}

/** Replaces a text of the documentation, which must contain it. */
function put(text: string, documented: string | RegExp, value: string): string {
  assert.ok(text.search(documented) >= 0, `${documented} is in the documentation`);
  return text.replace(documented, () => value);
}

/** Runs the blocks in one shell, because they share variables. Resolves to the output of each. */
async function runBlocks(blocks: readonly string[], env: Environment): Promise<string[]> {
  const script = ['set -eu', blocks.join(`\necho '${MARK}'\n`)].join('\n');
  const { stdout } = await run('sh', ['-c', script], { env: environmentOf(env), timeout: TIMEOUT_MS });
  return stdout.split(MARK);
}

/** A folder in this package, so that imports are resolved as in the repository. */
function folderHere(t: TestContext): string {
  const folder = mkdtempSync(fileURLToPath(new URL('../documentation-', import.meta.url)));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** One server for all pages, like that of a reader who follows them. */
test('with a server that was started as the quick start says', async (t) => {
  const { ready, url } = await startGrove(t, { GROVE_DATA: temporaryFolder(t) });

  await t.test('the shell commands of the quick start exchange the key, list the keys and create one', async () => {
    assert.equal(ready.baseUrl, DOCUMENTED_ADDRESS.replace('8080', String(ready.port)));
    const steps = ['2. ', '3. '].flatMap((title) => blocksOf('docs/quick-start.md', title, 'sh'));
    assert.equal(steps.length, 3);
    steps[0] = put(steps[0] ?? '', `BASE=${DOCUMENTED_ADDRESS}`, `BASE=${ready.baseUrl}`);
    steps[0] = put(steps[0], /^KEY=grv_live_…/m, `KEY=${ready.apiKey}`);
    const [exchanged, listed, created] = (await runBlocks(steps, {})).map((printed) => JSON.parse(printed));
    assert.match(exchanged.token, /^eyJ/);
    assert.equal(exchanged.ttl, 3600);
    assert.deepEqual(
      listed.content.map(({ name }: { name: string }) => name),
      ['Demonstration key', 'Demonstration test key'],
    );
    assert.equal(created.name, 'onboarding service');
    assert.match(created.code, /^grv_live_/);
    assert.equal(created.permissions.length, 2);
  });

  await t.test('the SDK snippet of the quick start runs against the address that grove start prints', async () => {
    const [snippet = ''] = blocksOf('docs/quick-start.md', '4. ', 'ts');
    const file = `${folderHere(t)}/try.ts`;
    writeFileSync(file, put(snippet, DOCUMENTED_ADDRESS, ready.baseUrl));
    const env = environmentOf({ GROVE_API_KEY: ready.apiKey ?? '' });
    const { stdout, stderr } = await run(process.execPath, [file], { env, timeout: TIMEOUT_MS });
    const names = ['Demonstration key', 'Demonstration test key', 'nightly export', 'onboarding service'];
    assert.deepEqual([stdout.trim().split('\n').sort(), stderr], [names.map((name) => `${name} ACTIVE`), '']);
    const made = (await keysSeenBy(url, ready.apiKey ?? '')).find(({ name }) => name === 'nightly export');
    assert.equal(made?.status, 'BLOCKED');
  });

  await t.test(
    'the verification of the quick start is examples/verify.ts, has at most 60 lines, and ends as its scenario says',
    async () => {
      const [shown = ''] = blocksOf('docs/quick-start.md', '5. ', 'ts');
      const file = `${REPOSITORY}/examples/verify.ts`;
      assert.equal(readFileSync(file, 'utf8'), shown);
      assert.ok(shown.trimEnd().split('\n').length <= 60);
      const env = environmentOf({ GROVE_URL: ready.baseUrl, GROVE_API_KEY: ready.testApiKey ?? '' });
      const verify = async (...scenario: string[]) =>
        (await run(process.execPath, [file, ...scenario], { env, timeout: TIMEOUT_MS })).stdout;
      assert.match(
        await verify(),
        /did consent.*did document.*did selfie.*COMPLETED_ENDED_SUCCESS \(Accepted\).*L898902C3/s,
      );
      assert.match(await verify('face-mismatch'), /the outcome is REVIEW \(Review\).*match faceMatch: FAILED/s);
    },
  );

  await t.test('the stages of the page about definitions are planned and applied as documented', async () => {
    const folder = temporaryFolder(t);
    mkdirSync(`${folder}/journeys/definitions`, { recursive: true });
    const [documented = ''] = blocksOf('docs/definitions.md', 'Before you begin', 'sh');
    const keyed = put(put(documented, DOCUMENTED_ADDRESS, ready.baseUrl), /grv_live_…/, ready.apiKey ?? '');
    const commands = `cd "${folder}"\n${keyed.replaceAll('npx grove', `"${process.execPath}" "${GROVE}"`)}`;
    for (const [at, title] of ['1. ', '4. ', 'Versions and tags'].entries()) {
      const [stage = ''] = blocksOf('docs/definitions.md', title, 'yaml');
      writeFileSync(`${folder}/journeys/definitions/onboarding.yaml`, stage);
      const [printed = ''] = await runBlocks([commands], {});
      assert.match(
        printed,
        new RegExp(`onboarding .*to be created and deployed.*onboarding .*${at + 1}: .*created`, 's'),
      );
    }
  });
});

test('the commands of the operator run as documented: tenants, migrations, backup and restore, rotation', async (t) => {
  const folder = temporaryFolder(t);
  const commands = (title: string) =>
    blocksOf('docs/operating.md', title, 'sh').map((block) =>
      block.replaceAll('npx grove', `"${process.execPath}" "${GROVE}"`).replaceAll('/backups', folder),
    );
  const [, migrations = ''] = commands('Stopping and upgrading');
  const blocks = [...commands('Tenants'), migrations, ...commands('Backup'), ...commands('Keys and their rotation')];
  const printed = await runBlocks(blocks, { GROVE_DATA: `${folder}/data` });
  assert.match(printed[0] ?? '', /The tenant acme was created.*acme {2}Acme Ltd.*The API key "recovery" was created/s);
  assert.match(printed[1] ?? '', /up to date.*up to date/s);
  assert.match(printed[2] ?? '', /The master key is NOT in it.*Restored .*is kept: \S+\.before-restore-/s);
  assert.match(printed[3] ?? '', /has version 2\..*has version 2\..*The old versions are in \S+\.retired-/s);
});
