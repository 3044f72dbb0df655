import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';

const MAX_GZIPPED_BYTES = 16_000;

const directory = new URL('./', import.meta.url);
const importing = /^(?:import|export)\b(?! type)[^;]*?from '([^']+)'/gm;

/** The files that an import of the package loads, as JavaScript. */
function runtimeFiles(entry = 'index.ts', loaded = new Map<string, string>()): Map<string, string> {
  if (loaded.has(entry)) return loaded;
  const source = readFileSync(new URL(entry, directory), 'utf8');
  loaded.set(entry, stripTypeScriptTypes(source));
  for (const [, from = ''] of source.matchAll(importing)) {
    assert(from.startsWith('./'), `${entry} imports ${from}: the client depends on nothing at run time`);
    runtimeFiles(from.slice(2), loaded);
  }
  return loaded;
}

test('the client is at most 16 kB gzipped, and depends on no package and on nothing of Node', () => {
  const files = runtimeFiles();
  assert(files.has('routes.generated.ts') && files.has('call.ts'));
  const sizes = [...files.values()].map((source) => gzipSync(source).byteLength);
  const total = sizes.reduce((sum, size) => sum + size, 0);
  assert(total <= MAX_GZIPPED_BYTES, `${total} bytes`);
});

test('no file of the client uses a global that only Node has', () => {
  for (const [name, source] of runtimeFiles()) {
    assert(!/\b(?:process\.|Buffer\.|require\(|setImmediate\()/.test(source), name);
  }
});
