import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { globSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, it } from 'node:test';
import { fileURLToPath } from 'node:url';

const SOURCES = fileURLToPath(new URL('..', import.meta.url));
const OPEN = `import(${JSON.stringify(new URL('../index.ts', import.meta.url).href)})
  .then(({ openVision }) => openVision({ workers: 1 })).then((vision) => vision.stop());`;

const home = mkdtempSync(join(tmpdir(), 'grove-home-'));
after(() => rmSync(home, { recursive: true }));

it('ONNX Runtime collects nothing for its maker when a network is opened, whatever the environment', () => {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const env = { PATH, NODE_COMPILE_CACHE, HOME: home, TMPDIR: home, ORT_DISABLE_TELEMETRY: '0' };
  execFileSync(process.execPath, ['--eval', OPEN], { env });
  // Its reports would be in `.cache/Microsoft`, and its log among the temporary files.
  assert.deepEqual(readdirSync(home), []);
});

it('ONNX Runtime is imported by one module, which forbids its reports first', () => {
  const importing = globSync('**/*.ts', { cwd: SOURCES }).filter((file) =>
    /(from|import\() ?'onnxruntime-node'/.test(readFileSync(join(SOURCES, file), 'utf8')),
  );
  assert.deepEqual(importing, [join('onnx', 'runtime.ts')]);
});
