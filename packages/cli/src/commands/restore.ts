import { existsSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Config, EntrySeals, Manifest, MasterKey, View } from '@grove/server';
import type { Command } from 'commander';
import { placesIn, placesOf } from '../backup-folder.ts';
import { masterKeyPlace, operatorConfig } from '../operator.ts';
import { type CommonOptions, define, examples, print, type Result } from '../output.ts';
import { progressLine } from '../progress.ts';

export function defineRestore(program: Command): void {
  define(program, 'restore <backup>', 'put a backup in the place of the SQLite database; the server must be stopped')
    .option('--force', 'replace an existing database, which is kept for a week')
    .option('--ignore-erasures', 'restore although the list of erasures cannot be read, so erased data may come back')
    .addHelpText(
      'after',
      `${examples(
        'grove restore /backups/grove-2030-01-31.sqlite',
        'grove restore /backups/grove-2030-01-31.sqlite --force',
        'grove restore /backups/grove',
        'grove restore /backups/grove/2030-01-31T03-00-00-000Z.manifest',
      )}
A backup is a file, a manifest, or a folder, whose newest manifest is taken. With a manifest the images that are missing
come back, too.
Everything is checked before anything is replaced: that the backup is whole, that it is one of Grove's and of a release
that this one knows, and that the present master key opens what is sealed in it and the list of erasures since.
So put every version of the master key in place first: those of the backup and those of today.
On PostgreSQL use pg_restore for the database; a manifest that was made there brings back the images.`,
    )
    .action(async (backup: string, options: CommonOptions & RestoreOptions) =>
      print(options, await (isManifest(backup) ? restoreFolder(backup, options) : restore(backup, options))),
    );
}

const isManifest = (backup: string) =>
  backup.endsWith('.manifest') || statSync(backup, { throwIfNoEntry: false })?.isDirectory() === true;

/**
 * Restores a folder. The database is checked first, because it may be refused, and put in place last: an interrupted
 * restore leaves no database without its images or without the list of erasures.
 */
async function restoreFolder(backup: string, options: RestoreOptions): Promise<Result> {
  const { manifestsIn, OperatorError, readManifest } = await import('@grove/server');
  const [folder, name] = backup.endsWith('.manifest')
    ? [dirname(backup), basename(backup)]
    : [backup, manifestsIn(backup).at(-1)];
  if (name === undefined) throw new OperatorError(`There is no backup in ${folder}`);
  const manifest = await readManifest(folder, name);
  const { database } = manifest.head;
  let restoredCount = 0;
  const restoreImagesOnce = async () => {
    if (manifest.head.images === 'copied') restoredCount = await restoreMissingImages(manifest, folder);
  };
  const done = database
    ? await restore(join(folder, database.file), options, restoreImagesOnce)
    : await restoreImagesOnce();
  const images = manifest.images.size;
  const text = [...(done ? [done.text] : []), `Images: ${restoredCount} of ${images} were missing and are restored.`];
  return { value: { ...done?.value, manifest: name, images, restored: restoredCount }, text: text.join('\n') };
}

/** Restores the missing images. Resolves to their number. */
async function restoreMissingImages(manifest: Manifest, folder: string): Promise<number> {
  const { restoreImages } = await import('@grove/server');
  const line = progressLine();
  const to = await placesOf(await operatorConfig());
  const show = (done: number, total: number) => line.show('images', done, total);
  return (await restoreImages(manifest, await placesIn(folder), to, show).finally(() => line.end())).restored;
}

type RestoreOptions = { force?: true; ignoreErasures?: true };

