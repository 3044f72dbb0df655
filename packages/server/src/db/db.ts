import type { TenantId } from '../kernel/ids.ts';
import type { Line } from '../kernel/take-turns.ts';
import type { Signals } from './signals.ts';

/**
 * One door, two engines. Repositories write plain SQL in the subset that SQLite and PostgreSQL share, with `$1 … $n`;
 * times are epoch milliseconds, flags are 0 and 1, documents are text. Every query of a tenant's data goes through a
 * handle that is bound to the tenant, and names it again in its WHERE clause.
 */
export type Value = string | number | null | Uint8Array;

/**
 * A statement. One with a name is prepared once on each connection and kept. `row` makes a row of its values, in the
 * order of the columns: worth writing where many rows are read, because objects of one known shape are cheap.
 */
export type Sql = { readonly text: string; readonly name?: string; readonly row?: RowOf };
export type RowOf = (values: Value[]) => object;

/** Every statement that is written in the code, in the order in which it was loaded. */
export const statements: string[] = [];

/** For statements written in the code: a fixed number of them exists. */
export function sql(text: string, row?: RowOf): Sql {
  statements.push(text);
  return { text, name: `grove_${statements.length}`, ...(row && { row }) };
}

/** For statements put together at run time from more parts than should be kept prepared. */
export function unprepared(text: string, row?: RowOf): Sql {
  return { text, ...(row && { row }) };
}

export type Engine = 'sqlite' | 'postgres';

export type Reads = {
  get<R>(statement: Sql, values: readonly Value[]): Promise<R | undefined>;
  all<R>(statement: Sql, values: readonly Value[]): Promise<R[]>;
};

export type Writes = Reads & {
  /** How many rows were changed. */
  run(statement: Sql, values: readonly Value[]): Promise<number>;
  /**
   * A change whose result nobody reads. PostgreSQL gets it together with the next statement, which costs no round trip. A
   * fault of it fails the transaction, here or at a later statement: where a fault has a meaning, use `run`.
   */
  send(statement: Sql, values: readonly Value[]): void;
  /** The same for several rows of an INSERT, which PostgreSQL gets as one statement. All of its `$n` stand in its VALUES. */
  sendAll(statement: Sql, rows: readonly (readonly Value[])[]): void;
  /** The rows of the last statement of a transaction. PostgreSQL gets the commit in the same packet. */
  last<R>(statement: Sql, values: readonly Value[]): Promise<R[]>;
  /** Which of the connections this is. No two transactions of one server have the same number at a time. */
  readonly connection: number;
};

/** Seals and opens what rows hold about persons, and makes codes of the words that they are found by. */
export type PersonalSeal = {
  /** Bound to `context`: what was sealed for one row opens in no other. */
  seal(context: string, text: string): Uint8Array;
  open(context: string, sealed: Uint8Array): string;
  /** The same for what is read again and again: a few values that were opened last are remembered. */
  openAgain(context: string, sealed: Uint8Array): string;
  /** A code of the word. It starts with the codes of all its prefixes of three characters or more. */
  code(word: string): string;
  /** The same for another kind of words. Equal words of different kinds have different codes. */
  codeOf(kind: CodedKind, word: string): string;
  /** The code of the word, followed by a hash of all of it: it can be found as a whole and by its prefixes. */
  wholeCodeOf(kind: CodedKind, word: string): string;
  /** A keyed hash of the whole text, for exact matches. It says nothing without the key. */
  hashOf(kind: CodedKind, text: string): string;
};

/** The kinds of coded words beside those of instances. */
export type CodedKind = 'users' | 'members' | 'links';

/** Set once the keys are loaded: the database itself has none. */
export type PersonalSeals = { of?: (db: TenantReads) => Promise<PersonalSeal | undefined> };

export type TenantReads = Reads & {
  readonly tenantId: TenantId;
  /** Undefined if nothing of the tenant was ever sealed; inside a transaction the key is created. */
  personal(): Promise<PersonalSeal | undefined>;
  /** True if what is read may still be rolled back, and so must not be remembered. */
  readonly inTransaction: boolean;
};
export type TenantTx = TenantReads &
  Writes & {
    readonly engine: Engine;
    /** Writers wait for whole transactions, not for single rows: reads belong outside, and a counter needs only one row. */
    readonly hasOneWriter: boolean;
    /** Called once the transaction is durable, and never if it is rolled back. It must not throw. */
    afterCommit(call: () => void): void;
  };

/** A handle, as far as it names the tenant. */
export type OfTenant = Pick<TenantReads, 'tenantId'>;

/** A tenant's data. `write` is one durable transaction; inside one, it joins it. */
export type TenantDb = TenantReads & {
  write<T>(work: (tx: TenantTx) => Promise<T>, options?: WriteOptions): Promise<T>;
};

export type WriteOptions = {
  /**
   * Says that the work may be called a second time: it changes nothing but the database, waits for nothing outside, and
   * only its last call counts. SQLite then spares it the savepoint, which costs as much as a third of its statements.
   */
  readonly runsAgain?: boolean;
};

/** The tables that belong to no tenant: tenants, signing keys, sealed secrets. */
export type SystemDb = Reads & { write<T>(work: (tx: Writes) => Promise<T>): Promise<T> };

