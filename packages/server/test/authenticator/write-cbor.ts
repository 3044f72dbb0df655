/** CBOR as an authenticator writes it. A `Map` keeps the order of its entries. */
export type Cbor = number | string | boolean | null | Uint8Array | readonly Cbor[] | ReadonlyMap<number | string, Cbor>;

export function writeCbor(value: Cbor): Buffer {
  if (typeof value === 'number') return value >= 0 ? head(0, value) : head(1, -1 - value);
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (typeof value === 'boolean') return Buffer.of(value ? 0xf5 : 0xf4);
  if (value === null) return Buffer.of(0xf6);
  if (value instanceof Uint8Array) return Buffer.concat([head(2, value.length), value]);
  if (value instanceof Map) {
    const members = [...value].flatMap(([key, inner]) => [writeCbor(key), writeCbor(inner as Cbor)]);
    return Buffer.concat([head(5, value.size), ...members]);
  }
  const items = value as readonly Cbor[];
  return Buffer.concat([head(4, items.length), ...items.map(writeCbor)]);
}

function head(major: number, argument: number): Buffer {
  const first = major << 5;
  if (argument < 24) return Buffer.of(first | argument);
  if (argument < 2 ** 8) return Buffer.of(first | 24, argument);
  if (argument < 2 ** 16) return Buffer.of(first | 25, argument >> 8, argument & 255);
  const wide = Buffer.alloc(5, first | 26);
  wide.writeUInt32BE(argument, 1);
  return wide;
}
