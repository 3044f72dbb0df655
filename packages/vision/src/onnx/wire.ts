/** A field of a protocol buffer: its number, its wire type, and its bytes without key and length. */
export type Field = { readonly number: number; readonly wire: number; readonly bytes: Uint8Array };

export const VARINT = 0;
export const BYTES = 2;
export const FIXED_32 = 5;
const FIXED_64 = 1;
const MAX_VARINT_BYTES = 10;

const text = { encode: new TextEncoder(), decode: new TextDecoder() };

export function readFields(message: Uint8Array): Field[] {
  const fields: Field[] = [];
  let at = 0;
  while (at < message.length) {
    const keyEnd = endOfVarint(message, at);
    const key = numberOf(message.subarray(at, keyEnd));
    const [number, wire] = [Math.floor(key / 8), key % 8];
    const [from, to] = payloadOf(message, keyEnd, wire);
    if (to > message.length) throw new RangeError('the protocol buffer ends early');
    fields.push({ number, wire, bytes: message.subarray(from, to) });
    at = to;
  }
  return fields;
}

function payloadOf(message: Uint8Array, at: number, wire: number): [from: number, to: number] {
  if (wire === FIXED_64) return [at, at + 8];
  if (wire === FIXED_32) return [at, at + 4];
  const end = endOfVarint(message, at);
  if (wire === VARINT) return [at, end];
  if (wire !== BYTES) throw new RangeError(`a protocol buffer has no wire type ${wire} here`);
  return [end, end + numberOf(message.subarray(at, end))];
}

function endOfVarint(message: Uint8Array, from: number): number {
  for (let at = from; at < Math.min(message.length, from + MAX_VARINT_BYTES); at += 1) {
    if ((message[at] as number) < 128) return at + 1;
  }
  throw new RangeError('the protocol buffer ends within a number');
}

/** Exact below 2 ** 53, which covers sizes, keys and types. */
export function numberOf(varint: Uint8Array): number {
  return varint.reduceRight((sum, byte) => sum * 128 + (byte & 127), 0);
}

export function stringOf(bytes: Uint8Array): string {
  return text.decode.decode(bytes);
}

export function writeFields(fields: readonly Field[]): Uint8Array {
  const parts = fields.flatMap(({ number, wire, bytes }) => [
    toVarint(number * 8 + wire),
    ...(wire === BYTES ? [toVarint(bytes.length)] : []),
    bytes,
  ]);
  const message = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    message.set(part, at);
    at += part.length;
  }
  return message;
}

export function toVarint(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
  return Uint8Array.from([...bytes, rest]);
}

export function bytesField(number: number, bytes: Uint8Array): Field {
  return { number, wire: BYTES, bytes };
}

export function stringField(number: number, value: string): Field {
  return bytesField(number, text.encode.encode(value));
}

export function numberField(number: number, value: number): Field {
  return { number, wire: VARINT, bytes: toVarint(value) };
}

export function floatField(number: number, value: number): Field {
  return { number, wire: FIXED_32, bytes: new Uint8Array(Float32Array.of(value).buffer) };
}
