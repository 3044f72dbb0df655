import type { Config } from '@grove/server';
import type { Command } from 'commander';
import { operatorConfig } from '../operator.ts';
import { type CommonOptions, define, examples, print, type Result, styled } from '../output.ts';

export function defineBackup(program: Command): void {
  define(program, 'backup <file>', 'copy the SQLite database to a file while the server runs')
    .addHelpText(
      'after',
      `${examples('grove backup /backups/grove-$(date +%F).sqlite', 'grove restore /backups/grove-2030-01-31.sqlite')}
The file shows the database at one moment. It gets its name when it is whole, checked and on the disk; an older backup
of that name is replaced only then. It holds neither the master key nor the images: keep copies of those, too, and keep
the master key elsewhere, for whoever has both can open everything.
On PostgreSQL use pg_dump, as a superuser or a role with BYPASSRLS.`,
    )
    .action(async (file: string, options: CommonOptions) => print(options, await backUp(file)));
}

async function backUp(file: string): Promise<Result> {
  const { backUpSqlite, OperatorError } = await import('@grove/server');
  const config = await operatorConfig();
  if (config.database.engine !== 'sqlite') {
    throw new OperatorError(
      'The database is PostgreSQL: back it up with pg_dump --format=custom --file=grove.dump <database>, as a superuser ' +
        'or a role with BYPASSRLS. The role of Grove may not read all tenants at once.',
    );
  }
  const done = await backUpSqlite({ database: config.database.file, target: file });
  const kept = masterKeyPlace(config);
  const text = [
    `The database is backed up: ${done.file} (${(done.bytes / 1024).toFixed(0)} KiB, checked).`,
    '',
    styled('bold', 'The master key is NOT in it.'),
    `Keep ${kept} separately: without it, nothing sealed in the backup can be opened.`,
  ];
  return { value: { ...done, masterKey: { included: false, keep: kept } }, text: text.join('\n') };
}

export function masterKeyPlace({ masterKey }: Config): string {
  return 'file' in masterKey ? masterKey.file : 'the value of GROVE_MASTER_KEY';
}
