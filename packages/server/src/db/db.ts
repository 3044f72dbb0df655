import type { TenantId } from '../kernel/ids.ts';
import type { Line } from '../kernel/take-turns.ts';
import type { Signals } from './signals.ts';

/**
 * One interface for two engines. Repositories write plain SQL in the subset that SQLite and PostgreSQL share, with
 * `$1 … $n`; times are epoch milliseconds, flags are 0 and 1, documents are text. Every query of a tenant's data goes
 * through a handle that is bound to the tenant, and names it again in its WHERE clause.
 */
export type Value = string | number | null | Uint8Array;

/**
 * A statement. One with a name is prepared once on each connection and stays prepared. `row` makes a row of its values, in
 * the order of the columns.
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

/** For statements that are put together at run time in too many variants to prepare them all. */
export function unprepared(text: string, row?: RowOf): Sql {
  return { text, ...(row && { row }) };
}

export type Engine = 'sqlite' | 'postgres';

export type Reads = {
  get<R>(statement: Sql, values: readonly Value[]): Promise<R | undefined>;
  all<R>(statement: Sql, values: readonly Value[]): Promise<R[]>;
};

export type Writes = Reads & {
  /** Resolves to the number of changed rows. */
  run(statement: Sql, values: readonly Value[]): Promise<number>;
  /**
   * A change whose result nobody reads. PostgreSQL gets it together with the next statement, which costs no round trip. If
   * it fails, the transaction fails here or at a later statement: to handle the failure, use `run`.
   */
  send(statement: Sql, values: readonly Value[]): void;
  /** `send` for several rows of an INSERT, which PostgreSQL gets as one statement. All `$n` must be in its VALUES. */
  sendAll(statement: Sql, rows: readonly (readonly Value[])[]): void;
  /** Runs the last statement of a transaction. PostgreSQL gets the commit in the same packet. */
  last<R>(statement: Sql, values: readonly Value[]): Promise<R[]>;
  /** The number of the connection. Two transactions of one server never have the same number at the same time. */
  readonly connection: number;
};

/** Seals and opens the personal data of rows, and makes codes of the words by which rows can be searched. */
export type PersonalSeal = {
  /** Binds the text to `context`: bytes that were sealed for one row do not open in another (swapped rows). */
  seal(context: string, text: string): Uint8Array;
  open(context: string, sealed: Uint8Array): string;
  /** `open` with a small cache, for values that are read again and again. */
  openAgain(context: string, sealed: Uint8Array): string;
  /** A code of the word. It starts with the codes of all its prefixes of three characters or more. */
  code(word: string): string;
  /** `code` for another kind of words. Equal words of different kinds have different codes. */
  codeOf(kind: CodedKind, word: string): string;
  /** The code of the word and a hash of all of it: the word can be searched as a whole and by its prefixes. */
  wholeCodeOf(kind: CodedKind, word: string): string;
  /** A keyed hash of the whole text, for exact matches. Without the key it reveals nothing. */
  hashOf(kind: CodedKind, text: string): string;
};

/** The kinds of coded words beside those of instances. */
export type CodedKind = 'users' | 'members' | 'links' | 'reviews';

/** Set once the keys are loaded: the database itself has none. */
export type PersonalSeals = { of?: (db: TenantReads) => Promise<PersonalSeal | undefined> };

export type TenantReads = Reads & {
  readonly tenantId: TenantId;
  /** Undefined if nothing of the tenant was sealed yet; inside a transaction the key is created. */
  personal(): Promise<PersonalSeal | undefined>;
  /** True if the rows that are read may still be rolled back, so they must not be cached. */
  readonly inTransaction: boolean;
};
export type TenantTx = TenantReads &
  Writes & {
    readonly engine: Engine;
    /** True if writers wait for whole transactions, not for rows: reads then belong outside, and a counter needs one row. */
    readonly hasOneWriter: boolean;
    /** Called once the transaction is durable, and never if it is rolled back. It must not throw. */
    afterCommit(call: () => void): void;
  };

/** The part of a handle that names the tenant. */
export type OfTenant = Pick<TenantReads, 'tenantId'>;

/** A tenant's data. `write` is one durable transaction; inside one, it joins it. */
export type TenantDb = TenantReads & {
  write<T>(work: (tx: TenantTx) => Promise<T>, options?: WriteOptions): Promise<T>;
};

