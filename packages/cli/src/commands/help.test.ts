import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { VARIABLES } from '@grove/server';
import { environmentOf, GROVE, grove, groveJson, temporaryFolder } from '../../test/grove.ts';

const COMMANDS = [
  'start',
  'tenant create',
  'tenant list',
  'keys create',
  'keys list',
  'keys block',
  'keys delete',
  'plan',
  'apply',
  'export',
  'simulate',
  'jobs list',
  'jobs dead',
  'jobs retry',
  'migrate',
  'backup',
  'restore',
  'rotate signing-key',
  'rotate master-key',
  'rotate tenant-key',
  'faces re-enrol',
  'specimen',
  'doctor',
];

test('help configuration lists every variable with its default', async () => {
  const { code, stdout } = await grove(['help', 'configuration'], {});
  assert.equal(code, 0);
  for (const [name, { default: value, about }] of Object.entries(VARIABLES)) {
    const line = stdout.split('\n').find((each) => each.startsWith(`${name} `)) ?? '';
    assert.ok(line.includes(value) && line.includes(about), name);
  }
  const { variables } = await groveJson<{ variables: { name: string }[] }>(['help', 'configuration'], {});
  assert.equal(variables.length, Object.keys(VARIABLES).length + 2);
});

test('every command has --json, and its help has an example', async () => {
  const shown = await Promise.all(COMMANDS.map((command) => grove(['help', ...command.split(' ')], {})));
  for (const [at, command] of COMMANDS.entries()) {
    assert.equal(shown[at]?.code, 0, command);
    assert.match(shown[at]?.stdout ?? '', /--json/, command);
    assert.match(shown[at]?.stdout ?? '', new RegExp(`Examples:\\n[\\s\\S]*grove ${command}`), command);
  }
});

test('grove alone shows the commands and the exit codes', async () => {
  const { code, stdout } = await grove([], {});
  assert.equal(code, 0);
  assert.match(stdout, /Exit codes: 0 done, 1 failed, 2 /);
});

test('an unknown command exits with 2 and, with --json, is one line of JSON on standard error', async () => {
  const wrong = [['strat'], ['tenant'], ['tenant', 'create'], ['start', '--fast'], ['help', 'nothing']];
  for (const { code, stdout, stderr } of await Promise.all(wrong.map((args) => grove([...args, '--json'], {})))) {
    assert.deepEqual([code, stdout], [2, ''], stderr);
    assert.equal(JSON.parse(stderr).error.exitCode, 2);
  }
});

test('help and completion load neither the server, nor the contract, nor a YAML parser', async (t) => {
  const folder = temporaryFolder(t);
  const [hook, list] = [join(folder, 'hook.mjs'), join(folder, 'loaded.txt')];
  writeFileSync(
    hook,
    `import { appendFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
registerHooks({
  load(url, context, next) {
    appendFileSync(${JSON.stringify(list)}, url + '\\n');
    return next(url, context);
  },
});`,
  );
  for (const words of [['--help'], ['help', 'keys', 'create'], ['completion', 'bash']]) {
    writeFileSync(list, '');
    // The command as it is installed: in runs of many files it is bundled.
    await promisify(execFile)(process.execPath, ['--import', hook, GROVE, ...words], { env: environmentOf({}) });
    const loaded = readFileSync(list, 'utf8').split('\n');
    assert.ok(loaded.some((url) => url.endsWith('/packages/cli/src/main.ts')));
    const heavy = loaded.filter((url) =>
      /\/(packages\/(contract|sdk|server|vision)|node_modules\/(yaml|pg))\//.test(url),
    );
    assert.deepEqual(heavy, [], words.join(' '));
  }
});
