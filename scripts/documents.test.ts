import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { parseAllDocuments } from 'yaml';
import { type CONFIGURATION_FILES, configurationSchema } from '../packages/contract/src/index.ts';
import { newId } from '../packages/server/src/kernel/ids.ts';
import { checkDefinition } from '../packages/server/src/process-manager/definitions/check-definition.ts';
import { blocks, inLanguage } from './document-blocks.ts';
import { packSdkOnce } from './release/pack-sdk-once.ts';

/**
 * Checks every block of code in the documents for users: it is parsed, compiled, or compared with the commands that exist.
 * packages/cli/src/documentation.test.ts and others run the blocks that can run against a server.
 */
const ROOT = fileURLToPath(new URL('..', import.meta.url));
test('every block of code names a language that is checked', () => {
  const languages = new Set(['sh', 'ts', 'js', 'json', 'yaml', 'html', 'text']);
  assert.deepEqual(
    blocks.filter(({ language }) => !languages.has(language)).map(({ place, language }) => `${place} ${language}`),
    [],
  );
  assert.ok(blocks.length > 90, `${blocks.length} blocks`);
});

/** Blocks of JSON: the page, the beginning of the block, and the schema of the contract that it must match. */
const SCHEMAS: readonly (readonly [file: string, begins: string, schema: string])[] = [
  ['docs/appkeys.md', '{ "sessionData"', 'AppkeyAuthentication'],
  ['docs/identity-store.md', '{ "type": "urn:grove:error:2101"', 'Problem'],
  ['docs/liveness.md', '{ "challengeId"', 'JourneyChallenge'],
  ['docs/quick-start.md', '{ "type": "urn:grove:error:100001"', 'Problem'],
  ['docs/results.md', '{ "level"', 'Assurance'],
  ['docs/security.md', '{ "redirectOrigins"', 'ProcessSettingsUpdate'],
];
/** Written by `npm run generate` from the contract, whose test compares them. */
const GENERATED = ['docs/events.md'];
/** Blocks without a schema: the payload of a webhook, a template with placeholders, and the directory of regions. */
const OTHER = ['{ "id": "01K8Z4MCW8A0C2E4G6J8M0P2R4"', '{ "event": "{type}"', '{ "acme": "fir"'];

test('every block of JSON matches its schema of the contract', () => {
  const { components } = JSON.parse(readFileSync(join(ROOT, 'packages/contract/openapi.json'), 'utf8'));
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema({ $id: 'contract', components });
  for (const { file, place, text } of inLanguage('json')) {
    const plain = text.replace(/\s+/g, ' ').trim();
    const value = JSON.parse(
      text
        .replace(/: \{sequence\}/g, ': 7')
        .replaceAll('01J…', newId(0))
        .replaceAll('01K8…', newId(0)),
    );
    const [, , schema] = SCHEMAS.find(([page, begins]) => page === file && plain.startsWith(begins)) ?? [];
    if (schema === undefined) {
      assert.ok(GENERATED.includes(file) || OTHER.some((begins) => plain.startsWith(begins)), place);
      continue;
    }
    const isValid = ajv.getSchema(`contract#/components/schemas/${schema}`);
    assert.ok(isValid?.(value), `${place} ${schema}: ${ajv.errorsText(isValid?.errors)}`);
  }
});

test('every block of YAML is a valid process definition, a part of one, or a file of a configuration', () => {
  for (const { place, text } of inLanguage('yaml')) {
    for (const document of parseAllDocuments(text)) {
      assert.deepEqual(document.errors, [], place);
      const value = document.toJS() as Record<string, unknown> | unknown[] | null;
      if (value === null) continue;
      if (Array.isArray(value)) assert.deepEqual(faultsOf({ name: 'shown', steps: around(value) }), [], place);
      else if ('steps' in value) assert.deepEqual(faultsOf(value), [], place);
      else if ('webhooks' in value) assert.deepEqual(fileFaults('webhooks', value), [], place);
      else if ('purpose' in value) assert.deepEqual(faultsOf({ name: 'shown', steps: around([], value) }), [], place);
      else assert.deepEqual(Object.keys(value), ['scrape_configs', 'rule_files'], place);
    }
  }
});

/** Puts steps that a page shows alone between other steps that collect the data they need. */
function around(steps: unknown[], ofConsent: object = {}): unknown[] {
  const before = [
    { id: 'consent', type: 'consent', ...ofConsent },
    { id: 'document', type: 'document' },
    { id: 'face', type: 'face' },
  ];
  return [...before, ...steps, { id: 'decide', type: 'decision' }];
}

function faultsOf({ tags: _tags, ...definition }: Record<string, unknown>) {
  return checkDefinition(definition).faults;
}

function fileFaults(name: (typeof CONFIGURATION_FILES)[number], value: unknown): unknown[] {
  const isValid = new Ajv2020({ strict: false, validateFormats: false }).compile(configurationSchema(name) as object);
  return isValid(value) ? [] : (isValid.errors ?? []);
}

