/**
 * Caches the findings of images for a short time, in memory only, and analyses images ahead of time: an image that has
 * arrived will most likely be needed, so the machine can begin while the end user continues. A caller gets the finding,
 * joins the running analysis, or starts it. Requests come first: a look ahead begins only when none waits.
 */
export type LookAhead = {
  /** Returns the cached finding, or looks now. Without a name nothing is cached. */
  see<Finding>(name: LookName | undefined, look: () => Promise<Finding>): Promise<Finding>;
  /** The finding, or the running analysis; undefined if there is neither. */
  findingOf<Finding>(name: LookName): Promise<Finding> | undefined;
  /** Looks when the machine is free. If the queue is full, the image is analysed later, on request. */
  ahead(name: LookName, ahead: AheadLook): void;
  stop(): void;
};

/** Names an image and the kind of its analysis. */
export type LookName = { readonly kind: LookKind; readonly id: string };
export type LookKind = 'face' | 'document';

export type AheadLook = { readonly bytes: number; look(): Promise<unknown> };

export type LookAheadDeps = {
  /** True if no request waits and at least one worker is idle. */
  isFree(): boolean;
};

/** Longer than the time until the rest of a step has arrived and the job begins. */
export const REMEMBERED_MS = 120_000;
/** The finding of a face takes a few kilobytes; that of a document contains pictures. */
export const MAX_REMEMBERED: Readonly<Record<LookKind, number>> = { face: 256, document: 16 };
/** A challenge has 25 images. Waiting images are held in memory. */
export const MAX_WAITING = 64;
export const MAX_WAITING_BYTES = 32 * 1024 * 1024;

type WaitingLook = AheadLook & { readonly name: LookName };

export function openLookAhead({ isFree }: LookAheadDeps): LookAhead {
  const memories = { face: openMemory(MAX_REMEMBERED.face), document: openMemory(MAX_REMEMBERED.document) };
  const waiting = new Map<string, WaitingLook>();
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
      const fits = waiting.size < MAX_WAITING && waitingBytes + ahead.bytes <= MAX_WAITING_BYTES;
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

/** Ensures that findings about faces, which are personal data, are dropped after their time, or when there are too many. */
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