/** `beforeReplacing` runs once the backup is found valid. */
async function restore(
  file: string,
  { force, ignoreErasures }: RestoreOptions,
  beforeReplacing?: () => Promise<void>,
): Promise<Result> {
  const { isFile, KEPT_DATABASE_DAYS, lockInstallation, OperatorError, restoreSqlite } = await import('@grove/server');
  const config = await operatorConfig();
  if (!isFile(config.database)) {
    throw new OperatorError(
      'The database is PostgreSQL: restore it with pg_restore --dbname="$DATABASE_URL" grove.dump',
    );
  }
  const lock = lockInstallation(config);
  try {
    const { database, bytes, keptFile, migrations } = await restoreSqlite({
      source: file,
      database: config.database.file,
      force: force === true,
      now: Date.now(),
      verify: async (view) => {
        await ensureOpens(config, view, ignoreErasures === true);
        await beforeReplacing?.();
      },
    });
    const pending = migrations.pending.map(({ name }) => name);
    const text = [
      `Restored ${database} from ${file}.`,
      ...(keptFile === undefined
        ? []
        : [
            `The database that was there is kept: ${keptFile}. The server removes it after ${KEPT_DATABASE_DAYS} days.`,
          ]),
      ignoreErasures
        ? 'The list of erasures was not read: data that was erased since the backup may be back.'
        : 'Data that was erased since the backup is erased again when the server starts.',
      ...(pending.length === 0 ? [] : [`The next start will apply: ${pending.join(', ')}`]),
    ];
    return { value: { database, bytes, kept: keptFile ?? null, pending }, text: text.join('\n') };
  } finally {
    lock?.release();
  }
}

/**
 * Ensures that the master key opens the backup and the list of erasures. A database that cannot be opened is useless,
 * and one whose list of erasures cannot be read would bring erased data back.
 */
export async function ensureOpens(config: Config, view: View, ignoreErasures: boolean): Promise<void> {
  const { checkSeals, everyTenantId, OperatorError, openMasterKey } = await import('@grove/server');
  const keyPlace = masterKeyPlace(config);
  if ('file' in config.masterKey && !existsSync(config.masterKey.file)) {
    throw new OperatorError(
      `The master key is missing: put the key of the backup into ${keyPlace} first. ${UNCHANGED}`,
    );
  }
  const master = openMasterKey(config.masterKey);
  const backup = await checkSeals(view, master, everyTenantId(view.system));
  const erased = ignoreErasures ? undefined : await checkErased(config, view, master);
  if (backup.faults.length === 0 && (erased?.faults.length ?? 0) === 0) return;
  const missing = [...new Set([...backup.versions, ...(erased?.versions ?? [])])].filter((each) => !master.has(each));
  if (missing.length > 0) {
    throw new OperatorError(
      `The master key (${keyPlace}) is not complete. ${needText('The backup', backup.versions)}` +
        `${needText('The list of erasures since', erased?.versions ?? new Set())}Missing: ${list(missing)}. ` +
        `Put a line for each missing version beside those that are there. ${UNCHANGED}`,
    );
  }
  if (backup.faults.length > 0) {
    throw new OperatorError(
      `The master key (${keyPlace}) is not the one of this backup: it does not open ${backup.faults.length} of ` +
        `${backup.sealed} sealed keys and secrets. Put the right key in place first. ${UNCHANGED}`,
    );
  }
  throw new OperatorError(
    `The list of erasures cannot be read, so erased data would come back: ${erased?.faults.slice(0, MAX_SHOWN).join(', ')}. ` +
      `Put the right key into ${keyPlace}, or remove an entry that is damaged from the place of the blobs. To restore ` +
      `without the list, add --ignore-erasures. ${UNCHANGED}`,
  );
}

const UNCHANGED = 'Nothing was changed.';
const MAX_SHOWN = 5;

const list = (versions: Iterable<number>) => [...versions].sort((one, other) => one - other).join(', ');
const needText = (what: string, versions: Set<number>) =>
  versions.size === 0 ? '' : `${what} needs version ${list(versions)}. `;

/** Checks the erasures since the backup, as the next start will read them. */
async function checkErased(config: Config, view: View, master: MasterKey): Promise<EntrySeals> {
  const { checkEntries, erasuresKnownUntil, everyTenantId, openErased } = await import('@grove/server');
  const now = Date.now();
  let since = now;
  for await (const tenantId of everyTenantId(view.system)) {
    since = Math.min(since, (await erasuresKnownUntil(view.of(tenantId))) ?? 0);
  }
  return checkEntries(openErased(config, { now: Date.now }), master, since, now);
}
