import { Readable } from 'node:stream';
import type { TenantReads } from '../db/db.ts';
import { toDtm } from '../kernel/clock.ts';
import { ApiError } from '../kernel/errors.ts';
import type { SignDocument } from '../kernel/sign-document.ts';
import type { InstanceData, ReadInstanceData } from '../process-manager/runtime/instance-data.ts';
import { listItems } from './list-items.ts';
import { toChecks, toUserData } from './show-user-data.ts';
import { type ArchiveEntry, json, type ListedEntry, writeArchive } from './write-archive.ts';

/** Everything of one instance as one signed archive, always in the same order. */
export type ArchiveDeps = Pick<
  ReadInstanceData,
  'findAny' | 'imageStream' | 'events' | 'applicant' | 'sessions' | 'notes'
> & {
  sign: SignDocument;
  /** The versions of the programs that made the data, by name. */
  versions: Readonly<Record<string, string>>;
};

export const ARCHIVE_FORMAT = 'grove-archive/2';

type InstanceArchive = { data: InstanceData; now: number; ensureAllowed(): Promise<void> };

export function archiveInstance(
  deps: ArchiveDeps,
  db: TenantReads,
  { data, now, ensureAllowed }: InstanceArchive,
): Readable {
  const { instance } = data;
  return writeArchive({
    entries: entriesOf(deps, db, data),
    at: instance.created_at,
    ensureAllowed,
    manifest: (entries) => manifestOf(db.tenantId, data, { entries, now, versions: deps.versions }),
    sign: async (manifest) => (await deps.sign.bytes('grove-manifest+jws', manifest)).jws,
  });
}

export function entriesOf(deps: ArchiveDeps, db: TenantReads, data: InstanceData): ArchiveEntry[] {
  const document = (path: string, readValue: () => Promise<unknown>): ArchiveEntry => ({
    path,
    contentType: 'application/json',
    open: async () => Readable.from([json(await readValue())]),
  });
  const items = listItems(data);
  const listedImages = new Set(items.map(({ image }) => image));
  const earlier = data.images
    .filter((image) => !listedImages.has(image))
    .map((image) => ({ path: `attempts/${image.step}/${image.attempt}/${image.name}`, image }));
  const images = [...items, ...earlier]
    .map(({ path, image }) => ({
      path: `${path}${extensionOf(image.content_type)}`,
      contentType: image.content_type,
      open: () => deps.imageStream(db, image),
    }))
    .sort((one, other) => (one.path < other.path ? -1 : 1));
  const entries = [
    document('instance.json', async () => (await deps.applicant(db, data.instance.id)) ?? {}),
    document('userdata.json', async () => toUserData(data, false)),
    document('checks.json', async () => toChecks(data)),
    document('events.json', () => deps.events(db, data.instance.id)),
    document('sessions.json', () => deps.sessions(db, data.instance.id)),
    document('notes.json', () => deps.notes(db, data.instance.id)),
    ...images,
  ];
  return entries.map((entry) => onlyIfThere(deps, db, data, entry));
}

/** JSON entries were read when the archive began. Ensures that none is sent after the instance was deleted or redacted. */
function onlyIfThere(
  { findAny }: Pick<ArchiveDeps, 'findAny'>,
  db: TenantReads,
  { instance: { id: instanceId, environment } }: InstanceData,
  entry: ArchiveEntry,
): ArchiveEntry {
  if (entry.contentType !== 'application/json') return entry;
  const open = async () => {
    const present = await findAny(db, { instanceId, environment });
    if (!present) throw new ApiError(100022);
    if (present.instance.redacted_at !== null) throw new ApiError(100364);
    return entry.open();
  };
  return { ...entry, open };
}

type ManifestInput = {
  entries: readonly ListedEntry[];
  now: number;
  versions: ArchiveDeps['versions'];
};

function manifestOf(tenantId: string, { instance }: InstanceData, { entries, now, versions }: ManifestInput) {
  return {
    format: ARCHIVE_FORMAT,
    tenantId,
    processInstanceId: instance.id,
    processDefnId: instance.definition_id,
    processDefnName: instance.process_defn_name,
    processDefnVersion: instance.process_defn_version,
    environment: instance.environment,
    status: instance.status,
    createdDtm: toDtm(instance.created_at),
    ...(instance.completed_at !== null && { completedDtm: toDtm(instance.completed_at) }),
    archivedDtm: toDtm(now),
    versions,
    entries,
  };
}

const EXTENSIONS: Readonly<Record<string, string>> = {
  'image/jpeg': '.jpg',
  'image/png': '.png',
  'image/webp': '.webp',
  'application/json': '.json',
};

function extensionOf(contentType: string): string {
  return EXTENSIONS[contentType] ?? '.bin';
}
