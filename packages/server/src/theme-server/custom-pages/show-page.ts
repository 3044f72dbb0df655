import type { Db, TenantReads } from '../../db/db.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Environment } from '../../kernel/environment.ts';
import type { TenantId } from '../../kernel/ids.ts';
import { serveOthers } from '../../kernel/in-slices.ts';
import { openTurns } from '../../kernel/take-turns.ts';
import { findDeployedPage } from './custom-pages.repository.ts';
import { type FileRow, findContent, findShownFile } from './page-files.repository.ts';
import { labelOf, readLabel } from './page-label.ts';

/** A file of a page, for everybody who knows the URL. */
export type ShownFile = {
  readonly tenantId: TenantId;
  readonly contentType: string;
  readonly sha256: string;
  /** True for a preview, which must not be cached. */
  readonly preview: boolean;
  /** Undefined if the file was deleted meanwhile. */
  readContent(): Promise<Uint8Array | undefined>;
};

/** To read and send a longer file delays all other requests. */
const LONG_BYTES = 128 * 2 ** 10;
/** The requests for long files of one tenant that may wait. */
const MAX_WAITING = 100;

const PATH = /^[A-Za-z0-9._/-]{0,200}$/;

/** Finds the file at a path below the label of a page. The empty path shows `index.html`; other folders have no index. */
export function pageFileFinder({ db, clock }: { db: Db; clock: Clock }) {
  const inTurn = openTurns(MAX_WAITING);
  /** Reads the long files of a tenant one after another, and serves others between two of them. */
  const readLong = (reads: TenantReads, row: FileRow) =>
    inTurn(reads.tenantId, async () => {
      await serveOthers(reads);
      return findContent(reads, row);
    });
  return async (label: string, path: string): Promise<ShownFile | undefined> => {
    const labelParts = readLabel(label);
    // No stored file has another name. Some of these names would also be refused by the database.
    if (!labelParts || !PATH.test(path)) return undefined;
    const { tenantId, hash } = labelParts;
    const filePath = path === '' ? 'index.html' : path;
    const reads = db.of(tenantId);
    const row = await findShownFile(reads, { hash, path: filePath, now: clock.now() });
    if (!row) return undefined;
    const { content_type: contentType, bytes, sha256, preview } = row;
    const readContent = () => (bytes < LONG_BYTES ? findContent(reads, row) : readLong(reads, row));
    return { tenantId, contentType, sha256, preview: preview === 1, readContent };
  };
}

/** Returns the label of the version that journeys show now. */
export async function deployedLabel(
  db: TenantReads,
  environment: Environment,
  name: string,
): Promise<string | undefined> {
  const row = await findDeployedPage(db, { environment, name });
  return row && labelOf(db.tenantId, row.hash);
}

/** Whether a definition may name this page. */
export async function isPageName(
  db: TenantReads,
  { name, environment }: { name: string; environment: Environment },
): Promise<boolean> {
  return (await findDeployedPage(db, { environment, name })) !== undefined;
}

/** The URLs of pages: on hosts of their own if a domain for pages is configured, otherwise below the tenant's URL. */
type PageAddresses = {
  /** The full URL, for callers of the API. */
  whole(tenantId: string, label: string): string;
  /** The URL for a journey: relative to the journey's origin, unless a domain for pages is configured. */
  inJourney(tenantId: string, label: string): string;
};

type Deps = { pagesDomain: string | undefined; baseUrlOf(tenantId: string): string };

export function pageAddresses({ pagesDomain, baseUrlOf }: Deps): PageAddresses {
  const below = (label: string) => `/pages/${label}/`;
  if (pagesDomain === undefined) {
    return {
      whole: (tenantId, label) => `${baseUrlOf(tenantId)}${below(label)}`,
      inJourney: (_tenantId, label) => below(label),
    };
  }
  const whole = (tenantId: string, label: string) => {
    const { protocol, port } = new URL(baseUrlOf(tenantId));
    return `${protocol}//${label}.${pagesDomain}${port && `:${port}`}/`;
  };
  return { whole, inJourney: whole };
}