export type WriteOptions = {
  /**
   * The work may be called a second time: it changes nothing but the database, waits for nothing outside, and only its last
   * call counts. SQLite then saves the savepoint, which costs as much as a third of the statements.
   */
  readonly runsAgain?: boolean;
};

/** The tables that belong to no tenant: tenants, signing keys, sealed secrets. */
export type SystemDb = Reads & { write<T>(work: (tx: Writes) => Promise<T>): Promise<T> };

export type Db = {
  readonly engine: Engine;
  /** True if no other server can use the database: then the leases of a stopped server belong to nobody. */
  readonly isSingleServer: boolean;
  readonly seals: PersonalSeals;
  readonly signals: Signals;
  /** Lines of a tenant take turns at the connections of PostgreSQL. */
  of(tenantId: TenantId, line?: Line): TenantDb;
  readonly system: SystemDb;
  /** Handles on separate connections, for queues, which go on while callers use up all other connections. */
  readonly aside: Pick<Db, 'of' | 'system'>;
  /** Throws `unavailable` if the database does not answer or cannot be written to. */
  ready(): Promise<void>;
  /** Creates the coming months of a table that PostgreSQL partitions by month, and drops the months that are over. */
  tendMonths?(table: MonthlyTable): Promise<MonthChanges>;
  /** The first id of the first month of such a table: rows from there on are deleted only with their whole month. */
  firstMonth?(table: string): Promise<string | undefined>;
  /** The connections of PostgreSQL for callers, and those aside. */
  pools?(): Readonly<Record<'main' | 'aside', PoolState>>;
  /**
   * The database's own clock. On SQLite, which has only the clock of the machine, it is the start of the process plus the
   * time on the monotonic clock, which nobody can set.
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

/** The changes of `tendMonths`, for the log. */
export type MonthChanges = { readonly newMonths: readonly string[]; readonly endedParts: readonly string[] };

/** The connections, the callers that wait for one, and the number of statements since the start. */
export type PoolState = { total: number; idle: number; waiting: number; statements: number; roundTrips: number };

/** The faults that a caller can handle; every other error is a bug or a broken disk. */
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

/** Makes the handle of a tenant of an engine's reads and writes. */
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
  if (!of) throw new Error('the keys of personal data were not loaded');
  return of(db);
}

/** The seal of the tenant. Throws if its key does not exist; a transaction creates it. */
export async function getPersonalSeal(db: Pick<TenantReads, 'personal'>): Promise<PersonalSeal> {
  const seal = await db.personal();
  if (!seal) throw new Error('the key of personal data is gone');
  return seal;
}

/** A handle inside a transaction, whose `write` joins the transaction. */
export function joinTransaction(tx: TenantTx): TenantDb {
  return { ...tx, write: (work) => work(tx) };
}

/** Ensures that code without its `await` does not use an ended transaction, whose connection may belong to another. */
export function revocable(calls: Writes): { calls: Writes; revoke(): void } {
  let isEnded = false;
  const open = (): Writes => {
    if (isEnded) throw new Error('the transaction has ended: an await is missing');
    return calls;
  };
  return {
    calls: {
      get: (statement, values) => open().get(statement, values),
      all: (statement, values) => open().all(statement, values),
      run: (statement, values) => open().run(statement, values),
      send: (statement, values) => open().send(statement, values),
      sendAll: (statement, rows) => open().sendAll(statement, rows),
      last: (statement, values) => {
        const { last } = open();
        isEnded = true;
        return last(statement, values);
      },
      connection: calls.connection,
    },
    revoke: () => {
      isEnded = true;
    },
  };
}

/** SQLite is fast only with anonymous parameters, so `$2 … $1 … $2` becomes `? … ? … ?` and the order of the values. */
export function toAnonymous(text: string): { text: string; order: number[] | undefined } {
  const order: number[] = [];
  const anonymous = text.replace(/\$(\d+)/g, (_, digits: string) => {
    order.push(Number(digits) - 1);
    return '?';
  });
  const straight = order.every((index, position) => index === position);
  return { text: anonymous, order: straight ? undefined : order };
}

/** Uncomments the SQL in comments that begin with the name of this engine, and removes that of the other one. */
export function forEngine(text: string, engine: Engine): string {
  return text.replace(/\/\*(sqlite|postgres) ([\s\S]*?)\*\//g, (_, name: Engine, own: string) =>
    name === engine ? own : '',
  );
}
