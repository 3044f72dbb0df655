import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Environment } from '../src/config.ts';

/** Real processes for the tests: only killing a process can show what happens when it is killed. */
export type Child = {
  readonly pid: number;
  /** Returns the next line that it writes; rejects with its standard error if it ends instead. */
  line(): Promise<string>;
  tell(line: string): void;
  kill(signal: NodeJS.Signals): Promise<void>;
};

export type Children = { start(script: 'migrate' | 'server' | 'teller' | 'worker', environment: Environment): Child };

const MAX_ERROR_LENGTH = 10_000;

/** Every child is ended by its own process id when the tests are done. */
export function testChildren(): Children {
  const started: Child[] = [];
  // A server that is started twenty times need not be compiled twenty times, nor once for each file of a run.
  const shared = process.env.NODE_COMPILE_CACHE;
  const compiled = shared ?? mkdtempSync(join(tmpdir(), 'grove-compiled-'));
  after(async () => {
    for (const child of started) await child.kill('SIGKILL');
    if (!shared) rmSync(compiled, { recursive: true, force: true });
  });
  return {
    start(script, environment) {
      const { TEST_COMMANDS } = process.env;
      const source = fileURLToPath(new URL(`./children/${script}.ts`, import.meta.url));
      const file = TEST_COMMANDS ? join(TEST_COMMANDS, `${script}.mjs`) : source;
      const env = { PATH: process.env.PATH, NODE_COMPILE_CACHE: compiled, ...environment } as NodeJS.ProcessEnv;
      const child = watched(spawn(process.execPath, [file], { env, stdio: 'pipe' }));
      started.push(child);
      return child;
    },
  };
}

function watched(process: ChildProcess): Child {
  let errors = '';
  process.stderr?.setEncoding('utf8').on('data', (text: string) => {
    errors = (errors + text).slice(-MAX_ERROR_LENGTH);
  });
  // A killed child does not read any more.
  process.stdin?.on('error', () => undefined);
  const lines = createInterface({ input: process.stdout as NodeJS.ReadableStream })[Symbol.asyncIterator]();
  const end = new Promise<void>((done) => process.once('close', () => done()));
  return {
    pid: process.pid ?? 0,
    async line() {
      const { value, done } = await lines.next();
      if (!done) return value;
      await end;
      throw new Error(`the child process ended:\n${errors}`);
    },
    tell: (line) => void process.stdin?.write(`${line}\n`),
    async kill(signal) {
      process.kill(signal);
      await end;
    },
  };
}
