import { availableParallelism } from 'node:os';
import { ApiError } from '../../kernel/errors.ts';
import { type FairQueue, fairQueue, type Share } from '../../kernel/fair-queue.ts';
import type { Confinement } from './confine.ts';
import { type DecodedType, PDF_TYPE } from './detect-image-type.ts';
import type { Frame } from './frames.ts';
import { senderOf, slowSenders } from './slow-senders.ts';
import { type ImageChild, startChild } from './start-child.ts';

/**
 * Who decodes what, and when. Pictures go through a quick lane, where each has little time. PDFs, pictures that needed
 * more time, and whatever comes from a sender of such a file go through a patient lane, so that nobody's picture waits for
 * them. In both lanes tenants take turns, and in the patient lane a sender has one file at work at a time.
 */
export type DecodeLanes = {
  decode(type: DecodedType, bytes: Uint8Array, share: Share): Promise<Frame | 'died' | 'too_slow'>;
  warm(): void;
  stop(): Promise<void>;
};

export type LaneOptions = {
  /** In each lane. */
  processes?: number;
  /** For one file, in the patient lane. */
  timeoutMs?: number;
  /** For one picture, in the quick lane: of the processor, so that a busy machine slows down nobody for long. */
  quickMs?: number;
  memoryBytes?: number;
  idleMs?: number;
  maxWaitingBytes?: number;
  onError?(what: string, error: unknown): void;
  /** Told of every process that starts. */
  onStart?(confinement: Confinement): void;
};

/** One processor is left to whoever asks for something else. */
const PROCESSES = Math.max(1, Math.min(2, availableParallelism() - 1));
const TIMEOUT_MS = 10_000;
/** Several times what 25 megapixels take. */
const QUICK_MS = 1500;
/** 25 megapixels with transparency as WebP, turned on their side, take 450 MiB. */
const MEMORY_BYTES = 640 * 2 ** 20;
/** Started with the first image and ended when there were none for a while: most of the time nobody needs them. */
const IDLE_MS = 60_000;
/** A process is replaced when it has worked this long, so that its limit of processor time is never met by honest work. */
const MAX_WORK_MS = 60_000;
const MAX_WAITING_BYTES = 256 * 2 ** 20;
const MAX_WAITING = 1000;
/** Of the room for files that wait: most installations have one busy tenant, and 20 photographs of 8 MB must find room. */
const TENANT_PART = 3 / 4;
/** An attempt has at most this many images. */
const MAX_WAITING_PER_SENDER = 30;
const RETRY_AFTER_SECONDS = 5;
/** Whoever waits for an answer that costs nothing should not wait for pictures. */
const NICENESS = { quick: 5, patient: 10 };
/** Counted when work begins, so that a tenant with work under way is behind one without. */
const EXPECTED_COST_MS = 100;

type Work = {
  readonly type: DecodedType;
  readonly bytes: Uint8Array;
  readonly share: Share;
  done(frame: Frame | 'died' | 'too_slow'): void;
  failed(error: unknown): void;
};
type Slot = { child?: ImageChild; work?: Promise<void> | undefined; idle?: NodeJS.Timeout; workedMs: number };
type LaneName = 'quick' | 'patient';
type Lane = { readonly name: LaneName; readonly slots: Slot[]; readonly queue: FairQueue<Work>; atWork: Set<string> };

