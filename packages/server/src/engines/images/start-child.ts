import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { getCompileCacheDir } from 'node:module';
import type { Socket } from 'node:net';
import { setPriority } from 'node:os';
import { dirname, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Confinement } from './confine.ts';
import type { DecodedType } from './detect-image-type.ts';
import { type Frame, frameParts, readFrames } from './frames.ts';
import { MAX_OUTPUT_BYTES } from './limits.ts';
import { END_OF_FALLBACK } from './start-confined.ts';

/** A process that decodes images, one at a time. */
export type ImageChild = {
  readonly pid: number | undefined;
  /** What the process reported before it received any image. */
  readonly confinement: Confinement;
  /** Resolves to a word if the process died or was ended because it took too long. It cannot be used after that. */
  ask(type: DecodedType, bytes: Uint8Array, limits: TimeLimits): Promise<Frame | 'died' | 'too_slow'>;
  end(): Promise<void>;
};

export type TimeLimits = {
  readonly wallMs: number;
  /**
   * A limit of processor time, so a busy machine makes no file slow. Where that cannot be measured, it is a limit of
   * the clock.
   */
  readonly cpuMs?: number;
};

export type ChildOptions = {
  /** In addition to what Node itself needs. */
  readonly memoryBytes: number;
  /** Whether it can draw pages of PDFs. */
  readonly pages: boolean;
  /** The niceness of the process: 0 to 19. */
  readonly niceness: number;
};

export const CHILD_SCRIPT = fileURLToPath(new URL('./child.ts', import.meta.url));
const START_CONFINED = fileURLToPath(new URL('./start-confined.ts', import.meta.url));
/** Ends a process in an endless loop whose server has died. No honest request needs that much. */
const MAX_CPU_SECONDS = 120;
const MAX_OPEN_FILES = 64;
/** The unit in which Linux counts processor time: `USER_HZ` is 100 on all architectures in use. */
const CPU_TICK_MS = 10;
const HEAP_MB = 64;
const START_WITHIN_MS = 20_000;
/** Settings of the allocator, so that one image does not leave fragmented memory to the next. */
const ENVIRONMENT = { MALLOC_ARENA_MAX: '1', MALLOC_TRIM_THRESHOLD_: '131072', UV_THREADPOOL_SIZE: '1' };
/** Memory that Node maps for compiled code at its start counts as data, although hardly any of it is ever used. */
const NODE_BYTES = (process.arch === 'x64' ? 640 : 400) * 2 ** 20;
/** Rejects if the process does not start, which is no fault of an image. */
export async function startChild(options: ChildOptions): Promise<ImageChild> {
  const child = launch(CHILD_SCRIPT, options);
  // After an error event there may be no exit event, and the reverse.
  const exit = new Promise<void>((done) => void child.once('error', () => done()).once('close', () => done()));
  const stdin = child.stdin as Socket;
  const stdout = child.stdout as Socket;
  stdin.on('error', () => undefined);
  const frames = readFrames(stdout, MAX_OUTPUT_BYTES);
  /** An idle process must not keep the server running. */
  const hold = (busy: boolean) => {
    for (const handle of [child, stdin, stdout]) busy ? handle.ref() : handle.unref();
  };
  const end = () => {
    hold(true);
    child.kill('SIGKILL');
    return exit;
  };
  const next = async ({ wallMs, cpuMs = wallMs }: TimeLimits): Promise<Frame | 'died' | 'too_slow'> => {
    let late = false;
    const startedAt = performance.now();
    const cpuBefore = cpuMs < wallMs ? cpuTimeOf(child.pid) : undefined;
    const checkTime = () => {
      const leftMs = wallMs - (performance.now() - startedAt);
      const cpuNow = cpuBefore === undefined ? undefined : cpuTimeOf(child.pid);
      const cpuLeftMs = cpuBefore === undefined || cpuNow === undefined ? 0 : cpuMs - (cpuNow - cpuBefore);
      if (leftMs > 0 && cpuLeftMs > 0) {
        timer = setTimeout(checkTime, Math.min(leftMs, Math.max(cpuLeftMs, CPU_TICK_MS)));
        return;
      }
      late = true;
      void end();
    };
    let timer = setTimeout(checkTime, Math.min(wallMs, cpuMs));
    hold(true);
    const endReason = () => (late ? 'too_slow' : 'died');
    try {
      const { value, done } = await frames.next();
      return done ? endReason() : value;
    } catch {
      return endReason();
    } finally {
      clearTimeout(timer);
      hold(false);
    }
  };
  const ready = await next({ wallMs: START_WITHIN_MS });
  if (typeof ready === 'string') {
    await end();
    throw new Error('the process that decodes images could not be started');
  }
  return {
    pid: child.pid,
    confinement: ready.words.confinement as Confinement,
    end,
    async ask(type, bytes, limits) {
      for (const part of frameParts({ type }, bytes)) stdin.write(part);
      const frame = await next(limits);
      if (typeof frame === 'string') await end();
      return frame;
    },
  };
}

