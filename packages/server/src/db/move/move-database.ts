import type { SQLInputValue, SQLOutputValue } from 'node:sqlite';
import { BackupError } from '../sqlite/backup.ts';
import { addLine, comparableLine, copyLine, sumText, type Tally } from './copy-text.ts';
import { openSource, type Source, type SourceTable } from './source.ts';
import { openTarget, type Progress, type Target } from './target.ts';

/**
 * Moves a SQLite installation to PostgreSQL. The caller holds the lock of the data folder, so nobody writes. Each batch of
 * rows is one transaction together with the progress of its table, so an interrupted move continues where it stopped. At
 * the end each table is read back and compared by the number and the hashes of its rows.
 */
export type MoveOptions = {
  file: string;
  url: string;
  restart: boolean;
  onProgress(progress: MoveProgress): void;
  batchRows?: number;
};

/** `done` of `total` rows, steps or tables of this stage. */
export type MoveProgress = { stage: 'copy' | 'finish' | 'compare'; what: string; done: number; total: number };

export type MovedTable = { table: string; rows: number; hash: string };

const MAX_BATCH_ROWS = 10_000;
const MAX_BATCH_CHARACTERS = 8 * 2 ** 20;

export async function moveDatabase(options: MoveOptions): Promise<MovedTable[]> {
  const { file, url, restart, onProgress, batchRows = MAX_BATCH_ROWS } = options;
  const source = openSource(file);
  try {
    const target = await openTarget({ url, source, restart });
    try {
      await copyTables({ source, target, batchRows }, onProgress);
      const moved = await compareTables(source, target, onProgress);
      await target.finish((done, total) => onProgress({ stage: 'finish', what: 'indexes and keys', done, total }));
      return moved;
    } finally {
      await target.close().catch(() => undefined);
    }
  } finally {
    source.close();
  }
}

type Copy = { source: Source; target: Target; batchRows: number };

async function copyTables(copy: Copy, onProgress: MoveOptions['onProgress']): Promise<void> {
  const { source } = copy;
  const total = source.tables.reduce((sum, { rows }) => sum + rows, 0);
  let before = 0;
  for (const table of source.tables) {
    const show = (rows: number) => onProgress({ stage: 'copy', what: table.name, done: before + rows, total });
    await copyTable(copy, table, show);
    before += table.rows;
  }
}

async function copyTable({ source, target, batchRows }: Copy, table: SourceTable, show: (rows: number) => void) {
  let progress = target.progressOf(table.name);
  let lines: string[] = [];
  let characters = 0;
  const flush = async () => {
    if (lines.length === 0) return;
    await appendTo(target, table, lines, progress);
    show(progress.rows);
    lines = [];
    characters = 0;
  };
  show(progress.rows);
  const after = progress.lastKey === null ? undefined : (JSON.parse(progress.lastKey) as SQLInputValue[]);
  for (const row of source.rowsAfter(table, after)) {
    const line = copyLine(row);
    lines.push(line);
    characters += line.length;
    progress = next(progress, table, row);
    if (lines.length >= batchRows || characters >= MAX_BATCH_CHARACTERS) await flush();
  }
  await flush();
}

function next(progress: Progress, { key, fractions }: SourceTable, row: SQLOutputValue[]): Progress {
  const tally = addLine(progress, comparableLine(row, fractions));
  return { ...tally, lastKey: JSON.stringify(key.map((at) => row[at])) };
}

async function appendTo(target: Target, table: SourceTable, lines: string[], progress: Progress): Promise<void> {
  try {
    await target.append(table, lines, progress);
  } catch (error) {
    throw new BackupError(
      `Rows of ${table.name} could not be written: ${(error as Error).message}. The rows that were copied before are kept; ` +
        'run the same command again to go on.',
      { cause: error },
    );
  }
}

async function compareTables(
  { tables }: Source,
  target: Target,
  onProgress: MoveOptions['onProgress'],
): Promise<MovedTable[]> {
  const total = tables.reduce((sum, { rows }) => sum + rows, 0);
  const moved: MovedTable[] = [];
  let done = 0;
  for (const table of tables) {
    const sentTally = target.progressOf(table.name);
    ensureEqual(table, sentTally, await target.tally(table));
    moved.push({ table: table.name, rows: table.rows, hash: sumText(sentTally.sum) });
    done += table.rows;
    onProgress({ stage: 'compare', what: table.name, done, total });
  }
  return moved;
}

function ensureEqual(table: SourceTable, sentTally: Tally, targetTally: Tally): void {
  if (sentTally.rows === table.rows && targetTally.rows === sentTally.rows && targetTally.sum === sentTally.sum) return;
  throw new BackupError(
    `${table.name} differs: ${table.rows} rows in SQLite, ${targetTally.rows} in PostgreSQL, ` +
      `hashes ${sumText(sentTally.sum)} and ${sumText(targetTally.sum)}. Add --restart to begin again.`,
  );
}
