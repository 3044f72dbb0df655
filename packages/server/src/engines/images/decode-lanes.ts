import { availableParallelism } from 'node:os';
import type { Share } from '../../kernel/fair-queue.ts';
import type { Confinement } from './confine.ts';
import { type DecodedType, PDF_TYPE } from './detect-image-type.ts';
import type { Frame } from './frames.ts';
import { type LaneDeps, notNow, openLane, stopping, type Work } from './lane.ts';
import { slowSenders } from './slow-senders.ts';
import { startChild } from './start-child.ts';

/**
 * Decides what is decoded when. Pictures go through a quick lane with little time for each. PDFs, pictures that needed
 * more time, and files of senders of such pictures go through a patient lane, so that nobody else waits for them. In
 * both lanes tenants take turns; in the patient lane a sender has one file at work at a time.
 */
export type DecodeLanes = {
  decode(type: DecodedType, bytes: Uint8Array, share: Share): Promise<Frame | 'died' | 'too_slow'>;
  warm(): void;
  stop(): Promise<void>;
};

export type LaneOptions = {
  /** The number in each lane. */
  processes?: number;
  /** The limit for one file in the patient lane. */
  timeoutMs?: number;
  /** The limit for one picture in the quick lane, in processor time: a busy machine makes no picture slow. */
  quickMs?: number;
  memoryBytes?: number;
  idleMs?: number;
  maxWaitingBytes?: number;
  onError?(what: string, error: unknown): void;
  /** Called for every process that starts. */
  onStart?(confinement: Confinement): void;
};

/** One processor is left for other requests. */
const PROCESSES = Math.max(1, Math.min(2, availableParallelism() - 1));
const TIMEOUT_MS = 10_000;
/** Several times what 25 megapixels take. */
const QUICK_MS = 1500;
/** 25 megapixels with transparency as WebP, turned on their side, take 450 MiB. */
const MEMORY_BYTES = 640 * 2 ** 20;
/** A process starts with the first image and ends when there were none for a while: most of the time nobody needs it. */
const IDLE_MS = 60_000;
const MAX_WAITING_BYTES = 256 * 2 ** 20;
const MAX_WAITING = 1000;
/**
 * The part of the queue that one tenant may fill. Most installations have one busy tenant, and 20 photographs of 8 MB
 * must fit.
 */
const TENANT_PART = 3 / 4;
/** An attempt has at most this many images. */
const MAX_WAITING_PER_SENDER = 30;
/** Requests that need no picture should not wait for pictures. */
const NICENESS = { quick: 5, patient: 10 };
export function openLanes(options: LaneOptions): DecodeLanes {
  const { processes = PROCESSES, idleMs = IDLE_MS, maxWaitingBytes = MAX_WAITING_BYTES, onError } = options;
  const { timeoutMs = TIMEOUT_MS, quickMs = QUICK_MS } = options;
  const slow = slowSenders();
  const patient = openLane({
    processes,
    idleMs,
    oneAtATime: true,
    start: childStarter(options, { pages: true, niceness: NICENESS.patient }),
    limitsOf: (share) => ({ wallMs: slow.limitOf(share, timeoutMs) }),
    onFrame(work, frame) {
      if (frame === 'too_slow') slow.add(work.share, true);
      work.done(frame);
    },
    onError,
  });
  const quick = openLane({
    processes,
    idleMs,
    oneAtATime: false,
    start: childStarter(options, { pages: false, niceness: NICENESS.quick }),
    limitsOf: () => ({ wallMs: timeoutMs, cpuMs: quickMs }),
    onFrame(work, frame) {
      if (frame !== 'too_slow') return work.done(frame);
      slow.add(work.share, false);
      patient.put(work);
    },
    onError,
  });
  let stopped = false;
  return {
    async decode(type, bytes, share) {
      if (stopped) throw stopping();
      ensureRoom([...quick.waiting, ...patient.waiting], { share, bytes, maxWaitingBytes });
      const lane = type === PDF_TYPE || slow.has(share) ? patient : quick;
      return new Promise((done, failed) => lane.put({ type, bytes, share, done, failed }));
    },
    warm: quick.warm,
    async stop() {
      stopped = true;
      await Promise.all([quick.stop(), patient.stop()]);
    },
  };
}

type ChildKind = { pages: boolean; niceness: number };

function childStarter({ memoryBytes = MEMORY_BYTES, onStart }: LaneOptions, kind: ChildKind): LaneDeps['start'] {
  return async () => {
    const child = await startChild({ memoryBytes, ...kind });
    onStart?.(child.confinement);
    return child;
  };
}

type NewFile = { share: Share; bytes: Uint8Array; maxWaitingBytes: number };

/** Ensures that one tenant and one sender fill only a part of the queue. */
function ensureRoom(all: readonly Work[], { share: { tenant, sender }, bytes, maxWaitingBytes }: NewFile): void {
  const ofTenant = all.filter(({ share }) => share.tenant === tenant);
  const ofSender = ofTenant.filter(({ share }) => share.sender === sender);
  const fits = (works: readonly Work[], part: number) =>
    works.length + 1 <= MAX_WAITING * part && bytesOf(works) + bytes.length <= maxWaitingBytes * part;
  if (!fits(all, 1) || ofSender.length >= MAX_WAITING_PER_SENDER) throw notNow('too many images are waiting');
  // The first file of a tenant gets room if there is any.
  if (ofTenant.length > 0 && !fits(ofTenant, TENANT_PART)) throw notNow('too many images are waiting');
}

const bytesOf = (works: readonly Work[]) => works.reduce((sum, { bytes }) => sum + bytes.length, 0);
