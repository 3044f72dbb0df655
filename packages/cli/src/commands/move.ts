import type { Config, MoveProgress } from '@grove/server';
import type { Command } from 'commander';
import { UsageError } from '../failure.ts';
import { operatorConfig, serverEnvironment } from '../operator.ts';
import { type CommonOptions, define, examples, print, type Result } from '../output.ts';
import { duration, progressLine } from '../progress.ts';
import { ensureOpens } from './restore.ts';

type MoveOptions = { to: string; imagesTo?: string; restart?: true };

export function defineMove(program: Command): void {
  define(
    program,
    'move',
    'make a PostgreSQL installation of the SQLite one in the data folder; the server must be stopped',
  )
    .requiredOption('--to <url>', 'the empty PostgreSQL database: postgres://user@host:port/database')
    .option('--images-to <url>', 'copy the images and the list of erasures to s3://bucket/prefix?region=… as well')
    .option(
      '--restart',
      'restart an interrupted move from the beginning, because the SQLite database has changed since',
    )
    .addHelpText(
      'after',
      `${examples(
        'PGPASSWORD=… grove move --to postgres://grove@db.example.com/grove',
        'grove move --to postgres://grove@db/grove --images-to "s3://images/grove?region=eu-central-1"',
      )}
Every table is copied as it is at one moment, then read back and compared by the number and the hashes of its rows. A move
that was interrupted goes on when the same command runs again; until it is finished no server starts on the target.
The password may stand in PGPASSWORD or in ~/.pgpass, where other users of the machine do not see it.
The master key stays where it is, and so do the images unless --images-to is given: the new server needs both. The SQLite
database is renamed at the end, and removed by the server after a week.`,
    )
    .action(async (options: CommonOptions & MoveOptions) => print(options, await move(options)));
}

async function move({ to, imagesTo, restart }: MoveOptions): Promise<Result> {
  const { isFile, keepMoved, lockInstallation, moveDatabase, OperatorError, viewSqlite } = await import(
    '@grove/server'
  );
  if (!/^postgres(ql)?:\/\//.test(to)) throw new UsageError('--to must be postgres://user:password@host:port/database');
  const config = await operatorConfig();
  const { database } = config;
  if (!isFile(database)) {
    throw new OperatorError(
      'DATABASE_URL is set, so this installation is on PostgreSQL already. Unset it to move from SQLite.',
    );
  }
  await ensureCurrent(config);
  const lock = lockInstallation(config);
  const line = progressLine();
  const began = performance.now();
  try {
    const view = viewSqlite(database.file);
    await ensureOpens(config, view, true).finally(() => view.close());
    const images = imagesTo === undefined ? undefined : await copyImages(config, imagesTo, line.show);
    const onProgress = ({ stage, done, total }: MoveProgress) => line.show(WORDS[stage], done, total);
    const tables = await moveDatabase({ file: database.file, url: to, restart: restart === true, onProgress });
    const keptFile = keepMoved(database.file, Date.now());
    return describeMove({ tables, images, keptFile, imagesTo, ms: performance.now() - began });
  } finally {
    line.end();
    lock?.release();
  }
}

const WORDS = { copy: 'Rows copied', compare: 'Rows compared', finish: 'Indexes and keys made' } as const;

async function ensureCurrent(config: Config): Promise<void> {
  const { OperatorError, readMigrationState } = await import('@grove/server');
  const { applied, pending } = await readMigrationState(config.database);
  if (applied.length === 0) throw new OperatorError('There is no SQLite database in the data folder to move.');
  if (pending.length > 0) throw new OperatorError('The database is of an older release. Run grove migrate, then move.');
}

type ImageCopy = { copied: number; present: number };

/** Images are copied before the database: if this fails, nothing has changed. */
async function copyImages(
  config: Config,
  imagesTo: string,
  show: (stage: string, done: number, total: number) => void,
): Promise<ImageCopy & { erasures: number }> {
  const { copyBlobs, openBlobs, openErased, readConfig } = await import('@grove/server');
  const target = readConfig({ ...serverEnvironment(), BLOB_URL: imagesTo });
  if (!target.s3) throw new UsageError('--images-to must be s3://bucket/prefix?region=…');
  const clock = { now: Date.now };
  const images = await copyBlobs({
    from: openBlobs(config, clock),
    to: openBlobs(target, clock),
    onShard: (done, of) => show('Parts of the images copied', done, of),
  });
  const erased = await copyBlobs({
    from: openErased(config, clock),
    to: openErased(target, clock),
    onShard: (done, of) => show('Parts of the list of erasures copied', done, of),
  });
  return { ...images, erasures: erased.present };
}

type Moved = {
  tables: { table: string; rows: number; hash: string }[];
  images: (ImageCopy & { erasures: number }) | undefined;
  keptFile: string;
  imagesTo: string | undefined;
  ms: number;
};

function describeMove({ tables, images, keptFile, ms }: Moved): Result {
  const rows = tables.reduce((sum, each) => sum + each.rows, 0);
  const text = [
    `Moved ${rows.toLocaleString('en-GB')} rows of ${tables.length} tables in ${duration(ms)}; counts and hashes agree.`,
    images
      ? `Images in the bucket: ${images.present} (${images.copied} copied now), and ${images.erasures} entries of the list of erasures.`
      : 'The images stay where they are.',
    `The SQLite database is kept as ${keptFile}. The server removes it after a week.`,
    '',
    `Now set DATABASE_URL${images ? ', BLOB_URL, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY' : ''}, keep GROVE_DATA${images ? ' (the master key)' : ' (the master key and the images)'}, and start the server.`,
  ];
  return {
    value: { rows, tables, images: images ?? null, kept: keptFile, seconds: Math.round(ms / 1000) },
    text: text.join('\n'),
  };
}
