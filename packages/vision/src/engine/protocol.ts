import type { FacePackName } from '../faces/packs.ts';
import type { ImageFaultReason } from '../images/image-fault.ts';
import type { NativeCalls } from '../native-calls.ts';

/** The options that a worker gets at its start. */
export type WorkerOptions = { readonly pack: FacePackName; readonly weights?: string };

/** What the pool passes to a worker: the options of its script, and the shared count of its native calls. */
export type WorkerData<Options> = { readonly options: Options; readonly nativeCalls: NativeCalls };

/** The messages between the threads. Everything is plain data. */
export type ToWorker =
  | { readonly kind: 'job'; readonly job: number; readonly task: string; readonly input: unknown }
  /** Asks the worker to finish its job and exit. */
  | { readonly kind: 'leave' };

export type FromWorker =
  | { readonly kind: 'ready' }
  | { readonly kind: 'result'; readonly job: number; readonly result: unknown }
  | { readonly kind: 'image_fault'; readonly job: number; readonly reason: ImageFaultReason }
  | { readonly kind: 'unknown_task'; readonly job: number }
  | { readonly kind: 'error'; readonly job: number; readonly message: string };

/** A task takes and returns plain data; it runs alone in its thread. */
export type Task = (input: unknown) => Promise<unknown>;
