/**
 * What a machine has seen of an image, remembered for a short while and only in memory, and looks that begin before
 * anybody asks: an image that has arrived will most likely be looked at, so the machine may as well begin while the end
 * user goes on. Whoever asks gets what was seen, joins the look that runs, or has it looked at now. Others come first:
 * a look ahead begins only when nobody waits for the machine.
 */
export type LookAhead = {
  /** Without a name nothing is remembered. */
  see<Seen>(name: LookName | undefined, look: () => Promise<Seen>): Promise<Seen>;
  /** What was seen or is being seen; nothing if nobody has looked. */
  seen<Seen>(name: LookName): Promise<Seen> | undefined;
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
  const known = { face: openMemory(MOST_REMEMBERED.face), document: openMemory(MOST_REMEMBERED.document) };
  const waiting = new Map<string, Waiting>();
  let waitingBytes = 0;

  const textOf = ({ kind, id }: LookName) => `${kind} ${id}`;
  const takeOut = (name: LookName) => {
    const found = waiting.get(textOf(name));
    if (found && waiting.delete(textOf(name))) waitingBytes -= found.bytes;
  };
  const seen = <Seen>({ kind, id }: LookName) => known[kind].get(id) as Promise<Seen> | undefined;
  const begin = <Seen>({ kind, id }: LookName, look: () => Promise<Seen>): Promise<Seen> => {
    const begun = look();
    known[kind].set(id, begun);
    // What went wrong may go right the next time.
    begun.catch(() => known[kind].get(id) === begun && known[kind].delete(id)).finally(next);
    return begun;
  };
  const next = () => {
    const [first] = waiting.values();
    if (!first || !isFree()) return;
    takeOut(first.name);
    begin(first.name, first.look).catch(() => undefined);
  };

  return {
    seen,
    see(name, look) {
      if (name === undefined) return look().finally(next);
      takeOut(name);
      return seen(name) ?? begin(name, look);
    },
    ahead(name, ahead) {
      const fits = waiting.size < MOST_WAITING && waitingBytes + ahead.bytes <= MOST_WAITING_BYTES;
      if (!fits || seen(name) || waiting.has(textOf(name))) return;
      waiting.set(textOf(name), { ...ahead, name });
      waitingBytes += ahead.bytes;
      next();
    },
    stop() {
      waiting.clear();
      waitingBytes = 0;
      known.face.clear();
      known.document.clear();
    },
  };
}

/** Faces are nobody's business for longer than they are needed: each goes when its time is over, or when there are more. */
function openMemory(most: number) {
  const kept = new Map<string, { seen: Promise<unknown>; end: NodeJS.Timeout }>();
  const remove = (id: string) => {
    clearTimeout(kept.get(id)?.end);
    kept.delete(id);
  };
  return {
    get: (id: string) => kept.get(id)?.seen,
    set(id: string, seen: Promise<unknown>) {
      const [oldest] = kept.keys();
      if (oldest !== undefined && kept.size >= most) remove(oldest);
      kept.set(id, { seen, end: setTimeout(() => remove(id), REMEMBERED_MS).unref() });
    },
    delete: remove,
    clear: () => [...kept.keys()].forEach(remove),
  };
}
