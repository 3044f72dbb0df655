import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import { setPriority } from 'node:os';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { DecodedType } from './detect-image-type.ts';
import { type Frame, frameParts, readFrames } from './frames.ts';
import { MAX_OUTPUT_BYTES } from './limits.ts';

/** One process that decodes images, asked one at a time. */
export type ImageChild = {
  readonly pid: number | undefined;
  /** A word if the process died over it, or took too long and was ended. It is of no use after that. */
  ask(type: DecodedType, bytes: Uint8Array): Promise<Frame | 'died' | 'too_slow'>;
  /** Resolves once it is gone. */
  end(): Promise<void>;
};

export type ChildLimits = {
  /** For one image. */
  timeoutMs: number;
  /** Beside what Node itself takes. */
  memoryBytes: number;
};

const SCRIPT = fileURLToPath(new URL('./child.ts', import.meta.url));
const HEAP_MB = 64;
const START_WITHIN_MS = 20_000;
/** One image must not find the memory in pieces that the one before it used. */
const ENVIRONMENT = { MALLOC_ARENA_MAX: '1', MALLOC_TRIM_THRESHOLD_: '131072', UV_THREADPOOL_SIZE: '1' };
/** What Node maps for compiled code as soon as it starts counts as data, although hardly any of it is ever touched. */
const NODE_BYTES = (process.arch === 'x64' ? 640 : 400) * 2 ** 20;
/** Whoever waits for an answer that costs nothing should not wait for pictures. */
const NICENESS = 5;

/** Rejects if it does not come up: that is no fault of an image. */
export async function startChild({ timeoutMs, memoryBytes }: ChildLimits): Promise<ImageChild> {
  const child = launch(memoryBytes);
  // With an error event there need not be an exit, and the other way round.
  const ended = new Promise<void>((done) => void child.once('error', () => done()).once('close', () => done()));
  const stdin = child.stdin as Socket;
  const stdout = child.stdout as Socket;
  stdin.on('error', () => undefined);
  const frames = readFrames(stdout, MAX_OUTPUT_BYTES);
  /** A process that has nothing to do must not keep the server from ending. */
  const hold = (busy: boolean) => {
    for (const handle of [child, stdin, stdout]) busy ? handle.ref() : handle.unref();
  };
  const end = () => {
    hold(true);
    child.kill('SIGKILL');
    return ended;
  };
  const next = async (withinMs: number): Promise<Frame | 'died' | 'too_slow'> => {
    let late = false;
    const tooLate = () => {
      late = true;
      void end();
    };
    const timer = setTimeout(tooLate, withinMs);
    hold(true);
    const gone = () => (late ? 'too_slow' : 'died');
    try {
      const { value, done } = await frames.next();
      return done ? gone() : value;
    } catch {
      return gone();
    } finally {
      clearTimeout(timer);
      hold(false);
    }
  };
  const ready = await next(START_WITHIN_MS);
  if (typeof ready === 'string') {
    await end();
    throw new Error('the process that decodes images could not be started');
  }
  return {
    pid: child.pid,
    end,
    async ask(type, bytes) {
      for (const part of frameParts({ type }, bytes)) stdin.write(part);
      const frame = await next(timeoutMs);
      if (typeof frame === 'string') await end();
      return frame;
    },
  };
}

/** Nothing of our environment: what it is asked to read must not find our secrets there. */
function launch(memoryBytes: number): ChildProcess {
  const node = [process.execPath, `--max-old-space-size=${HEAP_MB}`, '--expose-gc', SCRIPT];
  const options: SpawnOptions = { env: ENVIRONMENT, cwd: '/', stdio: ['pipe', 'pipe', 'ignore'], windowsHide: true };
  if (process.platform === 'win32')
    return spawn(node[0] as string, node.slice(1), { ...options, cwd: dirname(SCRIPT) });
  const limited = `ulimit -c 0; ulimit -d ${Math.floor((NODE_BYTES + memoryBytes) / 1024)} || exit 1; exec "$@"`;
  const child = spawn('/bin/sh', ['-c', limited, 'sh', ...node], options);
  try {
    if (child.pid !== undefined) setPriority(child.pid, NICENESS);
  } catch {
    // It may be gone already, and then whoever asks it is told.
  }
  return child;
}
