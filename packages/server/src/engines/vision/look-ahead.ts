/**
 * Remembers the findings of images for a short while, in memory only, and analyses images ahead of time: an image that has
 * arrived will most likely be needed, so the machine can begin while the end user goes on. Whoever asks gets the finding,
 * joins the analysis that runs, or starts it. Requests come first: a look ahead begins only when none waits.
 */
export type LookAhead = {
  /** Returns the remembered finding, or looks now. Without a name nothing is remembered. */
  see<Finding>(name: LookName | undefined, look: () => Promise<Finding>): Promise<Finding>;
  /** The finding, or the analysis that runs; undefined if there is neither. */
  findingOf<Finding>(name: LookName): Promise<Finding> | undefined;
  /** Looks when the machine is free. If the queue is full, the image is analysed later, on request. */
  ahead(name: LookName, ahead: Ahead): void;
  stop(): void;
};

/** Names one image, and what is looked for in it. */
export type LookName = { readonly kind: LookKind; readonly id: string };
export type LookKind = 'face' | 'document';

export type Ahead = { readonly bytes: number; look(): Promise<unknown> };

export type LookAheadDeps = {
  /** True if no request waits and at least one worker is idle. */
  isFree(): boolean;
};

/** Longer than it takes to send the rest of a step and to have the job begin. */
export const REMEMBERED_MS = 120_000;
/** The finding of a face takes a few kilobytes; that of a document contains pictures. */
export const MOST_REMEMBERED: Readonly<Record<LookKind, number>> = { face: 256, document: 16 };
/** Of a challenge there are 25 images; the bytes of those that wait are held until their turn. */
export const MOST_WAITING = 64;
export const MOST_WAITING_BYTES = 32 * 1024 * 1024;

type Waiting = Ahead & { readonly name: LookName };

export function openLookAhead({ isFree }: LookAheadDeps): LookAhead {
  const memories = { face: openMemory(MOST_REMEMBERED.face), document: openMemory(MOST_REMEMBERED.document) };
  const waiting = new Map<string, Waiting>();
  let waitingBytes = 0;

  const textOf = ({ kind, id }: LookName) => `${kind} ${id}`;
  const takeOut = (name: LookName) => {
    const entry = waiting.get(textOf(name));
    if (entry && waiting.delete(textOf(name))) waitingBytes -= entry.bytes;
  };
  const findingOf = <Finding>({ kind, id }: LookName) => memories[kind].get(id) as Promise<Finding> | undefined;
  const begin = <Finding>({ kind, id }: LookName, look: () => Promise<Finding>): Promise<Finding> => {
    const finding = look();
    memories[kind].set(id, finding);
    // A failure is not remembered: the next attempt may succeed.
    finding.catch(() => memories[kind].get(id) === finding && memories[kind].delete(id)).finally(next);
    return finding;
  };
  const next = () => {
    const [first] = waiting.values();
    if (!first || !isFree()) return;
    takeOut(first.name);
    begin(first.name, first.look).catch(() => undefined);
  };

  return {
    findingOf,
    see(name, look) {
      if (name === undefined) return look().finally(next);
      takeOut(name);
      return findingOf(name) ?? begin(name, look);
    },
    ahead(name, ahead) {
      const fits = waiting.size < MOST_WAITING && waitingBytes + ahead.bytes <= MOST_WAITING_BYTES;
      if (!fits || findingOf(name) || waiting.has(textOf(name))) return;
      waiting.set(textOf(name), { ...ahead, name });
      waitingBytes += ahead.bytes;
      next();
    },
    stop() {
      waiting.clear();
      waitingBytes = 0;
      memories.face.clear();
      memories.document.clear();
    },
  };
}

/** Faces are personal data: each finding is dropped when its time is over, or when there are too many. */
function openMemory(most: number) {
  const entries = new Map<string, { finding: Promise<unknown>; end: NodeJS.Timeout }>();
  const remove = (id: string) => {
    clearTimeout(entries.get(id)?.end);
    entries.delete(id);
  };
  return {
    get: (id: string) => entries.get(id)?.finding,
    set(id: string, finding: Promise<unknown>) {
      const [oldest] = entries.keys();
      if (oldest !== undefined && entries.size >= most) remove(oldest);
      entries.set(id, { finding, end: setTimeout(() => remove(id), REMEMBERED_MS).unref() });
    },
    delete: remove,
    clear: () => [...entries.keys()].forEach(remove),
  };
}
