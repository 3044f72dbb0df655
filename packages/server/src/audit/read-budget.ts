import type { Db, TenantReads, TenantTx } from '../db/db.ts';
import { actor, callerIds } from '../kernel/actor.ts';
import { type Clock, HOUR, toDtm } from '../kernel/clock.ts';
import type { Principal } from '../kernel/context.ts';
import { ApiError } from '../kernel/errors.ts';
import { openFlusher } from '../kernel/flusher.ts';
import type { Audit } from './audit.ts';
import { addKeyReads, countKeyReads, type KeyHour, markAlarmed } from './key-reads.repository.ts';

/**
 * Counts the persons that each API key reads in an hour, so that a leaked key is noticed. A request adds to a count in
 * memory. Every second the counts are added to those in the database, which all servers share, and the server that
 * finds a budget used up raises the alarm. A crash loses the counts of the last second.
 */
export type ReadBudget = {
  /**
   * Called before a read that shows at most `expected` persons. Refuses with 100191 while the key is blocked; running
   * requests count with the number that they may show. The returned function is called once with the number of persons
   * in the answer, before it is sent. If they are more than expected and exceed the rest of the budget, it refuses with
   * 100191, too. The result is a promise if this server must first read the budget and the count of the key.
   */
  admit(principal: Principal, expected: number): SettleReads | Promise<SettleReads>;
  flush(): Promise<void>;
  stop(): Promise<void>;
};

type SettleReads = (personCount: number) => void;

/** The limit of each key of a tenant. */
export type Budget = { readonly personsPerHour: number; readonly block: boolean };

export type BudgetAlarm = {
  readonly type: 'apiKey.readBudgetExceeded';
  readonly environment: 'live' | 'test';
  readonly at: number;
  readonly data: {
    readonly apiKeyId: string;
    readonly apiKeyName: string;
    readonly operatorId?: string;
    readonly operatorName?: string;
    readonly persons: number;
    readonly personsPerHour: number;
    readonly blockedUntilDtm?: string;
  };
};

export type ReadBudgetDeps = {
  db: Db;
  clock: Clock;
  audit: Pick<Audit, 'record'>;
  budgetOf(db: TenantReads, environment: 'live' | 'test'): Promise<Budget>;
  /** Notifies the tenant's webhooks, in the transaction of the alarm. */
  notify(tx: TenantTx, alarm: BudgetAlarm): Promise<void>;
  warn(details: object, message: string): void;
  onError(error: unknown): void;
};

type Use = {
  readonly principal: Principal;
  hourAt: number;
  /** Persons that were read and are not written to the database yet. */
  pending: number;
  /** Persons that running requests may show. */
  reserved: number;
  /** The count in the database, for all servers. */
  stored: number;
  budget: Budget | undefined;
  /** Set while the budget is being read. */
  loading?: Promise<void> | undefined;
};

const WRITE_EVERY_MS = 1000;
/** With this many unwritten reads of a key, all counts are written at once. */
const WRITE_FROM = 1000;
/** Keys that stay in memory between two writes. */
const MAX_CACHED = 20_000;

export function openReadBudget(deps: ReadBudgetDeps): ReadBudget {
  const { clock, onError } = deps;
  const uses = new Map<string, Use>();
  /** Uses of an earlier hour that are not written yet. */
  let pastUses: Use[] = [];

  const useOf = (principal: Principal): Use => {
    const hourAt = hourOf(clock.now());
    const name = nameOf(principal);
    const current = uses.get(name);
    if (current?.hourAt === hourAt) return current;
    if (current && current.pending > 0) pastUses.push(current);
    const use: Use = { principal, hourAt, pending: 0, reserved: 0, stored: 0, budget: current?.budget };
    uses.set(name, use);
    return use;
  };

  const admitCounted = (principal: Principal, expected: number): SettleReads => {
    const use = useOf(principal);
    if (isBlocked(use)) throw usedUp(use, clock.now());
    use.reserved += expected;
    let isOpen = true;
    return (personCount) => {
      if (!isOpen) return;
      isOpen = false;
      use.reserved -= expected;
      if (personCount === 0) return;
      // The hour may have ended meanwhile.
      const now = useOf(principal);
      // An export shows all its persons at once: it must not be a way around the budget.
      if (personCount > expected && !hasRoomFor(now, personCount)) throw usedUp(now, clock.now());
      now.pending += personCount;
      if (now.pending >= WRITE_FROM) hurry();
    };
  };

  const writeAll = async () => {
    const old = pastUses;
    pastUses = [];
    const unwritten = [...old, ...[...uses.values()].filter(({ pending }) => pending > 0)];
    const failures: unknown[] = [];
    // One transaction after another, so that other writers come in between.
    for (const use of unwritten) await writeUse(deps, use).catch((error) => failures.push(error));
    // A blocked key reads nothing, so nothing else would show that its tenant has raised the budget.
    for (const use of [...uses.values()].filter(isBlocked)) {
      const { tenantId, environment } = use.principal;
      use.budget = await deps.budgetOf(deps.db.of(tenantId), environment).catch(() => use.budget);
    }
    pastUses.push(...old.filter(({ pending }) => pending > 0));
    if (uses.size > MAX_CACHED) for (const [name, { pending }] of uses) if (pending === 0) uses.delete(name);
    if (failures.length > 0) throw failures[0];
  };

  const { flush, hurry, stop } = openFlusher({ everyMs: WRITE_EVERY_MS, write: writeAll, onError });
  return {
    admit(principal, expected) {
      const use = useOf(principal);
      if (use.budget) return admitCounted(principal, expected);
      use.loading ??= loadBudget(deps, use).finally(() => {
        use.loading = undefined;
      });
      return use.loading.then(() => admitCounted(principal, expected));
    },
    flush,
    stop,
  };
}

