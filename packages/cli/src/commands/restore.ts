import { existsSync } from 'node:fs';
import type { Config, View } from '@grove/server';
import type { Command } from 'commander';
import { operatorConfig } from '../operator.ts';
import { type CommonOptions, define, examples, print, type Result } from '../output.ts';
import { masterKeyPlace } from './backup.ts';

export function defineRestore(program: Command): void {
  define(program, 'restore <file>', 'put a backup in the place of the SQLite database; the server must be stopped')
    .option('--force', 'replace a database that is there; it is kept beside')
    .addHelpText(
      'after',
      `${examples(
        'grove restore /backups/grove-2030-01-31.sqlite',
        'grove restore /backups/grove-2030-01-31.sqlite --force',
      )}
Everything is checked before anything is replaced: that the backup is whole, that it is one of Grove's and of a release
that this one knows, and that the present master key opens what is sealed in it. So put the master key in place first.
On PostgreSQL use pg_restore.`,
    )
    .action(async (file: string, options: CommonOptions & { force?: true }) =>
      print(options, await restore(file, options)),
    );
}

async function restore(file: string, { force = false }: { force?: boolean }): Promise<Result> {
  const { lockInstallation, OperatorError, restoreSqlite } = await import('@grove/server');
  const config = await operatorConfig();
  if (config.database.engine !== 'sqlite') {
    throw new OperatorError(
      'The database is PostgreSQL: restore it with pg_restore --dbname="$DATABASE_URL" grove.dump',
    );
  }
  const lock = lockInstallation(config);
  try {
    const { database, bytes, kept, migrations } = await restoreSqlite({
      source: file,
      database: config.database.file,
      force,
      now: Date.now(),
      verify: (view) => ensureOpens(config, view),
    });
    const pending = migrations.pending.map(({ name }) => name);
    const text = [
      `Restored ${database} from ${file}.`,
      ...(kept === undefined ? [] : [`The database that was there is kept: ${kept}`]),
      'What was erased since it was made is erased again when the server starts.',
      ...(pending.length === 0 ? [] : [`The next start will apply: ${pending.join(', ')}`]),
    ];
    return { value: { database, bytes, kept: kept ?? null, pending }, text: text.join('\n') };
  } finally {
    lock?.release();
  }
}

/** A database that cannot be opened is worth nothing, however whole it is. */
async function ensureOpens(config: Config, view: View): Promise<void> {
  const { checkSeals, everyTenantId, OperatorError, openMasterKey } = await import('@grove/server');
  const place = masterKeyPlace(config);
  if ('file' in config.masterKey && !existsSync(config.masterKey.file)) {
    throw new OperatorError(`The master key is missing: put the key of the backup into ${place} first. ${UNCHANGED}`);
  }
  const { faults, sealed } = await checkSeals(view, openMasterKey(config.masterKey), everyTenantId(view.system));
  if (faults.length === 0) return;
  throw new OperatorError(
    `The master key (${place}) is not the one of this backup: it does not open ${faults.length} of ${sealed} sealed ` +
      `keys and secrets. Put the right key in place first. ${UNCHANGED}`,
  );
}

const UNCHANGED = 'Nothing was changed.';
