/**
 * What a machine has seen of an image, remembered for a short while and only in memory, and looks that begin before
 * anybody asks: an image that has arrived will most likely be looked at, so the machine may as well begin while the end
 * user goes on. Whoever asks gets what was seen, joins the look that runs, or has it looked at now. Others come first:
 * a look ahead begins only when nobody waits for the machine.
 */
export type LookAhead = {
  /** Without a name nothing is remembered. */
  see<Finding>(name: LookName | undefined, look: () => Promise<Finding>): Promise<Finding>;
  /** What was seen or is being seen; nothing if nobody has looked. */
  findingOf<Finding>(name: LookName): Promise<Finding> | undefined;
  /** Looks when the machine is free. What does not fit is not looked at ahead, and nothing is lost but time. */
  ahead(name: LookName, ahead: Ahead): void;
  stop(): void;
};

/** Names one image, and what is looked for in it. */
export type LookName = { readonly kind: LookKind; readonly id: string };
export type LookKind = 'face' | 'document';

export type Ahead = { readonly bytes: number; look(): Promise<unknown> };

export type LookAheadDeps = {
  /** Whether nobody waits for the machine, and some of it has nothing to do. */
  isFree(): boolean;
};

/** Longer than it takes to send the rest of a step and to have the job begin. */
export const REMEMBERED_MS = 120_000;
/** A face is a few kilobytes. What is known of a document holds pictures of it. */
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
    // What went wrong may go right the next time.
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

/** Faces are nobody's business for longer than they are needed: each goes when its time is over, or when there are more. */
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
