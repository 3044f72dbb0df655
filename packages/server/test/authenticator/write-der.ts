/** DER, as far as certificates need it. */
export function der(tag: number, ...contents: Uint8Array[]): Buffer {
  const body = Buffer.concat(contents);
  return Buffer.concat([Buffer.of(tag), lengthBytes(body.length), body]);
}

const CONSTRUCTED = 0x20;
const CONTEXT = 0x80;

export const sequence = (...items: Uint8Array[]) => der(0x30, ...items);
export const set = (...items: Uint8Array[]) => der(0x31, ...items);
export const octets = (bytes: Uint8Array) => der(0x04, bytes);
export const bits = (bytes: Uint8Array) => der(0x03, Buffer.of(0), bytes);
export const bool = (value: boolean) => der(0x01, Buffer.of(value ? 255 : 0));
export const integer = (value: number) => der(0x02, Buffer.of(value));
export const enumerated = (value: number) => der(0x0a, Buffer.of(value));
export const utf8 = (text: string) => der(0x0c, Buffer.from(text));

/** `[number] EXPLICIT`, also for numbers beyond 30. */
export function tagged(number: number, ...items: Uint8Array[]): Buffer {
  const body = Buffer.concat(items);
  if (number < 31) return der(CONTEXT | CONSTRUCTED | number, body);
  const first = CONTEXT | CONSTRUCTED | 31;
  return Buffer.concat([Buffer.of(first, (number >> 7) | 128, number & 127), lengthBytes(body.length), body]);
}

export function oid(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  return der(0x06, Buffer.from([first * 40 + second, ...rest].flatMap(base128)));
}

export function time(moment: number): Buffer {
  const digits = new Date(moment).toISOString().replace(/[-:T]|\.\d+/g, '');
  return der(0x18, Buffer.from(digits));
}

function base128(value: number): number[] {
  const digits = [value & 127];
  for (let rest = Math.floor(value / 128); rest > 0; rest = Math.floor(rest / 128)) digits.unshift((rest & 127) | 128);
  return digits;
}

function lengthBytes(length: number): Buffer {
  if (length < 128) return Buffer.of(length);
  return length < 256 ? Buffer.of(0x81, length) : Buffer.of(0x82, length >> 8, length & 255);
}
