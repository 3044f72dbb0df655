import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import { Readable } from 'node:stream';
import type yazl from 'yazl';

/** Loaded with the first archive. */
const load = createRequire(import.meta.url);

/**
 * Writes a zip whose last two entries are its manifest and the signature of the manifest. An entry is opened only after
 * the entries before it were sent, so an archive of any size needs memory for a few chunks only. When the reader
 * disconnects, no further entry is opened.
 */
export type ArchiveEntry = {
  readonly path: string;
  readonly contentType: string;
  open(): Promise<Readable>;
};

export type ListedEntry = { path: string; contentType: string; bytes: number; sha256: string };

export type Archive = {
  readonly entries: readonly ArchiveEntry[];
  /** The modification time of every entry. */
  readonly at: number;
  /** Called before each entry. It throws if the caller has lost the permission meanwhile. */
  ensureAllowed(): Promise<void>;
  /** Called after all entries were read. */
  manifest(entries: readonly ListedEntry[]): object;
  sign(manifest: Uint8Array): Promise<string>;
};

export const MANIFEST = 'manifest.json';
export const MANIFEST_SIGNATURE = 'manifest.jws';

export function writeArchive({ entries, at, ensureAllowed, manifest, sign }: Archive): Readable {
  const zip = new (load('yazl') as typeof yazl).ZipFile();
  const output = zip.outputStream as Readable;
  let current: Readable | undefined;
  zip.on('error', (error: Error) => output.destroy(error));
  output.once('close', () => current?.destroy());

  const add = ({ path, contentType, open }: ArchiveEntry) => {
    // Images are compressed already.
    const options = { mtime: new Date(at), mode: 0o100600, compress: !contentType.startsWith('image/') };
    zip.addReadStreamLazy(path, options, (give) => {
      if (output.destroyed) return;
      open().then(
        (opened) => {
          current = opened.once('error', (error) => output.destroy(error));
          if (output.destroyed) opened.destroy();
          else give(null, opened);
        },
        (error) => output.destroy(error),
      );
    });
  };

  const listed: ListedEntry[] = [];
  for (const entry of entries) {
    const open = async () => {
      await ensureAllowed();
      return measured(await entry.open(), (size) => listed.push({ ...headOf(entry), ...size }));
    };
    add({ ...headOf(entry), open });
  }
  let manifestBytes = Buffer.alloc(0);
  const state = async () => {
    manifestBytes = json(manifest(listed));
    return Readable.from([manifestBytes]);
  };
  add({ path: MANIFEST, contentType: 'application/json', open: state });
  const signed = async () => Readable.from([Buffer.from(await sign(manifestBytes))]);
  add({ path: MANIFEST_SIGNATURE, contentType: 'application/jose', open: signed });
  zip.end();
  return output;
}

const headOf = ({ path, contentType }: ArchiveEntry) => ({ path, contentType });

/** Formats a JSON file of an archive. */
export function json(value: unknown): Buffer<ArrayBuffer> {
  return Buffer.from(`${JSON.stringify(value, undefined, 2)}\n`);
}

/** Passes the bytes on unchanged. At the end, calls `onEnd` with their number and hash. */
function measured(source: Readable, onEnd: (size: { bytes: number; sha256: string }) => void): Readable {
  const digest = createHash('sha256');
  let bytes = 0;
  async function* pass() {
    for await (const chunk of source as AsyncIterable<Buffer>) {
      digest.update(chunk);
      bytes += chunk.length;
      yield chunk;
    }
    onEnd({ bytes, sha256: digest.digest('hex') });
  }
  return Readable.from(pass(), { objectMode: false }).once('close', () => source.destroy());
}
