import { chmodSync, mkdirSync } from 'node:fs';
import type { Command } from 'commander';
import { FAILED } from '../failure.ts';
import { operatorConfig } from '../operator.ts';
import { type CommonOptions, define, examples, print, type Result } from '../output.ts';
import { progressLine } from '../progress.ts';

export function defineMigrate(program: Command): void {
  define(program, 'migrate', 'bring the database up to date; a start does so, too')
    .option('--check', 'change nothing; list what is pending, and exit with 1 if anything is')
    .addHelpText('after', examples('grove migrate', 'grove migrate --check && grove start'))
    .action(async (options: CommonOptions & { check?: true }) =>
      print(options, await (options.check ? check() : migrateNow())),
    );
}

async function migrateNow(): Promise<Result> {
  const { isFile, migrate } = await import('@grove/server');
  const { dataFolder, database } = await operatorConfig();
  if (isFile(database)) mkdirSync(dataFolder, { recursive: true, mode: 0o700 });
  const line = progressLine();
  const onMigration = (name: string, done: number, total: number) => line.show(name, done, total);
  const state = await migrate(database, onMigration).finally(() => line.end());
  if (isFile(database)) chmodSync(database.file, 0o600);
  const before = state.applied.map(({ name }) => name);
  const applied = state.pending.map(({ name }) => name);
  const text =
    applied.length === 0
      ? `The database is up to date (${before.at(-1)}).`
      : `Applied:\n${applied.map((name) => `  ${name}`).join('\n')}`;
  return { value: { applied, before }, text };
}

async function check(): Promise<Result> {
  const { readMigrationState } = await import('@grove/server');
  const state = await readMigrationState((await operatorConfig()).database);
  const applied = state.applied.map(({ name }) => name);
  const pending = state.pending.map(({ name }) => name);
  if (pending.length === 0)
    return { value: { applied, pending }, text: `The database is up to date (${applied.at(-1)}).` };
  return {
    value: { applied, pending },
    text: `Pending:\n${pending.map((name) => `  ${name}`).join('\n')}`,
    exitCode: FAILED,
  };
}