test('the shell commands of the documents are well-formed, and name only scripts and grove commands that exist', () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  const words = groveCommands();
  for (const { place, text } of inLanguage('sh')) {
    if (/^(GET|POST|DELETE) \//.test(text)) continue;
    // A reader puts a value in the place of <version> or an ellipsis.
    const { status, stderr } = spawnSync('bash', ['-n'], {
      input: text.replace(/<[a-z-]+>/gi, 'VALUE'),
      encoding: 'utf8',
    });
    assert.equal(status, 0, `${place}: ${stderr}`);
    for (const [, name = ''] of text.matchAll(/npm run (?:--silent )?([\w:-]+)/g))
      assert.ok(name in scripts, `${place} ${name}`);
    for (const [, line = ''] of text.matchAll(/^\s*(?:npx )?grove ([a-z][^\n#|]*)/gm)) {
      const parts = line.trim().split(/\s+/);
      const path = [parts.slice(0, 2).join(' '), parts[0] ?? ''].find((each) => words.has(each));
      assert.ok(path !== undefined, `${place}: there is no grove ${parts[0]}`);
      const next = words.get(path) ?? [];
      const options = parts.filter((word) => word.startsWith('--')).map((word) => word.replace(/=.*/, ''));
      for (const option of options) assert.ok(next.includes(option), `${place}: grove ${path} has no ${option}`);
      const isGroup = next.some((each) => !each.startsWith('--'));
      if (isGroup) assert.doesNotMatch(parts[1] ?? '', /^[a-z][a-z-]*$/, `${place}: there is no grove ${line}`);
    }
  }
});

test('every block of TypeScript and JavaScript compiles without errors', async () => {
  const folder = mkdtempSync(join(ROOT, 'packages/cli/documents-'));
  try {
    for (const [at, { place, text }] of [...inLanguage('ts'), ...inLanguage('js')].entries()) {
      assert.doesNotThrow(() => stripTypeScriptTypes(text), place);
      // A script that queries elements is left out, because no block says which elements the page has.
      if (!/\bdocument\.querySelector/.test(text))
        writeFileSync(join(folder, `block-${at}.ts`), `${declared(text)}${text}`);
    }
    // The declarations of the package are simple; those of the repository take a minute of processor time.
    const sdk = join(folder, 'node_modules/grove-idv-sdk');
    mkdirSync(sdk, { recursive: true });
    execFileSync('tar', ['-xzf', await packSdkOnce(), '-C', sdk, '--strip-components=1']);
    const compilerOptions = { lib: ['esnext', 'dom', 'dom.asynciterable'], noUnusedLocals: false };
    const settings = { extends: join(ROOT, 'tsconfig.base.json'), compilerOptions, include: ['*.ts'] };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(settings));
    const compiler = join(ROOT, 'node_modules/typescript-native/bin/tsc');
    const { stdout } = spawnSync(process.execPath, [compiler, '-p', folder], { encoding: 'utf8' });
    assert.equal(stdout, '');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

/** Variables that the reader of a snippet has, unless the snippet declares them. */
const DECLARED: Record<string, string> = {
  apiKey: 'string',
  redirectUrl: 'string',
  bytes: 'Uint8Array',
  documentPortrait: 'Uint8Array',
  selfie: 'Uint8Array',
  findFace: "NonNullable<NonNullable<Parameters<typeof import('@grove/vision').readDocument>[1]>['findFace']>",
  askYourServer: '(processInstanceId: string) => void',
};

function declared(text: string): string {
  const names = Object.keys(DECLARED).filter(
    (name) => new RegExp(`\\b${name}\\b`).test(text) && !new RegExp(`const (\\{[^}]*)?\\b${name}\\b`).test(text),
  );
  return names.map((name) => `declare const ${name}: ${DECLARED[name]};\n`).join('');
}

test('every element in a block of HTML is closed', () => {
  for (const { place, text } of inLanguage('html')) {
    const open: string[] = [];
    for (const [, slash, name = ''] of text.matchAll(/<(\/?)([a-z][a-z0-9]*)\b[^>]*>/g)) {
      if (VOID.has(name)) continue;
      if (slash === '') open.push(name);
      else assert.equal(open.pop(), name, place);
    }
    assert.deepEqual(open, [], place);
  }
});

const VOID = new Set(['meta', 'link', 'br', 'img', 'input', 'hr']);

/** The words that may follow each command, from the completion that the program prints. */
function groveCommands(): Map<string, string[]> {
  const script = execFileSync(process.execPath, [join(ROOT, 'packages/cli/bin/grove'), 'completion', 'bash'], {
    encoding: 'utf8',
  });
  return new Map(
    [...script.matchAll(/^ +"([^"]*)"\) next="([^"]*)"/gm)].map(([, path = '', next = '']) => [path, next.split(' ')]),
  );
}