export function openLanes(options: LaneOptions): DecodeLanes {
  const { processes = PROCESSES, idleMs = IDLE_MS, maxWaitingBytes = MAX_WAITING_BYTES, onError } = options;
  const { timeoutMs = TIMEOUT_MS, quickMs = QUICK_MS } = options;
  const lanes = { quick: newLane('quick', processes), patient: newLane('patient', processes) };
  const places = [...lanes.quick.slots, ...lanes.patient.slots];
  const slow = slowSenders();
  let stopped = false;

  const start = async (lane: Lane, slot: Slot): Promise<ImageChild> => {
    const { memoryBytes = MEMORY_BYTES, onStart } = options;
    const child = await startChild({ memoryBytes, pages: lane.name === 'patient', niceness: NICENESS[lane.name] });
    onStart?.(child.confinement);
    slot.child = child;
    slot.workedMs = 0;
    return child;
  };

  /** One place does something at a time, and is given up when there was nothing to do for a while. */
  const occupy = (lane: Lane, slot: Slot, doing: Promise<void>) => {
    clearTimeout(slot.idle);
    slot.work = doing.finally(() => {
      slot.work = undefined;
      slot.idle = setTimeout(() => void release(slot), idleMs).unref();
      begin(lane);
    });
  };

  const begin = (lane: Lane) => {
    // A process that runs already is ready sooner.
    const free = lane.slots.find(({ work, child }) => !work && child) ?? lane.slots.find(({ work }) => !work);
    const mayBegin = ({ share }: Work) => lane.name === 'quick' || !lane.atWork.has(senderOf(share));
    const work = free && lane.queue.take(mayBegin);
    if (work) occupy(lane, free, perform(lane, free, work));
  };

  const perform = async (lane: Lane, slot: Slot, work: Work): Promise<void> => {
    const { share } = work;
    const sender = senderOf(share);
    const limits =
      lane.name === 'quick' ? { wallMs: timeoutMs, cpuMs: quickMs } : { wallMs: slow.limitOf(share, timeoutMs) };
    lane.queue.charge(share, EXPECTED_COST_MS);
    lane.atWork.add(sender);
    try {
      const child = slot.child ?? (await start(lane, slot));
      if (stopped) throw stopping();
      const startedAt = performance.now();
      const frame = await child.ask(work.type, work.bytes, limits);
      const tookMs = performance.now() - startedAt;
      lane.queue.charge(share, Math.max(0, tookMs - EXPECTED_COST_MS));
      slot.workedMs += tookMs;
      const hasEnded = typeof frame === 'string';
      // In a process where something broke, more than that may be broken.
      if (hasEnded || frame.words.reason === 'broke' || slot.workedMs > MAX_WORK_MS) await release(slot);
      if (hasEnded && stopped) throw stopping();
      if (frame === 'too_slow') slow.add(share, lane.name === 'patient');
      if (frame === 'too_slow' && lane.name === 'quick') put(lanes.patient, work);
      else work.done(frame);
    } catch (error) {
      if (error instanceof ApiError) return work.failed(error);
      onError?.('images cannot be decoded', error);
      work.failed(new ApiError(100010, { cause: error, retryAfterSeconds: RETRY_AFTER_SECONDS }));
    } finally {
      lane.atWork.delete(sender);
    }
  };

  const put = (lane: Lane, work: Work) => {
    lane.queue.add(work);
    begin(lane);
  };

  /** One tenant can fill most of the room, and one sender a small part of it. */
  const ensureRoom = ({ tenant, sender }: Share, { length }: Uint8Array) => {
    const all = [...lanes.quick.queue.waiting, ...lanes.patient.queue.waiting];
    const ofTenant = all.filter(({ share }) => share.tenant === tenant);
    const ofSender = ofTenant.filter(({ share }) => share.sender === sender);
    const fits = (works: readonly Work[], part: number) =>
      works.length + 1 <= MAX_WAITING * part && bytesOf(works) + length <= maxWaitingBytes * part;
    if (!fits(all, 1) || ofSender.length >= MAX_WAITING_PER_SENDER) throw notNow('too many images are waiting');
    // The first of a tenant always finds room if there is any.
    if (ofTenant.length > 0 && !fits(ofTenant, TENANT_PART)) throw notNow('too many images are waiting');
  };

  return {
    async decode(type, bytes, share) {
      if (stopped) throw stopping();
      ensureRoom(share, bytes);
      const lane = type === PDF_TYPE || slow.has(share) ? lanes.patient : lanes.quick;
      return new Promise((done, failed) => put(lane, { type, bytes, share, done, failed }));
    },
    warm() {
      const [first] = lanes.quick.slots;
      const asleep = lanes.quick.slots.every(({ child, work }) => !child && !work);
      // Whoever comes with an image is told what is wrong.
      if (first && asleep && !stopped) occupy(lanes.quick, first, start(lanes.quick, first).then(noop, noop));
    },
    async stop() {
      stopped = true;
      for (const { queue } of Object.values(lanes)) {
        for (let work = queue.take(); work; work = queue.take()) work.failed(stopping());
      }
      await Promise.all(places.map(release));
      // One that was just starting is there now.
      await Promise.all(places.map(({ work }) => work));
      await Promise.all(places.map(release));
    },
  };
}

function newLane(name: LaneName, processes: number): Lane {
  const places = Array.from({ length: processes }, () => ({ workedMs: 0 }));
  return { name, slots: places, queue: fairQueue<Work>(), atWork: new Set() };
}

async function release(slot: Slot): Promise<void> {
  const { child } = slot;
  clearTimeout(slot.idle);
  delete slot.child;
  await child?.end();
}

const noop = () => undefined;
const bytesOf = (works: readonly Work[]) => works.reduce((sum, { bytes }) => sum + bytes.length, 0);

function notNow(detail: string): ApiError {
  return new ApiError(100010, { detail, retryAfterSeconds: RETRY_AFTER_SECONDS });
}

const stopping = () => notNow('the server is stopping');
