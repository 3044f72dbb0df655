import { isUtf8 } from 'node:buffer';
import { Malformed } from './malformed.ts';

/**
 * A strict reader of canonical CBOR (CTAP2): definite lengths, numbers in the shortest form, no tags, no floats, no
 * duplicate keys. Everything that WebAuthn never uses is refused, so that two parsers cannot read two different values.
 */
export type CborValue = number | string | boolean | null | Buffer | CborValue[] | CborMap;
export type CborMap = Map<number | string, CborValue>;

const MAX_DEPTH = 8;
const MAX_MEMBERS = 64;

export type CborRead = { value: CborValue; end: number };

/** Reads the value that begins at `start`; returns it and its end. */
export function readCbor(bytes: Buffer, start = 0): CborRead {
  return readValue(bytes, start, 0);
}

/** Reads a value that must span all bytes. */
export function readWholeCbor(bytes: Buffer, what: string): CborValue {
  const { value, end } = readCbor(bytes);
  if (end !== bytes.length) throw new Malformed(`${what} has bytes left over`);
  return value;
}

function readValue(bytes: Buffer, start: number, depth: number): CborRead {
  if (depth > MAX_DEPTH) throw new Malformed('CBOR is nested too deeply');
  if (start >= bytes.length) throw new Malformed('CBOR ends too early');
  const major = (bytes[start] as number) >> 5;
  if (major === 7) return readSimple(bytes, start);
  const { value: argument, end } = readArgument(bytes, start);
  if (major === 0) return { value: argument, end };
  if (major === 1) return { value: -1 - argument, end };
  if (major === 2) return readBytes(bytes, end, argument);
  if (major === 3) return readText(bytes, end, argument);
  if (major === 4) return readArray(bytes, end, { length: argument, depth });
  if (major === 5) return readMap(bytes, end, { length: argument, depth });
  throw new Malformed('CBOR has a tag');
}

function readSimple(bytes: Buffer, start: number): CborRead {
  const end = start + 1;
  if (bytes[start] === 0xf4) return { value: false, end };
  if (bytes[start] === 0xf5) return { value: true, end };
  if (bytes[start] === 0xf6) return { value: null, end };
  throw new Malformed('CBOR has a value that is not supported');
}

/** Reads the number in or after the initial byte: a value or a length. */
function readArgument(bytes: Buffer, start: number): { value: number; end: number } {
  const short = (bytes[start] as number) & 31;
  if (short < 24) return { value: short, end: start + 1 };
  if (short > 26) throw new Malformed('CBOR has a length that is not supported');
  const size = 1 << (short - 24);
  const end = start + 1 + size;
  if (end > bytes.length) throw new Malformed('CBOR ends too early');
  const value = bytes.readUIntBE(start + 1, size);
  const least = size === 1 ? 24 : size === 2 ? 2 ** 8 : 2 ** 16;
  if (value < least) throw new Malformed('CBOR has a number that is not in its shortest form');
  return { value, end };
}

function readBytes(bytes: Buffer, start: number, length: number): { value: Buffer; end: number } {
  const end = start + length;
  if (end > bytes.length) throw new Malformed('CBOR ends too early');
  return { value: bytes.subarray(start, end), end };
}

function readText(bytes: Buffer, start: number, length: number): CborRead {
  const { value, end } = readBytes(bytes, start, length);
  if (!isUtf8(value)) throw new Malformed('CBOR has a text that is not UTF-8');
  return { value: value.toString('utf8'), end };
}

type Container = { length: number; depth: number };

function readArray(bytes: Buffer, start: number, { length, depth }: Container): CborRead {
  if (length > MAX_MEMBERS) throw new Malformed('CBOR has too many members');
  const value: CborValue[] = [];
  let end = start;
  for (let count = 0; count < length; count++) {
    const item = readValue(bytes, end, depth + 1);
    value.push(item.value);
    end = item.end;
  }
  return { value, end };
}

function readMap(bytes: Buffer, start: number, { length, depth }: Container): CborRead {
  if (length > MAX_MEMBERS) throw new Malformed('CBOR has too many members');
  const value: CborMap = new Map();
  let end = start;
  for (let count = 0; count < length; count++) {
    const key = readValue(bytes, end, depth + 1);
    if (typeof key.value !== 'string' && typeof key.value !== 'number') throw new Malformed('CBOR has a strange key');
    if (value.has(key.value)) throw new Malformed('CBOR has a member twice');
    const item = readValue(bytes, key.end, depth + 1);
    value.set(key.value, item.value);
    end = item.end;
  }
  return { value, end };
}
