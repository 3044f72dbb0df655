import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';

/** Logs in a process of its own, because a log that throws would end it. */
const SCRIPT = `
  import { openLogLines } from ${JSON.stringify(import.meta.resolve('./log-lines.ts'))};
  import pino from 'pino';
  const log = pino(openLogLines(Number(process.argv[1])));
  const count = Number(process.argv[2]);
  for (let line = 0; line < count; line++) log.info({ line, text: 'x'.repeat(1000) }, 'a line');
  process.stdout.write('alive');
`;

describe('a log that cannot be written', () => {
  it('a log that cannot be written neither throws nor ends the process, however much is logged', async () => {
    const full = openSync('/dev/full', 'w');
    const child = spawn(process.execPath, ['--input-type=module', '-e', SCRIPT, '3', '3000'], {
      stdio: ['ignore', 'pipe', 'pipe', full],
      cwd: import.meta.dirname,
    });
    const output = await textOf(child.stdout as AsyncIterable<Buffer>);
    assert.equal(output, 'alive');
  });

  it('a log that can be written loses nothing', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'grove-log-'));
    const file = join(folder, 'log');
    const child = spawn(process.execPath, ['--input-type=module', '-e', SCRIPT, '3', '3000'], {
      stdio: ['ignore', 'pipe', 'pipe', openSync(file, 'w')],
      cwd: import.meta.dirname,
    });
    assert.equal(await textOf(child.stdout as AsyncIterable<Buffer>), 'alive');
    assert.equal(readFileSync(file, 'utf8').trim().split('\n').length, 3000);
    rmSync(folder, { recursive: true });
  });
});

async function textOf(stream: AsyncIterable<Buffer>): Promise<string> {
  let text = '';
  for await (const chunk of stream) text += chunk;
  return text;
}