/**
 * Runs a script with the limits of the decoder and none of our environment, so that a hostile file finds no secrets
 * there. The script itself must call `confine`.
 */
export function launch(script: string, { memoryBytes, pages, niceness }: ChildOptions): ChildProcess {
  const args = [`--max-old-space-size=${HEAP_MB}`, script, ...(pages ? ['--pages'] : [])];
  const options: SpawnOptions = { env: environment(), cwd: '/', stdio: ['pipe', 'pipe', 'ignore'], windowsHide: true };
  if (process.platform === 'win32') {
    return spawn(process.execPath, [...permissions(), ...args], { ...options, cwd: dirname(script) });
  }
  const limits = [
    'ulimit -c 0',
    'ulimit -f 0',
    `ulimit -n ${MAX_OPEN_FILES}`,
    `ulimit -t ${MAX_CPU_SECONDS}`,
    `ulimit -d ${Math.floor((NODE_BYTES + memoryBytes) / 1024)}`,
  ];
  const confined = process.platform === 'linux' ? [START_CONFINED, ...permissions(), END_OF_FALLBACK] : permissions();
  const node = [process.execPath, ...confined, ...args];
  const child = spawn('/bin/sh', ['-c', `${limits.join(' && ')} || exit 1; exec "$@"`, 'sh', ...node], options);
  try {
    if (child.pid !== undefined) setPriority(child.pid, niceness);
  } catch {
    // The process may be gone already; then the caller of `ask` gets the error.
  }
  return child;
}

/**
 * Node's permission model, where system calls cannot be filtered. It is not used beside a filter, which forbids more:
 * with it Node ignores cached compiled code, and a start takes twice the processor time.
 */
export function permissions(): string[] {
  return ['--permission', '--allow-addons', ...readable().map((folder) => `--allow-fs-read=${folder}`)];
}

/** The processor time of a process; undefined where the system does not say. */
function cpuTimeOf(pid: number | undefined): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // After the name, which may contain anything, come the fields 3 and on of proc(5). Fields 14 and 15 are the times.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) * CPU_TICK_MS;
  } catch {
    return undefined;
  }
}

/** The folders from which the code is loaded: this one, and those of installed packages. */
function readable(): string[] {
  const packages = ['sharp', '@hyzyla/pdfium/pdfium.wasm', 'koffi'].map((name) => {
    const path = fileURLToPath(import.meta.resolve(name));
    const folder = `${sep}node_modules${sep}`;
    return path.slice(0, path.lastIndexOf(folder) + folder.length - 1);
  });
  return [...new Set([dirname(CHILD_SCRIPT), ...packages])];
}

/** The cache of compiled code, so that a start need not compile again. */
function environment(): NodeJS.ProcessEnv {
  const compiled = getCompileCacheDir();
  return { ...ENVIRONMENT, ...(compiled !== undefined && { NODE_COMPILE_CACHE: dirname(compiled) }) };
}
