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
 * Every block of code in what users read, held to its language: parsed, compiled, or compared with the commands that
 * exist. Those that can run against a server are run by packages/cli/src/documentation.test.ts and others.
 */
const ROOT = fileURLToPath(new URL('..', import.meta.url));
test('every block names a language that is checked', () => {
  const known = new Set(['sh', 'ts', 'js', 'json', 'yaml', 'html', 'text']);
  assert.deepEqual(
    blocks.filter(({ language }) => !known.has(language)).map(({ place, language }) => `${place} ${language}`),
    [],
  );
  assert.ok(blocks.length > 90, `${blocks.length} blocks`);
});

/** What a block of JSON shows: how it begins, and the schema of the contract that it is held against. */
const SHOWN: readonly (readonly [file: string, begins: string, schema: string])[] = [
  ['docs/appkeys.md', '{ "sessionData"', 'AppkeyAuthentication'],
  ['docs/identity-store.md', '{ "type": "urn:grove:error:2101"', 'Problem'],
  ['docs/liveness.md', '{ "challengeId"', 'JourneyChallenge'],
  ['docs/quick-start.md', '{ "type": "urn:grove:error:100001"', 'Problem'],
  ['docs/results.md', '{ "level"', 'Assurance'],
  ['docs/security.md', '{ "redirectOrigins"', 'ProcessSettingsUpdate'],
];
/** Written by `npm run generate` from the contract, whose test compares them. */
const GENERATED = ['docs/events.md'];
/** A webhook's payload, which no operation answers, a template with placeholders, and the directory of regions. */
const OTHER = ['{ "id": "01K8Z4MCW8A0C2E4G6J8M0P2R4"', '{ "event": "{type}"', '{ "acme": "fir"'];

test('JSON is what the contract says of it', () => {
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
    const [, , schema] = SHOWN.find(([shown, begins]) => shown === file && plain.startsWith(begins)) ?? [];
    if (schema === undefined) {
      assert.ok(GENERATED.includes(file) || OTHER.some((begins) => plain.startsWith(begins)), place);
      continue;
    }
    const isValid = ajv.getSchema(`contract#/components/schemas/${schema}`);
    assert.ok(isValid?.(value), `${place} ${schema}: ${ajv.errorsText(isValid?.errors)}`);
  }
});

test('YAML is a process definition, a part of one, or a file of a configuration', () => {
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

/** Steps that a page shows by themselves, between others that gather what they need. */
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

test('shell commands are well-formed, and name only scripts and grove commands that exist', () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  const words = groveCommands();
  for (const { place, text } of inLanguage('sh')) {
    if (/^(GET|POST|DELETE) \//.test(text)) continue;
    // A reader puts a value where the page has <version> or an ellipsis.
    const { status, stderr } = spawnSync('bash', ['-n'], {
      input: text.replace(/<[a-z-]+>/gi, 'VALUE'),
      encoding: 'utf8',
    });
    assert.equal(status, 0, `${place}: ${stderr}`);
    for (const [, name = ''] of text.matchAll(/npm run (?:--silent )?([\w:-]+)/g))
      assert.ok(name in scripts, `${place} ${name}`);
    for (const [, line = ''] of text.matchAll(/^\s*(?:npx )?grove ([a-z][^\n#|]*)/gm)) {
      const said = line.trim().split(/\s+/);
      const path = [said.slice(0, 2).join(' '), said[0] ?? ''].find((each) => words.has(each));
      assert.ok(path !== undefined, `${place}: there is no grove ${said[0]}`);
      const next = words.get(path) ?? [];
      const options = said.filter((word) => word.startsWith('--')).map((word) => word.replace(/=.*/, ''));
      for (const option of options) assert.ok(next.includes(option), `${place}: grove ${path} has no ${option}`);
      const isGroup = next.some((each) => !each.startsWith('--'));
      if (isGroup) assert.doesNotMatch(said[1] ?? '', /^[a-z][a-z-]*$/, `${place}: there is no grove ${line}`);
    }
  }
});

test('TypeScript and JavaScript have no fault of syntax nor of type', async () => {
  const folder = mkdtempSync(join(ROOT, 'packages/cli/documents-'));
  try {
    for (const [at, { place, text }] of [...inLanguage('ts'), ...inLanguage('js')].entries()) {
      assert.doesNotThrow(() => stripTypeScriptTypes(text), place);
      // Which elements a page has, no block of a script says.
      if (!/\bdocument\.querySelector/.test(text))
        writeFileSync(join(folder, `block-${at}.ts`), `${declared(text)}${text}`);
    }
    // The declarations of the package are plain; those of the repository take a minute of the processor.
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

/** What the reader of a snippet has at hand, unless the snippet says it itself. */
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

test('every element of a page in HTML is closed', () => {
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

/** What may follow each command, from the completion that the program prints. */
function groveCommands(): Map<string, string[]> {
  const script = execFileSync(process.execPath, [join(ROOT, 'packages/cli/bin/grove'), 'completion', 'bash'], {
    encoding: 'utf8',
  });
  return new Map(
    [...script.matchAll(/^ +"([^"]*)"\) next="([^"]*)"/gm)].map(([, path = '', next = '']) => [path, next.split(' ')]),
  );
}
