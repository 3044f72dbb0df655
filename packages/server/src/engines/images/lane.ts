import { ApiError } from '../../kernel/errors.ts';
import { fairQueue, type Share } from '../../kernel/fair-queue.ts';
import type { DecodedType } from './detect-image-type.ts';
import type { Frame } from './frames.ts';
import { senderOf } from './slow-senders.ts';
import type { ImageChild, TimeLimits } from './start-child.ts';

/** A few processes that decode, and the files that wait for them. Tenants take turns. */
export type Lane = {
  readonly waiting: readonly Work[];
  put(work: Work): void;
  /** Starts a process, if none runs. */
  warm(): void;
  /** Refuses waiting files and ends the processes. */
  stop(): Promise<void>;
};

export type Work = {
  readonly type: DecodedType;
  readonly bytes: Uint8Array;
  readonly share: Share;
  done(frame: Frame | 'died' | 'too_slow'): void;
  failed(error: unknown): void;
};

export type LaneDeps = {
  readonly processes: number;
  readonly idleMs: number;
  /** Whether a sender may have only one file at work at a time. */
  readonly oneAtATime: boolean;
  start(): Promise<ImageChild>;
  limitsOf(share: Share): TimeLimits;
  onFrame(work: Work, frame: Frame | 'died' | 'too_slow'): void;
  onError: ((what: string, error: unknown) => void) | undefined;
};

type Slot = { child?: ImageChild; work?: Promise<void> | undefined; idle?: NodeJS.Timeout; workedMs: number };

/** A process is replaced after this much work, so that honest work never reaches its limit of processor time. */
const MAX_WORK_MS = 60_000;
/** Charged when work begins, so that a tenant with work under way comes after one without. */
const EXPECTED_COST_MS = 100;
const RETRY_AFTER_SECONDS = 5;

export function openLane(deps: LaneDeps): Lane {
  const slots = Array.from({ length: deps.processes }, (): Slot => ({ workedMs: 0 }));
  const queue = fairQueue<Work>();
  const sendersAtWork = new Set<string>();
  let stopped = false;

  /** A slot does one thing at a time, and its process ends after an idle while. */
  const occupy = (slot: Slot, work: Promise<void>) => {
    clearTimeout(slot.idle);
    slot.work = work.finally(() => {
      slot.work = undefined;
      slot.idle = setTimeout(() => void release(slot), deps.idleMs).unref();
      begin();
    });
  };

  const begin = () => {
    // A running process is ready sooner.
    const free = slots.find(({ work, child }) => !work && child) ?? slots.find(({ work }) => !work);
    const work = free && queue.take(({ share }) => !deps.oneAtATime || !sendersAtWork.has(senderOf(share)));
    if (work) occupy(free, perform(free, work));
  };

  const perform = async (slot: Slot, work: Work): Promise<void> => {
    const sender = senderOf(work.share);
    sendersAtWork.add(sender);
    try {
      deps.onFrame(work, await decode(slot, work));
    } catch (error) {
      work.failed(error instanceof ApiError ? error : cannotDecode(error, deps));
    } finally {
      sendersAtWork.delete(sender);
    }
  };

  const decode = async (slot: Slot, { type, bytes, share }: Work) => {
    const limits = deps.limitsOf(share);
    queue.charge(share, EXPECTED_COST_MS);
    const child = slot.child ?? (await start(slot, deps));
    if (stopped) throw stopping();
    const startedAt = performance.now();
    const frame = await child.ask(type, bytes, limits);
    const tookMs = performance.now() - startedAt;
    queue.charge(share, Math.max(0, tookMs - EXPECTED_COST_MS));
    slot.workedMs += tookMs;
    if (isWornOut(slot, frame)) await release(slot);
    if (typeof frame === 'string' && stopped) throw stopping();
    return frame;
  };

  return {
    waiting: queue.waiting,
    put(work) {
      queue.add(work);
      begin();
    },
    warm() {
      const [first] = slots;
      const isAsleep = slots.every(({ child, work }) => !child && !work);
      // The caller that brings the next image gets the error.
      if (first && isAsleep && !stopped) occupy(first, start(first, deps).then(noop, noop));
    },
    async stop() {
      stopped = true;
      for (let work = queue.take(); work; work = queue.take()) work.failed(stopping());
      await endAll(slots);
    },
  };
}

async function start(slot: Slot, deps: Pick<LaneDeps, 'start'>): Promise<ImageChild> {
  const child = await deps.start();
  slot.child = child;
  slot.workedMs = 0;
  return child;
}

/** If something broke in a process, more may be broken. */
function isWornOut({ workedMs }: Slot, frame: Frame | string): boolean {
  return typeof frame === 'string' || frame.words.reason === 'broke' || workedMs > MAX_WORK_MS;
}

async function endAll(slots: readonly Slot[]): Promise<void> {
  await Promise.all(slots.map(release));
  // A process that was just starting is running now.
  await Promise.all(slots.map(({ work }) => work));
  await Promise.all(slots.map(release));
}

async function release(slot: Slot): Promise<void> {
  const { child } = slot;
  clearTimeout(slot.idle);
  delete slot.child;
  await child?.end();
}

const noop = () => undefined;

function cannotDecode(error: unknown, { onError }: Pick<LaneDeps, 'onError'>): ApiError {
  onError?.('images cannot be decoded', error);
  return new ApiError(100010, { cause: error, retryAfterSeconds: RETRY_AFTER_SECONDS });
}

export function notNow(detail: string): ApiError {
  return new ApiError(100010, { detail, retryAfterSeconds: RETRY_AFTER_SECONDS });
}

export const stopping = () => notNow('the server is stopping');
