import { X509Certificate } from 'node:crypto';
import { readFile, rename, stat, writeFile } from 'node:fs/promises';
import { rootCertificates } from 'node:tls';
import type { Outbound } from '../../../engines/outbound/outbound.ts';
import { type Clock, HOUR } from '../../../kernel/clock.ts';
import type { FindModel } from './judge-model.ts';
import { type Blob, type BlobTrust, MAX_BLOB_BYTES, nameOfKey, nameOfModel, readBlob } from './read-blob.ts';

/**
 * FIDO's metadata in memory. It is read from a file or fetched from an address, verified, and refreshed; every process
 * does this for itself. A fetched BLOB is stored in the data folder for the next start. A BLOB that is older than the
 * current one is refused: with an old one, an attacker on the network could hide that a model was revoked.
 */
export type MetadataPlace = {
  /** A path, or an https address. */
  readonly source: string;
  /** A PEM file with the root certificate of the BLOB. Without it, FIDO's root is used. */
  readonly rootFile: string | undefined;
  /** The file for the fetched BLOB. */
  readonly cacheFile: string;
};

export type MetadataDeps = {
  metadataPlace: MetadataPlace | undefined;
  outbound: Pick<Outbound, 'send'>;
  clock: Clock;
  log: { info(details: object, message: string): void; error(details: object, message: string): void };
};

export type Metadata = {
  readonly find: FindModel;
  /** Loads the local file, without network access. Never rejects. */
  load(): Promise<void>;
  /** Reads the file again, or fetches the BLOB if it is due. Never rejects. */
  refresh(): Promise<void>;
  /** Refreshes in the background from now on. */
  start(): void;
  stop(): void;
  current(): Pick<Blob, 'no' | 'nextUpdate'> | undefined;
};

const LOOK_EVERY_MS = HOUR;
const FETCH_EVERY_MS = 24 * HOUR;
const FETCH_TIMEOUT_MS = 120_000;
/** FIDO signs with a certificate of this host name; its chain ends at GlobalSign's root R3. */
const FIDO_HOST = 'mds.fidoalliance.org';
const FIDO_ROOT = 'CB:B5:22:D7:B7:F1:27:AD:6A:01:13:86:5B:DF:1C:D4:10:2E:7D:07:59:AF:63:5A:7C:F4:72:0D:C9:63:C5:3B';

export function openMetadata({ metadataPlace, outbound, clock, log }: MetadataDeps): Metadata {
  let blob: Blob | undefined;
  let fetchedAt = Number.NEGATIVE_INFINITY;
  let readVersion = '';
  let timer: NodeJS.Timeout | undefined;
  const stopping = new AbortController();

  const use = async (text: string, { source, rootFile }: MetadataPlace) => {
    const next = readBlob(text, { ...(await trustOf(rootFile)), now: clock.now() });
    if (blob && next.no < blob.no) throw new Error(`number ${next.no} is older than ${blob.no}, which is in use`);
    if (next.no !== blob?.no) log.info({ no: next.no, models: next.models.size, source }, 'loaded FIDO metadata');
    if (next.nextUpdate < clock.now()) log.error({ no: next.no }, 'FIDO metadata is overdue; a newer edition exists');
    blob = next;
  };

  const readFrom = async (file: string, from: MetadataPlace) => {
    const { mtimeMs, size } = await stat(file);
    if (`${mtimeMs} ${size}` === readVersion) return;
    if (size > MAX_BLOB_BYTES) throw new Error('the file is too large');
    await use(await readFile(file, 'utf8'), from);
    readVersion = `${mtimeMs} ${size}`;
  };

  const fetchFrom = async (from: MetadataPlace) => {
    const due = blob === undefined || clock.now() >= blob.nextUpdate || clock.now() - fetchedAt >= FETCH_EVERY_MS;
    if (!due) return;
    const text = await fetchText(outbound, from.source, stopping.signal);
    await use(text, from);
    fetchedAt = clock.now();
    await writeFile(`${from.cacheFile}.new`, text, { mode: 0o600 });
    await rename(`${from.cacheFile}.new`, from.cacheFile);
  };

  const attempt = async (work: (from: MetadataPlace) => Promise<void>) => {
    if (!metadataPlace || stopping.signal.aborted) return;
    await work(metadataPlace).catch((error: unknown) => {
      if (stopping.signal.aborted) return;
      log.error({ reason: String(error), source: metadataPlace.source }, 'could not load FIDO metadata');
    });
  };
  const isRemote = metadataPlace !== undefined && /^https?:/i.test(metadataPlace.source);
  const load = () =>
    attempt((from) => (isRemote ? readFrom(from.cacheFile, from).catch(unlessMissing) : readFrom(from.source, from)));
  const refresh = () => attempt((from) => (isRemote ? fetchFrom(from) : readFrom(from.source, from)));

  return {
    find: (aaguid, leaf) => {
      const model = blob?.models.get(nameOfModel(aaguid));
      return model ?? (leaf && !aaguid.some(Boolean) ? blob?.models.get(nameOfKey(leaf)) : undefined);
    },
    load,
    refresh,
    start() {
      if (!metadataPlace) return;
      void refresh();
      timer = setInterval(() => void refresh(), LOOK_EVERY_MS).unref();
    },
    stop() {
      clearInterval(timer);
      stopping.abort();
    },
    current: () => blob && { no: blob.no, nextUpdate: blob.nextUpdate },
  };
}

async function fetchText(outbound: Pick<Outbound, 'send'>, url: string, signal: AbortSignal): Promise<string> {
  const answer = await outbound.send({
    method: 'GET',
    url,
    headers: { accept: 'application/jose, */*' },
    wantBody: true,
    maxAnswerBytes: MAX_BLOB_BYTES,
    timeoutMs: FETCH_TIMEOUT_MS,
    signal,
  });
  if (answer.status !== 200 || !answer.body) throw new Error(`the answer was ${answer.status ?? answer.fault}`);
  return answer.body.toString('latin1');
}

/** Returns the roots and host name that a BLOB must be signed under: FIDO's, unless the operator configured a root. */
export async function trustOf(rootFile: string | undefined): Promise<Omit<BlobTrust, 'now'>> {
  if (rootFile !== undefined) {
    return { roots: [new X509Certificate(await readFile(rootFile))], hostName: undefined };
  }
  const roots = rootCertificates.map((pem) => new X509Certificate(pem));
  return { roots: roots.filter(({ fingerprint256 }) => fingerprint256 === FIDO_ROOT), hostName: FIDO_HOST };
}

function unlessMissing(error: unknown): void {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
}