export type Db = {
  readonly engine: Engine;
  /** True if no other server can work on the database: what another has left behind belongs to nobody. */
  readonly isSingleServer: boolean;
  readonly seals: PersonalSeals;
  readonly signals: Signals;
  /** Lines of a tenant take turns at the connections of PostgreSQL. */
  of(tenantId: TenantId, line?: Line): TenantDb;
  readonly system: SystemDb;
  /** The same on separate connections, for queues: they go on while callers use up all other connections. */
  readonly aside: Pick<Db, 'of' | 'system'>;
  /** Throws `unavailable` if the database does not answer or cannot be written to. */
  ready(): Promise<void>;
  /** Makes the coming months of a table that consists of months on PostgreSQL, and drops those that are over. */
  tendMonths?(table: MonthlyTable): Promise<MonthChanges>;
  /** The id with which the first month of such a table begins: from there on nothing is deleted by the row. */
  firstMonth?(table: string): Promise<string | undefined>;
  /** The connections of PostgreSQL for callers, and those aside. */
  pools?(): Readonly<Record<'main' | 'aside', PoolState>>;
  /**
   * The database's own clock. SQLite has none but that of the machine: there it is the time that has passed since the
   * process began, by a clock that nobody can set.
   */
  now(): Promise<number>;
  close(): Promise<void>;
};

/** A table whose ids begin with the time, as `postgres/months.ts` divides it. */
export type MonthlyTable = {
  readonly table: string;
  readonly now: number;
  /** A month that ended before this moment is dropped. */
  readonly dropBefore: number;
};

/** What was done, for the log. */
export type MonthChanges = { readonly newMonths: readonly string[]; readonly endedParts: readonly string[] };

/** The connections, the callers that wait for one, and the number of statements since the start. */
export type PoolState = { total: number; idle: number; waiting: number; statements: number; roundTrips: number };

/** The faults that callers can do something about; anything else is a bug or a broken disk. */
export type DbFault = 'unique' | 'busy' | 'full' | 'unavailable';

export class DbError extends Error {
  readonly fault: DbFault;

  constructor(fault: DbFault, cause: unknown) {
    super(`database: ${fault}`, { cause });
    this.name = 'DbError';
    this.fault = fault;
  }
}

export function isUniqueViolation(error: unknown): boolean {
  return error instanceof DbError && error.fault === 'unique';
}

type TenantHandle = {
  tenantId: TenantId;
  seals: PersonalSeals;
  engine: Engine;
  reads: Reads;
  /** One transaction on a connection that works for the tenant. */
  write<T>(work: (tx: Writes) => Promise<T>, options?: WriteOptions): Promise<T>;
};

/** A tenant's data, from what an engine knows of reading and writing. */
export function tenantDb({ tenantId, seals, engine, reads: { get, all }, write }: TenantHandle): TenantDb {
  const db: TenantDb = {
    tenantId,
    inTransaction: false,
    personal: () => personalOf(seals, db),
    get,
    all,
    async write(work, options) {
      let afterCommitCalls: (() => void)[] = [];
      const result = await write((calls) => {
        // The work may run twice: calls that its first run registered were rolled back with it.
        const own: (() => void)[] = [];
        afterCommitCalls = own;
        const afterCommit = (call: () => void) => void own.push(call);
        const personal = () => personalOf(seals, tx);
        const hasOneWriter = engine === 'sqlite';
        const tx: TenantTx = { ...calls, tenantId, engine, hasOneWriter, inTransaction: true, personal, afterCommit };
        return work(tx);
      }, options);
      for (const call of afterCommitCalls) call();
      return result;
    },
  };
  return db;
}

function personalOf({ of }: PersonalSeals, db: TenantReads): Promise<PersonalSeal | undefined> {
  if (!of) throw new Error('nobody has given the database the keys of personal data');
  return of(db);
}

/** A handle that runs inside a transaction and joins it when asked to write. */
export function joined(tx: TenantTx): TenantDb {
  return { ...tx, write: (work) => work(tx) };
}

/**
 * A transaction that has ended must not be used by code that forgot to await: its connection may be another's by then.
 */
export function revocable(calls: Writes): { calls: Writes; revoke(): void } {
  let isEnded = false;
  const alive = () => {
    if (isEnded) throw new Error('the transaction has ended: an await is missing');
  };
  return {
    calls: {
      get: (statement, values) => {
        alive();
        return calls.get(statement, values);
      },
      all: (statement, values) => {
        alive();
        return calls.all(statement, values);
      },
      run: (statement, values) => {
        alive();
        return calls.run(statement, values);
      },
      send: (statement, values) => {
        alive();
        calls.send(statement, values);
      },
      sendAll: (statement, rows) => {
        alive();
        calls.sendAll(statement, rows);
      },
      last: (statement, values) => {
        alive();
        isEnded = true;
        return calls.last(statement, values);
      },
      connection: calls.connection,
    },
    revoke: () => {
      isEnded = true;
    },
  };
}

/** SQLite takes only anonymous parameters quickly, so `$2 … $1 … $2` becomes `? … ? … ?` and the order of the values. */
export function toAnonymous(text: string): { text: string; order: number[] | undefined } {
  const order: number[] = [];
  const anonymous = text.replace(/\$(\d+)/g, (_, digits: string) => {
    order.push(Number(digits) - 1);
    return '?';
  });
  const straight = order.every((index, position) => index === position);
  return { text: anonymous, order: straight ? undefined : order };
}

/** Uncomments the parts in comments that begin with the name of this engine, and removes those for the other one. */
export function forEngine(text: string, engine: Engine): string {
  return text.replace(/\/\*(sqlite|postgres) ([\s\S]*?)\*\//g, (_, name: Engine, own: string) =>
    name === engine ? own : '',
  );
}
