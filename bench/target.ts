import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { endWithBench } from './clean-up.ts';
import type { BenchPlace } from './config.ts';
import type { YardstickSettings } from './yardstick.ts';

/** A server in a process of its own, on loopback. */
export type Target = {
  pid: number;
  /** The first process of the server's PostgreSQL, if there is one on this machine. */
  databasePid?: number | undefined;
  origin: string;
  /** The time from the start of the process until it prints that it is ready. */
  readyMs: number;
  stop(): Promise<void>;
};

const COMPILE_CACHE = fileURLToPath(new URL('../node_modules/.cache/grove', import.meta.url));
const READY_WITHIN_MS = 60_000;
const STOP_WITHIN_MS = 15_000;

/** `profileFolder` is where V8 writes its profile of the processor. */
export async function startGrove(place: BenchPlace, profileFolder?: string): Promise<Target> {
  const profile = profileFolder ? ['--cpu-prof', `--cpu-prof-dir=${profileFolder}`] : [];
  const { dataFolder, databaseUrl = '', databasePid, blind = false } = place;
  const target = await start('./serve.ts', profile, {
    BENCH_DATA: dataFolder,
    BENCH_DATABASE: databaseUrl,
    BENCH_BLIND: blind ? 'yes' : '',
  });
  return { ...target, databasePid };
}

export function startYardstick(settings: YardstickSettings): Promise<Target> {
  return start('./yardstick.ts', [], { BENCH_YARDSTICK: JSON.stringify(settings) });
}

async function start(script: string, flags: string[], environment: Record<string, string>): Promise<Target> {
  const from = performance.now();
  const child = spawn(process.execPath, [...flags, fileURLToPath(new URL(script, import.meta.url))], {
    // As the command line does: compiled code is stored and reused.
    env: { ...process.env, NODE_COMPILE_CACHE: COMPILE_CACHE, ...environment },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = endWithBench(child);
  child.once('exit', ended);
  try {
    const port = await readyPort(child, script);
    const { pid } = child;
    if (pid === undefined) throw new Error(`${script} has no process`);
    return {
      pid,
      origin: `http://127.0.0.1:${port}`,
      readyMs: performance.now() - from,
      stop: () => stop(child, script),
    };
  } catch (error) {
    child.kill('SIGKILL');
    throw error;
  }
}

async function readyPort(child: ChildProcess & { stdout: NodeJS.ReadableStream }, script: string): Promise<number> {
  const late = setTimeout(() => child.kill('SIGKILL'), READY_WITHIN_MS);
  try {
    for await (const line of createInterface({ input: child.stdout })) {
      const { port } = JSON.parse(line) as { port?: unknown };
      if (typeof port === 'number') return port;
    }
  } finally {
    clearTimeout(late);
  }
  throw new Error(`${script} ended, or took more than ${READY_WITHIN_MS} ms, before it was ready`);
}

async function stop(child: ChildProcess, script: string): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) {
    const exited = once(child, 'exit');
    const late = setTimeout(() => child.kill('SIGKILL'), STOP_WITHIN_MS);
    child.kill('SIGTERM');
    await exited;
    clearTimeout(late);
  }
  if (child.exitCode !== 0) console.error(`${script} ended with ${child.exitCode ?? child.signalCode}`);
}
