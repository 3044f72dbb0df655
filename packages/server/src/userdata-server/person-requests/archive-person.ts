import { Readable } from 'node:stream';
import type { TenantReads } from '../../db/db.ts';
import { toDtm } from '../../kernel/clock.ts';
import { ApiError } from '../../kernel/errors.ts';
import type { PersonKind, PersonSource } from '../../kernel/person-source.ts';
import { ARCHIVE_FORMAT, type ArchiveDeps, entriesOf } from '../archive-instance.ts';
import { type ArchiveEntry, json, writeArchive } from '../write-archive.ts';
import type { ItemRow, PersonRequestRow } from './person-requests.repository.ts';

export type ArchivePersonDeps = ArchiveDeps & { sources: readonly Pick<PersonSource, 'kind' | 'show'>[] };

const FOLDERS: Readonly<Record<PersonKind, string>> = {
  processInstance: 'processInstances',
  processToken: 'processTokens',
  user: 'users',
  watchlistMember: 'watchlistMembers',
};

type PersonArchive = {
  row: PersonRequestRow;
  items: readonly ItemRow[];
  now: number;
  ensureAllowed(): Promise<void>;
};

/** Everything that a request found, as one signed archive. What was deleted or redacted since is left out. */
export async function archivePerson(
  deps: ArchivePersonDeps,
  db: TenantReads,
  { row, items, now, ensureAllowed }: PersonArchive,
): Promise<Readable> {
  const manifest = {
    format: ARCHIVE_FORMAT,
    tenantId: db.tenantId,
    personRequestId: row.id,
    environment: row.environment,
    ...(row.reference !== null && { reference: row.reference }),
    requestedDtm: toDtm(row.created_at),
    archivedDtm: toDtm(now),
    versions: deps.versions,
  };
  return writeArchive({
    entries: await entries(deps, db, row, items),
    at: row.created_at,
    ensureAllowed,
    manifest: (listed) => ({ ...manifest, entries: listed }),
    sign: async (bytes) => (await deps.sign.bytes('grove-manifest+jws', bytes)).jws,
  });
}

/** A request finds a limited number of items; images are opened when they are written. */
async function entries(
  deps: ArchivePersonDeps,
  db: TenantReads,
  { environment }: PersonRequestRow,
  items: readonly ItemRow[],
): Promise<ArchiveEntry[]> {
  const all: ArchiveEntry[] = [];
  for (const { kind, item_id: id } of items) {
    const folder = `${FOLDERS[kind]}/${id}`;
    if (kind === 'processInstance') {
      const data = await findUnredacted(deps, db, { instanceId: id, environment });
      if (!data) continue;
      for (const entry of entriesOf(deps, db, data)) all.push({ ...entry, path: `${folder}/${entry.path}` });
      continue;
    }
    const source = deps.sources.find((each) => each.kind === kind);
    if (!(await source?.show(db, id))) continue;
    const open = async () => {
      const view = await source?.show(db, id);
      if (!view) throw new ApiError(100022);
      return Readable.from([json(view)]);
    };
    all.push({ path: `${folder}.json`, contentType: 'application/json', open });
  }
  return all;
}

type InstanceOfPerson = { instanceId: string; environment: PersonRequestRow['environment'] };

async function findUnredacted({ findAny }: ArchivePersonDeps, db: TenantReads, instance: InstanceOfPerson) {
  const data = await findAny(db, instance);
  return data?.instance.redacted_at === null ? data : undefined;
}
