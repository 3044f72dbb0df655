/** Writes UAF's TLV, correctly or with faults. */
export type TlvEntry = readonly [tag: number, value: Buffer];

export function tlv(tag: number, ...parts: (Buffer | TlvEntry)[]): Buffer {
  const value = Buffer.concat(parts.map((part) => (Buffer.isBuffer(part) ? part : tlv(part[0], part[1]))));
  const head = Buffer.alloc(4);
  head.writeUInt16LE(tag, 0);
  head.writeUInt16LE(value.length, 2);
  return Buffer.concat([head, value]);
}

export function uint16(...values: number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 2);
  values.forEach((value, at) => void bytes.writeUInt16LE(value, at * 2));
  return bytes;
}

export function uint32(...values: number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4);
  values.forEach((value, at) => void bytes.writeUInt32LE(value, at * 4));
  return bytes;
}