/** An operator reads in both environments, each of which has a budget of its own. */
function nameOf({ environment, callerId }: Principal): string {
  return `${environment} ${callerId}`;
}

function isBlocked({ stored, pending, reserved, budget }: Use): boolean {
  return budget?.block === true && stored + pending + reserved >= budget.personsPerHour;
}

function usedUp({ hourAt }: Use, now: number): ApiError {
  return new ApiError(100191, { retryAfterSeconds: Math.max(1, Math.ceil((hourAt + HOUR - now) / 1000)) });
}

function hasRoomFor({ stored, pending, reserved, budget }: Use, personCount: number): boolean {
  return budget?.block !== true || stored + pending + reserved + personCount <= budget.personsPerHour;
}

/** Reads the budget and the count first: otherwise a key could read without limit until the first write, or after a restart. */
async function loadBudget({ db, budgetOf }: ReadBudgetDeps, use: Use): Promise<void> {
  const { principal, hourAt } = use;
  const { tenantId, environment, callerId: apiKeyId } = principal;
  const reads = db.of(tenantId);
  use.stored = await countKeyReads(reads, { environment, apiKeyId, hourAt });
  use.budget = await budgetOf(reads, environment);
}

const hourOf = (at: number) => at - (at % HOUR);

async function writeUse(deps: ReadBudgetDeps, use: Use): Promise<void> {
  const { pending, principal } = use;
  const { stored, budget } = await deps.db.of(principal.tenantId).write((tx) => addReads(tx, deps, use));
  use.pending -= pending;
  use.stored = stored;
  use.budget = budget;
}

/**
 * Adds the reads to the stored count. Raises the alarm if the budget is used up and no server has raised it in this
 * hour.
 */
async function addReads(tx: TenantTx, deps: ReadBudgetDeps, { principal, hourAt, pending }: Use) {
  const { environment, callerId: apiKeyId, callerName: apiKeyName } = principal;
  const key: KeyHour = { environment, apiKeyId, hourAt };
  const budget = await deps.budgetOf(tx, environment);
  const stored = await addKeyReads(tx, key, pending);
  const at = deps.clock.now();
  if (stored < budget.personsPerHour || !(await markAlarmed(tx, { ...key, now: at }))) return { stored, budget };
  const data = {
    apiKeyId,
    apiKeyName,
    ...(principal.operator && { operatorId: apiKeyId, operatorName: apiKeyName }),
    persons: stored,
    personsPerHour: budget.personsPerHour,
    ...(budget.block && { blockedUntilDtm: toDtm(hourAt + HOUR) }),
  };
  const action = 'apiKey.readBudgetExceeded' as const;
  const values = { persons: stored, personsPerHour: budget.personsPerHour, block: budget.block };
  await deps.audit.record(tx, {
    action,
    environment,
    ...callerIds(principal),
    at,
    actor: actor(principal),
    item: apiKeyId,
    details: { values },
  });
  await deps.notify(tx, { type: action, environment, at, data });
  const details = { tenantId: tx.tenantId, environment, ...callerIds(principal), ...values };
  const caller = principal.operator ? 'an operator' : 'an API key';
  tx.afterCommit(() => deps.warn(details, `${caller} has used up its read budget`));
  return { stored, budget };
}
