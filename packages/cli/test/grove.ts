import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Ready } from '../src/commands/start.ts';

/** The real command in a process of its own, on a real data folder. */
export const GROVE = fileURLToPath(new URL('../bin/grove', import.meta.url));

/** The bundled command, in a run of many test files. */
export const COMMAND = process.env.TEST_COMMANDS ? join(process.env.TEST_COMMANDS, 'grove.mjs') : GROVE;

const COMMAND_TIMEOUT_MS = 60_000;

// Compiling is most of the time of a short command, so all of them share their compiled code.
const compiled = process.env.NODE_COMPILE_CACHE ?? compiledForThisFile();

function compiledForThisFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'grove-cli-compiled-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export type Environment = Record<string, string | undefined>;
type Output = { stdout: string; stderr: string };
export type CommandResult = Output & { code: number | null };

export function temporaryFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'grove-cli-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** The environment of a command, without any variable of the person who runs the tests. */
export function environmentOf(variables: Environment): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH, HOME: process.env.HOME, NODE_COMPILE_CACHE: compiled, PORT: '0', ...variables };
}

export async function grove(args: readonly string[], env: Environment): Promise<CommandResult> {
  const child = spawn(process.execPath, [COMMAND, ...args], {
    env: environmentOf(env),
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: COMMAND_TIMEOUT_MS,
  });
  const readOutput = collect(child);
  const code = await ended(child);
  return { code, ...readOutput() };
}

const SCRIPT = '/usr/bin/script';

/** The reason to skip tests that need a terminal, if none can be made. */
export const NO_TERMINAL = process.platform !== 'linux' || !existsSync(SCRIPT) ? 'script(1) is not here' : false;

/** Runs a command at a terminal of its own, and types `typed` at its first output. */
export async function atTerminal(args: readonly string[], env: Environment, typed = ''): Promise<CommandResult> {
  const command = [process.execPath, COMMAND, ...args].map((word) => `'${word}'`).join(' ');
  const child = spawn(SCRIPT, ['-qec', command, '/dev/null'], { env: environmentOf(env), timeout: COMMAND_TIMEOUT_MS });
  const readOutput = collect(child);
  // To write nothing to a command that has ended would fail.
  if (typed !== '') child.stdout.once('data', () => child.stdin.write(typed));
  const code = await ended(child);
  return { code, ...readOutput() };
}

/** The result of a command that must succeed. */
export async function groveJson<T>(args: readonly string[], env: Environment): Promise<T> {
  const { code, stdout, stderr } = await grove([...args, '--json'], env);
  if (code !== 0) throw new Error(`grove ${args.join(' ')} exited with ${code}: ${stderr}`);
  return JSON.parse(stdout) as T;
}

export type Server = {
  ready: Ready;
  /** Reachable whatever the resolver knows of names below localhost. */
  url: string;
  output(): Output;
  signal(name: NodeJS.Signals): void;
  ended: Promise<number | null>;
  /** Stops it gracefully. Resolves to its exit code. */
  stop(): Promise<number | null>;
};

/** Starts a server and waits until it is ready; it ends with the test. */
export async function startGrove(t: TestContext, env: Environment, ...args: string[]): Promise<Server> {
  const child = launch(t, env, ['start', '--json', ...args]);
  const output = collect(child);
  const over = ended(child);
  await lineFrom(child, output, over);
  const ready = JSON.parse(output().stdout) as Ready;
  return {
    ready,
    url: `http://localhost:${ready.port}`,
    output,
    signal: (name) => void child.kill(name),
    ended: over,
    stop() {
      child.kill('SIGTERM');
      return over;
    },
  };
}

/** Starts a server with output for people. Resolves to that output. */
export async function startForPeople(t: TestContext, env: Environment, ...args: string[]): Promise<string> {
  const child = launch(t, env, ['start', ...args]);
  const output = collect(child);
  await lineFrom(child, output, ended(child));
  return output().stdout;
}

function launch(t: TestContext, env: Environment, args: readonly string[]): ChildProcess {
  const child = spawn(process.execPath, [COMMAND, ...args], {
    env: environmentOf(env),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  t.after(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const over = ended(child);
    child.kill('SIGKILL');
    await over;
  });
  return child;
}

function collect(child: ChildProcess): () => Output {
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.setEncoding('utf8').on('data', (text: string) => {
      output[name] += text;
    });
  }
  return () => ({ ...output });
}

function ended(child: ChildProcess): Promise<number | null> {
  return new Promise((done, failed) => {
    child.once('close', (code) => done(code)).once('error', failed);
  });
}

/** The ready line is printed in one write. */
async function lineFrom(child: ChildProcess, output: () => Output, over: Promise<unknown>) {
  await new Promise<void>((done, failed) => {
    child.stdout?.on('data', () => output().stdout.endsWith('\n') && done());
    over.then(() => failed(new Error(`the server ended: ${output().stderr}`)), failed);
  });
}

export type Answer = { status: number; body: Record<string, unknown> };

export async function issue(url: string, apiKey: string): Promise<Answer & { token: string }> {
  const answer = await fetch(`${url}/api/arthr/apiKeys/issue`, { method: 'POST', headers: { 'X-Api-Key': apiKey } });
  const body = (await answer.json()) as Record<string, unknown>;
  return { status: answer.status, body, token: String(body.token) };
}

export type ApiKeyView = { id: string; name: string; status: string; lastIssuedAtDtm?: string };

/** The API keys that a key can list, by a token that it has issued. */
export async function keysSeenBy(url: string, apiKey: string): Promise<ApiKeyView[]> {
  const { token } = await issue(url, apiKey);
  const answer = await fetch(`${url}/api/arthr/apiKeys?size=100`, { headers: { Authorization: `Bearer ${token}` } });
  return ((await answer.json()) as { content: ApiKeyView[] }).content;
}
