import { Malformed } from '../malformed.ts';

/** A strict reader of DER (X.690): definite lengths in the shortest form, no trailing bytes. */
export type Der = {
  /** 0: universal. 2: context-specific. */
  readonly tagClass: number;
  readonly tag: number;
  readonly contents: Buffer;
};

export const BOOLEAN = 1;
export const INTEGER = 2;
export const OCTET_STRING = 4;
export const OID = 6;
export const SEQUENCE = 16;
export const SET = 17;

const MAX_VALUES = 256;

/** Reads one value, which must span all bytes. */
export function readDer(bytes: Buffer): Der {
  const { value, end } = readAt(bytes, 0);
  if (end !== bytes.length) throw new Malformed('DER has bytes left over');
  return value;
}

/** The values inside a SEQUENCE or a SET. */
export function valuesIn({ contents }: Der): Der[] {
  const values: Der[] = [];
  for (let at = 0; at < contents.length; ) {
    const { value, end } = readAt(contents, at);
    values.push(value);
    if (values.length > MAX_VALUES) throw new Malformed('DER has too many values');
    at = end;
  }
  return values;
}

/** Returns the value if it has this universal type; throws otherwise. */
export function expect(value: Der | undefined, tag: number): Der {
  if (value?.tagClass !== 0 || value.tag !== tag) throw new Malformed('DER has a value of an unexpected type');
  return value;
}

/** Finds the value with a context-specific tag, such as `[3] EXPLICIT`. */
export function inContext(values: readonly Der[], tag: number): Der | undefined {
  return values.find((value) => value.tagClass === 2 && value.tag === tag);
}

/** Returns an object identifier in dotted form. */
export function toOid(value: Der | undefined): string {
  const { contents } = expect(value, OID);
  const arcs: number[] = [];
  let arc = 0;
  for (const byte of contents) {
    arc = arc * 128 + (byte & 127);
    if (byte & 128) continue;
    arcs.push(arc);
    arc = 0;
  }
  const [first = 0, ...rest] = arcs;
  const root = Math.min(2, Math.floor(first / 40));
  return [root, first - root * 40, ...rest].join('.');
}

/** Reads an integer that is not negative and has at most 6 bytes. */
export function toNumber(value: Der | undefined, tag: number): number {
  const { contents } = expect(value, tag);
  if (contents.length === 0 || contents.length > 6) throw new Malformed('DER has a number of a wrong size');
  return contents.readUIntBE(0, contents.length);
}

function readAt(bytes: Buffer, start: number): { value: Der; end: number } {
  const { tag, tagClass, end: lengthAt } = readTag(bytes, start);
  const { length, end: from } = readLength(bytes, lengthAt);
  const end = from + length;
  if (end > bytes.length) throw new Malformed('DER ends too early');
  return { value: { tagClass, tag, contents: bytes.subarray(from, end) }, end };
}

function byteAt(bytes: Buffer, at: number): number {
  const byte = bytes[at];
  if (byte === undefined) throw new Malformed('DER ends too early');
  return byte;
}

/** Android uses tags above 30, so a tag may have several bytes. */
function readTag(bytes: Buffer, start: number): { tag: number; tagClass: number; end: number } {
  const first = byteAt(bytes, start);
  const tagClass = first >> 6;
  if ((first & 31) !== 31) return { tag: first & 31, tagClass, end: start + 1 };
  let tag = 0;
  for (let at = start + 1; at <= start + 3; at++) {
    const byte = byteAt(bytes, at);
    tag = tag * 128 + (byte & 127);
    if (!(byte & 128)) return { tag, tagClass, end: at + 1 };
  }
  throw new Malformed('DER has a tag that is too long');
}

function readLength(bytes: Buffer, start: number): { length: number; end: number } {
  const first = byteAt(bytes, start);
  if (first < 128) return { length: first, end: start + 1 };
  const size = first & 127;
  const end = start + 1 + size;
  if (size === 0 || size > 4 || end > bytes.length) throw new Malformed('DER has a length that is not supported');
  const length = bytes.readUIntBE(start + 1, size);
  const shortest = size === 1 ? 128 : 2 ** (8 * (size - 1));
  if (length < shortest) throw new Malformed('DER has a length that is not in its shortest form');
  return { length, end };
}
