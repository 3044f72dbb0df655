import { crc32, deflateRawSync } from 'node:zlib';

/** Zips written byte by byte, so that each field can be false. */
export type RawEntry = {
  name: string | Buffer;
  content?: string | Buffer;
  /** Written instead of the compressed content. */
  packed?: Buffer;
  method?: number;
  flags?: number;
  /** The mode of a Unix file. */
  mode?: number;
  crc?: number;
  /** The sizes in the directory. */
  size?: number;
  packedSize?: number;
  /** The name in the local header of the file. */
  localName?: string;
  /** The offset in the directory. */
  offset?: number;
};

export function rawZip(
  entries: readonly RawEntry[],
  { central, count }: { central?: number; count?: number } = {},
): Buffer {
  const locals: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const entry of entries) {
    const content = Buffer.from(entry.content ?? '');
    const { method = 8, flags = 0, mode = 0o100644, offset = at } = entry;
    const packed = entry.packed ?? (method === 8 ? deflateRawSync(content) : content);
    const name = Buffer.from(entry.name);
    const localName = entry.localName === undefined ? name : Buffer.from(entry.localName);
    const [crc, size] = [entry.crc ?? crc32(content), entry.size ?? content.length];
    const packedSize = entry.packedSize ?? packed.length;
    const local = numbers(
      [4, 0x04034b50],
      [2, 20],
      [2, flags],
      [2, method],
      [4, 0],
      [4, crc],
      [4, packedSize],
      [4, size],
    );
    const lengths = numbers([2, localName.length], [2, 0]);
    locals.push(local, lengths, localName, packed);
    directory.push(
      numbers([4, 0x02014b50], [2, (3 << 8) | 20], [2, 20], [2, flags], [2, method], [4, 0], [4, crc], [4, packedSize]),
      numbers([4, size], [2, name.length], [2, 0], [2, 0], [2, 0], [2, 0], [4, (mode << 16) >>> 0], [4, offset]),
      name,
    );
    at += local.length + lengths.length + localName.length + packed.length;
  }
  const listed = Buffer.concat(directory);
  const many = count ?? entries.length;
  const end = numbers(
    [4, 0x06054b50],
    [2, 0],
    [2, 0],
    [2, many],
    [2, many],
    [4, listed.length],
    [4, central ?? at],
    [2, 0],
  );
  return Buffer.concat([...locals, listed, end]);
}

function numbers(...fields: [bytes: 2 | 4, value: number][]): Buffer {
  return Buffer.concat(
    fields.map(([bytes, value]) => {
      const field = Buffer.alloc(bytes);
      field.writeUIntLE(value % 2 ** (8 * bytes), 0, bytes);
      return field;
    }),
  );
}

/** A page like that of a tenant, with more files if a test wants them. */
export function pageZip(more: readonly RawEntry[] = [], index = '<!doctype html><title>Page</title><p>Hello'): Buffer {
  return rawZip([{ name: 'index.html', content: index }, ...more]);
}
