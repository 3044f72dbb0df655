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

/** Forbids further calls of the worker: the next one throws. A running call continues. */
export function forbidNativeCalls(calls: NativeCalls): void {
  Atomics.store(calls, FORBIDDEN, 1);
}

export function isInNativeCall(calls: NativeCalls): boolean {
  return Atomics.load(calls, RUNNING) > 0;
}

/** The calls of this thread, if a pool started it. */
const own = (workerData as { nativeCalls?: NativeCalls } | null)?.nativeCalls;

/** All calls of ONNX Runtime and libvips pass through here. */
export async function nativeCall<Result>(call: () => Promise<Result>, calls = own): Promise<Result> {
  if (!calls) return call();
  // The call is counted before it is checked. Otherwise the pool could forbid it and see none in between.
  Atomics.add(calls, RUNNING, 1);
  try {
    if (Atomics.load(calls, FORBIDDEN) === 1) throw new Error('the worker was told to leave');
    return await call();
  } finally {
    Atomics.sub(calls, RUNNING, 1);
  }
}
