import { Malformed } from './malformed.ts';

/**
 * A strict reader of UAF's TLV: tag and length of 16 bits each, little endian, then the value. Entries must fill a
 * container to its last byte. Each entry must be allowed there, and not occur more often than its rule allows. Values
 * are views of the input. The reader never reads beyond the input and throws only `Malformed`.
 */
export type Entry = {
  readonly tag: number;
  readonly value: Buffer;
  /** Tag, length and value as they were sent. Signatures are made over these bytes. */
  readonly whole: Buffer;
};

/** How often an entry may occur, and how long its value may be. */
export type Rule = {
  readonly least: 0 | 1;
  readonly most: number;
  readonly minBytes?: number;
  readonly maxBytes: number;
};

export type Rules = ReadonlyMap<number, Rule>;

export type Entries = {
  /** Returns the only entry of a tag whose rule requires one. */
  one(tag: number): Entry;
  all(tag: number): readonly Entry[];
};

const HEADER_BYTES = 4;
/** No container of the standard has more entries, repetitions included. */
export const MAX_ENTRIES = 64;

export function readTlv(bytes: Buffer, rules: Rules, what: string): Entries {
  const entriesByTag = new Map<number, Entry[]>();
  let at = 0;
  let count = 0;
  while (at < bytes.length) {
    count += 1;
    if (count > MAX_ENTRIES) throw new Malformed(`${what} has more than ${MAX_ENTRIES} entries`);
    const entry = readEntry(bytes, at, what);
    keep(entriesByTag, entry, rules, what);
    at += entry.whole.length;
  }
  for (const [tag, { least }] of rules) {
    if ((entriesByTag.get(tag)?.length ?? 0) < least) throw new Malformed(`${what} has no ${hex(tag)}`);
  }
  return {
    one(tag) {
      const [entry] = entriesByTag.get(tag) ?? [];
      if (!entry) throw new Malformed(`${what} has no ${hex(tag)}`);
      return entry;
    },
    all: (tag) => entriesByTag.get(tag) ?? [],
  };
}

function readEntry(bytes: Buffer, at: number, what: string): Entry {
  if (bytes.length - at < HEADER_BYTES) throw new Malformed(`${what} ends inside an entry`);
  const end = at + HEADER_BYTES + bytes.readUInt16LE(at + 2);
  if (end > bytes.length) throw new Malformed(`an entry of ${what} is longer than the remaining bytes`);
  return {
    tag: bytes.readUInt16LE(at),
    value: bytes.subarray(at + HEADER_BYTES, end),
    whole: bytes.subarray(at, end),
  };
}

function keep(entriesByTag: Map<number, Entry[]>, entry: Entry, rules: Rules, what: string): void {
  const { tag, value } = entry;
  const rule = rules.get(tag);
  if (!rule) throw new Malformed(`${what} holds ${hex(tag)}, which does not belong there`);
  const { minBytes = 0, maxBytes, most } = rule;
  if (value.length < minBytes || value.length > maxBytes) {
    throw new Malformed(`${hex(tag)} of ${what} is not ${minBytes} to ${maxBytes} bytes long`);
  }
  const those = entriesByTag.get(tag) ?? [];
  if (those.length === most) throw new Malformed(`${what} has ${hex(tag)} more than ${most} times`);
  those.push(entry);
  entriesByTag.set(tag, those);
}

function hex(tag: number): string {
  return `0x${tag.toString(16).toUpperCase().padStart(4, '0')}`;
}
