import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { parseAllDocuments } from 'yaml';
import { checkDefinition } from '../packages/server/src/process-manager/definitions/check-definition.ts';

/**
 * Every block of code in what users read, held to its language: parsed, compiled, or compared with the commands that
 * exist. Those that can run against a server are run by packages/cli/src/documentation.test.ts and others.
 */
const ROOT = fileURLToPath(new URL('..', import.meta.url));
const FILES = ['README.md', ...globSync('{docs/*.md,packages/{sdk,cli,embed}/README.md}', { cwd: ROOT }).sort()];

type Block = { place: string; language: string; text: string };

const blocks = FILES.flatMap((file) => {
  const source = readFileSync(join(ROOT, file), 'utf8');
  return [...source.matchAll(/^( *)```(\w*)\n(.*?)^\1```$/gms)].map((match): Block => {
    const line = source.slice(0, match.index).split('\n').length;
    return { place: `${file}:${line}`, language: match[2] ?? '', text: match[3] ?? '' };
  });
});
const inLanguage = (language: string) => blocks.filter((block) => block.language === language);

test('every block names a language that is checked', () => {
  const known = new Set(['sh', 'ts', 'js', 'json', 'yaml', 'html', 'text']);
  assert.deepEqual(
    blocks.filter(({ language }) => !known.has(language)).map(({ place, language }) => `${place} ${language}`),
    [],
  );
  assert.ok(blocks.length > 90, `${blocks.length} blocks`);
});

test('JSON can be parsed, but for the one template with placeholders', () => {
  for (const { place, text } of inLanguage('json')) {
    const filled = text.replace(/: \{sequence\}/g, ': 7');
    assert.doesNotThrow(() => JSON.parse(filled), place);
  }
});

test('YAML can be parsed, and what looks like a process definition is one', () => {
  for (const { place, text } of inLanguage('yaml')) {
    for (const document of parseAllDocuments(text)) {
      assert.deepEqual(document.errors, [], place);
      const value = document.toJS() as { name?: string; steps?: unknown; tags?: unknown } | null;
      if (!value?.steps || !value.name) continue;
      const { tags: _tags, ...definition } = value;
      assert.deepEqual(checkDefinition(definition).faults, [], place);
    }
  }
});

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

test('TypeScript and JavaScript have no fault of syntax, and what imports the SDK none of type', () => {
  const folder = mkdtempSync(join(ROOT, 'packages/cli/documents-'));
  try {
    for (const [at, { place, text }] of [...inLanguage('ts'), ...inLanguage('js')].entries()) {
      assert.doesNotThrow(() => stripTypeScriptTypes(text), place);
      if (/from '(grove-idv-sdk)'/.test(text)) writeFileSync(join(folder, `block-${at}.ts`), `${DECLARED}${text}`);
    }
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

/** What the reader of a snippet has at hand. */
const DECLARED = 'declare const apiKey: string;\n';

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
