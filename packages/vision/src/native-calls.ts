import { workerData } from 'node:worker_threads';

/**
 * A thread that is ended by force while a native library computes for it aborts the whole process: the library throws
 * (`Napi::Error`), because there is no JavaScript left to return to. So a worker counts its calls of such libraries in
 * memory that it shares with the pool, and the pool ends it only between two calls.
 */
export type NativeCalls = Int32Array<SharedArrayBuffer>;

const RUNNING = 0;
const FORBIDDEN = 1;

export function newNativeCalls(): NativeCalls {
  return new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT));
}

/** From now on the worker makes no further call: the next one throws. A call under way goes on. */
export function forbidNativeCalls(calls: NativeCalls): void {
  Atomics.store(calls, FORBIDDEN, 1);
}

export function isInNativeCall(calls: NativeCalls): boolean {
  return Atomics.load(calls, RUNNING) > 0;
}

/** Those of this thread, if a pool started it. */
const own = (workerData as { nativeCalls?: NativeCalls } | null)?.nativeCalls;

/** Every call of ONNX Runtime and of libvips goes through here. */
export async function nativeCall<Result>(call: () => Promise<Result>, calls = own): Promise<Result> {
  if (!calls) return call();
  // The call is counted before it is known to be allowed. Otherwise the pool could forbid it and see none in between.
  Atomics.add(calls, RUNNING, 1);
  try {
    if (Atomics.load(calls, FORBIDDEN) === 1) throw new Error('the worker was told to leave');
    return await call();
  } finally {
    Atomics.sub(calls, RUNNING, 1);
  }
}
