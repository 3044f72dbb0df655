import type { FacePackName } from '../faces/packs.ts';
import type { ImageFaultReason } from '../images/image-fault.ts';
import type { NativeCalls } from '../native-calls.ts';

/** What a worker is told at its start. */
export type WorkerOptions = { readonly pack: FacePackName; readonly weights?: string };

/** What the pool hands to a worker: what its script wants to know, and where it counts its calls of native libraries. */
export type WorkerData<Options> = { readonly options: Options; readonly nativeCalls: NativeCalls };

/** What the threads say to each other. Everything is plain data. */
export type ToWorker =
  | { readonly kind: 'job'; readonly job: number; readonly task: string; readonly input: unknown }
  /** Finish what you do, then end. */
  | { readonly kind: 'leave' };

export type FromWorker =
  | { readonly kind: 'ready' }
  | { readonly kind: 'result'; readonly job: number; readonly result: unknown }
  | { readonly kind: 'image_fault'; readonly job: number; readonly reason: ImageFaultReason }
  | { readonly kind: 'unknown_task'; readonly job: number }
  | { readonly kind: 'error'; readonly job: number; readonly message: string };

/** A task takes plain data and gives plain data; it runs alone in its thread. */
export type Task = (input: unknown) => Promise<unknown>;
