import type { Config } from '@grove/server';
import type { Command } from 'commander';
import { backUpFolder, verifyFolder } from '../backup-folder.ts';
import { UsageError } from '../failure.ts';
import { masterKeyPlace, operatorConfig } from '../operator.ts';
import { type CommonOptions, define, examples, print, type Result, styled } from '../output.ts';

type BackupOptions = { images?: true; listImages?: true; keep?: string };

export function defineBackup(program: Command): void {
  const backup = define(program, 'backup <target>', 'copy the SQLite database, and the images, while the server runs')
    .option('--images', 'the target is a folder; it gets the database and the images that the database names')
    .option('--list-images', 'with --images: do not copy the images but list them, for a bucket that keeps versions')
    .option('--keep <count>', 'with --images: keep only this many backups in the folder')
    .addHelpText(
      'after',
      `${examples(
        'grove backup /backups/grove-$(date +%F).sqlite',
        'grove backup /backups/grove --images --keep 14',
        'grove backup verify /backups/grove',
        'grove restore /backups/grove',
      )}
The file shows the database at one moment. It gets its name when it is whole, checked and on the disk; an older backup
of that name is replaced only then. It does not hold the master key: keep a copy of that elsewhere, for whoever has both
can open everything.
With --images the folder holds a copy of the database and a manifest for each backup, and each image once: a second backup
copies only what is new. Images that are erased while it runs are left out.
On PostgreSQL run pg_dump first, as a superuser or a role with BYPASSRLS, then this command with --images.`,
    )
    .action(async (target: string, options: CommonOptions & BackupOptions) =>
      print(options, await backUp(target, options)),
    );
  define(backup, 'verify <folder>', 'read a folder of backups and compare everything with its manifests')
    .option('--newest', 'only the newest backup')
    .addHelpText('after', examples('grove backup verify /backups/grove', 'grove backup verify /backups/grove --newest'))
    // The parent command has --json as well, and takes it in any position.
    .action(async (folder: string, { newest }: { newest?: true }, command: Command) =>
      print(command.optsWithGlobals(), await verifyFolder(await operatorConfig(), folder, newest === true)),
    );
}

const MAX_KEEP = 10_000;

async function backUp(target: string, { images, listImages, keep }: BackupOptions): Promise<Result> {
  const config = await operatorConfig();
  if (!images) {
    if (keep !== undefined || listImages) throw new UsageError('--keep and --list-images need --images');
    return backUpFile(config, target);
  }
  const count = keep === undefined ? undefined : Number(keep);
  if (count !== undefined && !(Number.isInteger(count) && count >= 1 && count <= MAX_KEEP)) {
    throw new UsageError(`--keep must be a whole number from 1 to ${MAX_KEEP}`);
  }
  return backUpFolder(config, { folder: target, list: listImages === true, keep: count });
}

async function backUpFile(config: Config, file: string): Promise<Result> {
  const { backUpSqlite, isFile, OperatorError } = await import('@grove/server');
  if (!isFile(config.database)) {
    throw new OperatorError(
      'The database is PostgreSQL: back it up with pg_dump --format=custom --file=grove.dump <database>, as a superuser ' +
        'or a role with BYPASSRLS. The role of Grove may not read all tenants at once.',
    );
  }
  const done = await backUpSqlite({ database: config.database.file, target: file });
  const keyPlace = masterKeyPlace(config);
  const text = [
    `The database is backed up: ${done.file} (${(done.bytes / 1024).toFixed(0)} KiB, checked).`,
    'The images are not in it; grove backup <folder> --images saves them, too.',
    '',
    styled('bold', 'The master key is NOT in it.'),
    `Keep ${keyPlace} separately: without it, nothing sealed in the backup can be opened.`,
  ];
  return { value: { ...done, masterKey: { included: false, keep: keyPlace } }, text: text.join('\n') };
}
