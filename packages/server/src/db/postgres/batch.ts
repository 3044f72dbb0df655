import pg from 'pg';
import type { Sql, Value } from '../db.ts';
import { rowMaker } from '../sql/row-maker.ts';
import type { Connection, RowReader } from './connection.ts';
import { type Answer, textOf, typeParser } from './statements.ts';

/**
 * Statements that go to PostgreSQL in one packet and are answered in one. `pg` requests an answer (Sync) and the columns
 * with each statement; a batch does so once, and a connection requests the columns of a prepared statement once.
 */
export type BatchEntry = {
  readonly statement: Sql;
  readonly parameters: readonly Parameter[];
  /** Is called once: with the answer, or with the fault of this statement or of an earlier one. */
  settle(fault: unknown, answer?: Answer): void;
};

/** A value in the form in which it is sent. */
export type Parameter = string | Buffer | null;

/** The connection of a client of `pg`: it writes messages. */
type Wire = {
  stream: { cork(): void; uncork(): void };
  close(message: { type: 'S'; name: string }): void;
  parse(message: { text: string; name: string | undefined }): void;
  bind(message: { statement: string | undefined; values: readonly Parameter[] }): void;
  describe(message: { type: 'P' }): void;
  execute(message: object): void;
  sync(): void;
};

type Column = { name: string; dataTypeID: number };

/**
 * Sends the entries. After a fault PostgreSQL skips the rest, so all entries from the failed one on get that fault.
 * `isNamed` says whether the connection keeps statements that have a name.
 */
export function sendBatch(connection: Connection, entries: readonly BatchEntry[], isNamed: boolean): void {
  connection.groveReaders ??= new Map();
  const readers = connection.groveReaders;
  const nameOf = ({ statement }: BatchEntry) => (isNamed ? statement.name : undefined);
  let answerCount = 0;
  let reader: RowReader | undefined;
  let rows: object[] = [];
  let rowFault: unknown;
  const current = () => entries[answerCount] as BatchEntry;

  const write = (wire: Wire, entry: BatchEntry) => {
    const name = nameOf(entry);
    const isPrepared = name !== undefined && readers.has(name);
    if (!isPrepared) {
      // A failed batch may have prepared the statement. Preparing it twice is an error; closing a missing one is not.
      if (name) wire.close({ type: 'S', name });
      wire.parse({ text: textOf(entry.statement), name });
    }
    wire.bind({ statement: name, values: entry.parameters });
    if (!isPrepared) wire.describe({ type: 'P' });
    wire.execute({});
  };

  // In this mode a client accepts only instances of its own class of queries.
  const batch = Object.assign(Object.create(pg.Query.prototype), {
    submit(wire: Wire) {
      wire.stream.cork();
      for (const entry of entries) write(wire, entry);
      wire.sync();
      wire.stream.uncork();
    },
    handleRowDescription({ fields }: { fields: readonly Column[] }) {
      reader = readerOf(current(), fields);
    },
    handleDataRow({ fields }: { fields: (string | null)[] }) {
      try {
        reader ??= readers.get(nameOf(current()) ?? '');
        if (reader) rows.push(readRow(reader, fields));
      } catch (error) {
        rowFault ??= error;
      }
    },
    handleCommandComplete({ text }: { text: string }) {
      const entry = current();
      const name = nameOf(entry);
      if (name && !readers.has(name)) readers.set(name, reader ?? readerOf(entry, []));
      const answer = { rows, command: text };
      const fault = rowFault;
      answerCount += 1;
      [reader, rows, rowFault] = [undefined, [], undefined];
      entry.settle(fault, answer);
    },
    handleError: (fault: unknown) => batch.callback(fault),
    handleReadyForQuery: () => batch.callback(),
    /** The client replaces it to stop its timeout, so it must be called through `batch`. */
    callback(fault?: unknown) {
      if (answerCount === entries.length) return;
      const failed = entries.slice(answerCount);
      answerCount = entries.length;
      for (const { settle } of failed) settle(fault ?? new Error('PostgreSQL did not answer the statement'));
    },
  });
  connection.query(batch);
}

export function parameterOf(value: Value | undefined): Parameter {
  if (typeof value === 'string') return value;
  if (value === null || value === undefined) return null;
  if (typeof value === 'number') return String(value);
  return Buffer.isBuffer(value) ? value : Buffer.from(value.buffer, value.byteOffset, value.byteLength);
}

function readerOf({ statement }: BatchEntry, columns: readonly Column[]): RowReader {
  return {
    parsers: columns.map(({ dataTypeID }) => typeParser(dataTypeID)),
    toRow: statement.row ?? rowMaker(columns.map(({ name }) => name)),
  };
}

/** Replaces the texts by values in the same array, which nobody else reads. */
function readRow({ parsers, toRow }: RowReader, fields: unknown[]): object {
  for (let column = 0; column < fields.length; column++) {
    const text = fields[column];
    if (typeof text === 'string') fields[column] = parsers[column]?.(text);
  }
  return toRow(fields as Value[]);
}
