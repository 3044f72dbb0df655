import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { COMMAND, environmentOf, startGrove, temporaryFolder } from '../packages/cli/test/grove.ts';
import { readConfig } from '../packages/server/src/config.ts';
import { PNG } from '../packages/server/test/images.ts';
import { type Block, blocks, inLanguage } from './document-blocks.ts';
import { NOT_RUN, RUN_ELSEWHERE } from './documented-commands.ts';

/**
 * Runs the shell commands of the documents against one server, each page in a shell of its own. Settings are read with the
 * code of the server. A call whose response is an error fails the test.
 */
const ROOT = fileURLToPath(new URL('..', import.meta.url));
const TIMEOUT_MS = 60_000;
const run = promisify(execFile);

const listed = (list: typeof NOT_RUN) => (block: Block) =>
  list.find(([file, begins]) => block.file === file && block.text.startsWith(begins));
const isSettings = ({ text }: Block) =>
  text.split('\n').every((line) => /^([A-Z_]+=('[^']*'|\S*)\s*(#.*)?)?$/.test(line));
const isRequest = ({ text }: Block) => /^(GET|POST|DELETE) \//.test(text);
const commands = inLanguage('sh');
const here = commands.filter((block) => !listed(NOT_RUN)(block) && !listed(RUN_ELSEWHERE)(block));
const scripts = here.filter((block) => !isSettings(block) && !isRequest(block));

test('every block of commands in the documents is run here or elsewhere, or is listed with the reason why not', () => {
  for (const [file, begins, where] of [...RUN_ELSEWHERE, ...NOT_RUN]) {
    assert.ok(
      commands.some((block) => block.file === file && block.text.startsWith(begins)),
      `${file}: ${begins}`,
    );
    if (where.startsWith('packages/') || where.startsWith('scripts/')) assert.ok(existsSync(join(ROOT, where)), where);
  }
  const counts = [commands, here, commands.filter(listed(RUN_ELSEWHERE)), commands.filter(listed(NOT_RUN))];
  const [all, ran, elsewhere, none] = counts.map(({ length }) => length);
  assert.equal(all, (ran ?? 0) + (elsewhere ?? 0) + (none ?? 0), 'no block is in two lists');
  assert.ok((none ?? 0) <= 8, `${none} of ${all} blocks are not run`);
});

test('the settings in the documents are accepted', () => {
  const settings = here.filter(isSettings);
  assert.ok(settings.length >= 5);
  for (const { place, text } of settings) {
    const pairs = [...text.matchAll(/^([A-Z_]+)=('[^']*'|\S*)/gm)].map(([, name = '', value = '']) => {
      return [name, value.replaceAll("'", '').replaceAll('…', 'a-value-of-sixteen')] as const;
    });
    for (const [name, value] of pairs) {
      const others = { AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b', SMS_TOKEN: 'c' };
      const used = { ...(name === 'BLOB_URL' && others), ...Object.fromEntries(pairs), [name]: value };
      assert.doesNotThrow(() => readConfig({ ...used, GROVE_MASTER_KEY_FILE: undefined }), `${place} ${name}`);
    }
  }
});

/** The commands that the reader of a page has run before, and the values for the placeholders of the page. */
type Page = { before?: string; put?: readonly [string, string][] };

const PAGES: Record<string, Page> = {
  'docs/appkeys.md': { before: `post /stores '{"name": "people"}'` },
  'docs/configuration-as-code.md': { put: [['export GROVE_URL=http://localhost:8080 GROVE_API_KEY=grv_live_…', '']] },
  'docs/definitions.md': { before: 'mkdir -p journeys/definitions; cp onboarding.yaml journeys/definitions/' },
  'docs/custom-pages.md': { put: [['$ID', '$FIRST']] },
  'docs/identity-store.md': {
    put: [
      ['"123456"', `"'"$(code 0)"'"`],
      ['"654321"', `"'"$(code 30)"'"`],
      ['$ID', '$USER'],
      ['01K8…', '$(sed "s/.*executionId\\":\\"//; s/\\".*//" last.json)'],
    ],
  },
  'packages/embed/README.md': { put: [['$GROVE/', '$BASE/']] },
  'docs/webhooks.md': { put: [['…', 'value']] },
  'docs/operators.md': {
    put: [
      ['acme', 'demo'],
      [
        '01JZ4MCW8A0C2E4G6J8M0P2R4T',
        '"$(grove operator list --tenant demo --json | grep -o "01[0-9A-Z]\\{24\\}" | tail -1)"',
      ],
    ],
  },
  'docs/privacy.md': {
    put: [['--reference', '--yes --reference']],
    before: `PT=$(call POST process-manager/processTokens '{"name": "p", "processDefnName": "document-only"}' | idOf)
call POST "process-manager/processInstances/create?pt=$PT" '{"parameters": {"email": "ada@example.com"}}'`,
  },
  'docs/operating.md': {
    put: [
      ['npx grove jobs retry 01J…', '# '],
      ['acme', 'other'],
      ['/backups', '.'],
    ],
    before: 'grove tenant create other',
  },
};

/** `post`, `curl` and `grove` as the pages use them. A response that is an error ends the shell. */
const BEFORE = `set -eu
FIRST=; USER=
idOf() { grep -o '"id":"[^"]*"' | head -1 | cut -d'"' -f4; }
curl() {
  command curl --fail-with-body --silent --show-error --output last.json "$@" || { cat last.json >&2; return 1; }
  cat last.json
  case "$*" in
    *customPages*versions*) FIRST=$(idOf < last.json) ;;
    *'"extId"'*) USER=$(idOf < last.json) ;;
    *totps/registrations/app' '*) grep -o '"secret":"[^"]*"' last.json | cut -d'"' -f4 > secret.txt ;;
  esac
}
call() { curl -X "$1" "$BASE/api/$2" -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' -d "$3"; }
post() { call POST "identity-store$1" "\${2:-{\\}}"; }
code() { "$NODE" code.mjs "$(cat secret.txt)" "$1"; }
grove() { "$NODE" "$GROVE" "$@"; }
npx() { "$@"; }
`;

test('the commands and requests of the documents work against one server', async (t) => {
  const folder = temporaryFolder(t);
  const env = { GROVE_DATA: `${folder}/data`, GROVE_VISION: 'off' };
  const { url, ready } = await startGrove(t, env);
  const issued = await fetch(`${url}/api/arthr/apiKeys/issue`, {
    method: 'POST',
    headers: { 'X-Api-Key': ready.apiKey ?? '' },
  });
  const { token } = (await issued.json()) as { token: string };
  const keys = {
    GROVE_API_KEY: ready.apiKey ?? '',
    LIVE_KEY: ready.apiKey ?? '',
    TEST_KEY: ready.testApiKey ?? '',
  };
  const names = { BASE: url, GROVE_URL: url, TOKEN: token, NODE: process.execPath, GROVE: COMMAND };
  writeFiles(folder);

  for (const file of new Set(scripts.map((block) => block.file))) {
    await t.test(`the commands of ${file} run without an error`, async () => {
      const { before = '', put = [] } = PAGES[file] ?? {};
      let text = scripts
        .filter((block) => block.file === file)
        .map((block) => block.text)
        .join('\n');
      for (const [open, value] of put) {
        assert.ok(text.includes(open), `${file} has ${open}`);
        text = text.replaceAll(open, () => value);
      }
      writeFileSync(join(folder, 'commands.sh'), `${BEFORE}${before}\n${text}`);
      const options = { cwd: folder, env: environmentOf({ ...env, ...keys, ...names }), timeout: TIMEOUT_MS };
      await run('bash', ['commands.sh'], options).catch((error: { stdout: string; stderr: string }) =>
        assert.fail(`${file}\n${error.stdout}\n${error.stderr}`),
      );
    });
  }

  await t.test('requests that the documents show without a host get the documented status', async () => {
    const post = (path: string, body: string) =>
      fetch(`${url}${path}`, {
        method: 'POST',
        body,
        headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      });
    const tokenAnswer = await post(
      '/api/process-manager/processTokens',
      '{"name": "r", "processDefnName": "document-only"}',
    );
    const { id } = (await tokenAnswer.json()) as { id: string };
    const created = await post(`/api/process-manager/processInstances/create?pt=${id}`, '{}');
    const { processInstanceId } = (await created.json()) as { processInstanceId: string };
    const requests = here.filter(isRequest);
    assert.equal(requests.length, 2);
    for (const { place, text } of requests) {
      const [, path = '', body = '{}', status] = /^POST (\S+)(?: (\{.*\}))?\n(?:→ (\d+))?/.exec(text) ?? [];
      const answer = await post(path.replace('{processInstanceId}', processInstanceId), body);
      assert.equal(answer.status, Number(status ?? 200), `${place}: ${await answer.text()}`);
    }
  });
});

/** Writes the files that the pages name. */
function writeFiles(folder: string): void {
  const [script] = inLanguage('js').filter(({ file }) => file === 'docs/custom-pages.md');
  mkdirSync(join(folder, 'pages/questions'), { recursive: true });
  writeFileSync(
    join(folder, 'pages/questions/index.html'),
    '<!doctype html><html lang="en"><title>q</title><h1></h1><form></form><script src="page.js"></script></html>',
  );
  writeFileSync(join(folder, 'pages/questions/page.js'), script?.text ?? '');
  writeFileSync(join(folder, 'logo.png'), PNG);
  const otpauth = import.meta.resolve('otpauth');
  writeFileSync(
    join(folder, 'code.mjs'),
    `import { TOTP } from '${otpauth}';
const [, , secret, later] = process.argv;
process.stdout.write(new TOTP({ secret }).generate({ timestamp: Date.now() + later * 1000 }));`,
  );
  const [stage] = blocks.filter(
    ({ file, language, text }) => file === 'docs/definitions.md' && language === 'yaml' && text.startsWith('name:'),
  );
  writeFileSync(join(folder, 'onboarding.yaml'), stage?.text ?? '');
}
