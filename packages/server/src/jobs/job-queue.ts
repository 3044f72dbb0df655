import { MINUTE } from '../kernel/clock.ts';
import { asTenantId } from '../kernel/ids.ts';
import { openSharedReasons } from '../kernel/shared-reasons.ts';
import type { UnderLease } from '../leases/claims.ts';
import { MAX_BATCH } from '../leases/results.ts';
import type { Items, LeavePlace, QueueOptions, QueuePolicy } from '../leases/worker.ts';
import { type JobDefinition, JobPostponed } from './define-job.ts';
import { bringJobsForward, type Claims, claimsOf, dueJobsOf, JOB_LEASES, ownerOf } from './jobs.repository.ts';
import { type OutsidePlaces, openOutsidePlaces } from './outside-places.ts';
import { type Outcome, runJob } from './run-job.ts';
import { type ClaimedJob, type SettleDeps, settle } from './settle.ts';

export type JobsOptions = QueueOptions & {
  /** The number of jobs that run at once, of all kinds together. */
  concurrency?: number;
  /** The number for single kinds, which replaces that of their definitions. */
  atOnce?: Readonly<Record<string, number>>;
  /** The roles whose kinds of jobs this process runs; all roles by default. */
  roles?: readonly string[];
};

export type JobQueueDeps = JobsOptions & SettleDeps;

const CONCURRENCY = 16;
// Longer than the difference of the servers' clocks, and short enough for the jobs of a dead server.
const LEASE_MS = MINUTE;

/** Jobs as a leased queue: claimed in batches, because most take no time, and begun in turns of their owners. */
export function jobQueue(deps: JobQueueDeps): QueuePolicy<ClaimedJob, Outcome> {
  const { db, clock, log, concurrency = CONCURRENCY } = deps;
  const leaseMs = deps.leaseMs ?? LEASE_MS;
  const maxHeld = concurrency + 2 * MAX_BATCH;
  const outsidePlaces = openOutsidePlaces(concurrency);
  const countOutages = openSharedReasons(() => deps.clock.now());
  /** An outage postpones many jobs for one reason. */
  const logOutage: LogOutage = (cause, kind) => {
    const jobs = countOutages('outage');
    if (jobs !== undefined) deps.log.warn({ err: cause, kind, jobs }, 'jobs wait for something that is unavailable');
  };
  let own: OwnKinds | undefined;
  /** The owner whose turn was last: the next claim begins after it. */
  let lastOwner = '';
  const claimGroup = async (
    { claims, kinds, atOnce, leaseMs: ownLeaseMs }: KindGroup,
    heldJobs: Items<ClaimedJob>,
    dueJobs: number,
    now: number,
    underLease: UnderLease,
  ) => {
    const others = [...heldJobs.waiting, ...heldJobs.running].filter(({ kind }) => kinds.has(kind)).length;
    const room = Math.min(MAX_BATCH, maxHeld - heldJobs.size, (atOnce ?? Number.POSITIVE_INFINITY) - others);
    if (room <= 0) return [];
    const turnsOf = (owners: readonly string[]) => turns(heldJobs, owners, concurrency, lastOwner);
    // If enough jobs wait here already, only owners without waiting jobs may claim more.
    const isFull = heldJobs.waiting.length >= concurrency;
    if (isFull && turnsOf(await claims.dueOwners(db.aside.system, now)).length === 0) return [];
    const share = { limit: isFull ? Math.min(room, concurrency) : room, isFew: !isFull && dueJobs < room, turnsOf };
    return underLease(async (lease) => {
      const rows = await db.aside.system.write((tx) => claims.claim(tx, now, lease, share));
      lastOwner = ownerOf(rows.at(-1) ?? { owner_tenant_id: lastOwner });
      return rows.map((row) => ({ ...row, token: lease.token }));
    }, ownLeaseMs);
  };
  return {
    noun: 'jobs',
    table: JOB_LEASES,
    concurrency,
    ...leaseTimes(deps, leaseMs),
    bringForward: (tx, now) => bringJobsForward(tx, now, leaseMs),
    async claim(heldJobs, now, underLease) {
      own ??= groupKinds(deps);
      // A read comes first: it costs less than a transaction, and on SQLite it blocks nobody.
      const due = await own.dueJobs(db.aside.system, now);
      const claimed: ClaimedJob[] = [];
      for (const group of own.groups) {
        if (!due.kinds.some((kind) => group.kinds.has(kind))) continue;
        // Jobs that earlier groups have just claimed take up room as well.
        const present = { ...heldJobs, size: heldJobs.size + claimed.length };
        try {
          claimed.push(...(await claimGroup(group, present, due.count, now, underLease)));
        } catch (error) {
          // The claimed jobs are leased to this server and must run. The next claim reports the fault if it persists.
          if (claimed.length === 0) throw error;
          break;
        }
      }
      return { items: claimed, mayBeMore: due.count > claimed.length || due.count >= MAX_BATCH };
    },
    chooseNext: (items) => chooseNext(items, concurrency),
    run: (job, abort, leavePlace) => run({ ...deps, outsidePlaces, leavePlace, logOutage }, job, abort),
    notBegun: { result: 'stopped' },
    groupOf: () => '',
    async settle(_group, batch) {
      const lostJobIds = await db.aside.system.write((tx) => settle(tx, batch, clock.now(), deps));
      if (lostJobIds.length > 0) log.warn({ jobs: lostJobIds }, 'jobs outlived their lease and will run again');
    },
  };
}

type KindGroup = {
  readonly kinds: ReadonlySet<string>;
  readonly atOnce?: number | undefined;
  readonly leaseMs?: number | undefined;
  readonly claims: Claims;
};
type OwnKinds = { readonly groups: readonly KindGroup[]; readonly dueJobs: ReturnType<typeof dueJobsOf> };

/** The kinds of this process's roles. */
function ownKinds({ definitions, roles }: JobQueueDeps): JobDefinition<object>[] {
  return [...definitions.values()].filter(({ role = 'worker' }) => !roles || roles.includes(role));
}

/** A single server needs no special lease, because no other server could take over. */
function leaseOfKind({ db, definitions }: JobQueueDeps, kind: string): number | undefined {
  return db.isSingleServer ? undefined : definitions.get(kind)?.leaseMs;
}

function leaseTimes(deps: JobQueueDeps, leaseMs: number) {
  const leaseMsOf = ({ kind }: { kind: string }) => leaseOfKind(deps, kind) ?? leaseMs;
  return { leaseMs, leaseMsOf, shortestLeaseMs: () => Math.min(leaseMs, ...ownKinds(deps).map(leaseMsOf)) };
}

/** Groups the kinds: those with their own limit or lease are claimed apart from the rest. */
function groupKinds(deps: JobQueueDeps): OwnKinds {
  const own = ownKinds(deps).map(({ kind, atOnce }) => ({
    kind,
    atOnce: deps.atOnce?.[kind] ?? atOnce,
    leaseMs: leaseOfKind(deps, kind),
  }));
  const isApart = ({ atOnce, leaseMs }: (typeof own)[number]) => atOnce !== undefined || leaseMs !== undefined;
  const others = own.filter((each) => !isApart(each)).map(({ kind }) => kind);
  const groups: KindGroup[] = [
    ...(others.length > 0 ? [{ kinds: new Set(others), claims: claimsOf(others) }] : []),
    ...own.filter(isApart).map(({ kind, atOnce, leaseMs }) => ({
      kinds: new Set([kind]),
      claims: claimsOf([kind]),
      atOnce,
      leaseMs,
    })),
  ];
  return { groups, dueJobs: dueJobsOf(own.map(({ kind }) => kind)) };
}

/** Owners with the fewest jobs here come first; among these, the next after the last turn. */
function turns(
  heldJobs: Items<ClaimedJob>,
  owners: readonly string[],
  concurrency: number,
  lastOwner: string,
): string[] {
  const { waiting, running } = heldJobs;
  const counts = countOwners([...waiting, ...running]);
  // Owners with waiting jobs leave the room to others once enough jobs wait.
  const mayClaim = (owner: string) => waiting.length < concurrency || !waiting.some((job) => ownerOf(job) === owner);
  const key = (owner: string): [number, number] => [counts.get(owner) ?? 0, owner > lastOwner ? 0 : 1];
  return owners.filter(mayClaim).sort((one, other) => {
    const [[count, round], [otherCount, otherRound]] = [key(one), key(other)];
    return count - otherCount || round - otherRound || (one < other ? -1 : 1);
  });
}

/** An owner may have this many jobs at work for each place that it leaves free: 12 of 16, so that another can begin. */
const SHARE = 3;

/** The oldest job of the owner that has the fewest at work. */
function chooseNext({ waiting, atWork }: Items<ClaimedJob>, concurrency: number): number | undefined {
  const counts = countOwners(atWork);
  let best: number | undefined;
  let fewest = SHARE * (concurrency - atWork.length);
  for (const [at, job] of waiting.entries()) {
    const count = counts.get(ownerOf(job)) ?? 0;
    if (count < fewest) [best, fewest] = [at, count];
  }
  return best;
}

function countOwners(jobs: readonly ClaimedJob[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const job of jobs) counts.set(ownerOf(job), (counts.get(ownerOf(job)) ?? 0) + 1);
  return counts;
}

type LogOutage = (cause: unknown, kind: string) => void;

async function run(
  deps: JobQueueDeps & { outsidePlaces: OutsidePlaces; leavePlace: LeavePlace; logOutage: LogOutage },
  job: ClaimedJob,
  abort: AbortController,
): Promise<Outcome> {
  const { db, clock, log, definitions, tracing, suspended } = deps;
  const { id, kind, attempts, max_attempts, owner_tenant_id } = job;
  if (owner_tenant_id !== null && (await suspended?.())?.has(owner_tenant_id)) return { result: 'paused' };
  const definition = definitions.get(kind);
  // A job that kills its worker each time must end.
  if (!definition || attempts > max_attempts) {
    const error = `its worker was lost ${attempts - 1} times`;
    return { result: 'failed', error, retry: false, cause: undefined };
  }
  const tenant = () => {
    if (owner_tenant_id === null) throw new Error(`job ${kind} belongs to no tenant`);
    return db.of(asTenantId(owner_tenant_id));
  };
  const context = {
    jobId: id,
    attempt: attempts,
    now: clock.now(),
    clockFault: clock.fault?.(),
    abort,
    tenant,
    tracing,
    outside: <T>(part: string, work: () => Promise<T>) =>
      goOutside(deps, { tenant: owner_tenant_id ?? '', part }, work),
  };
  const outcome = await runJob(definition, job.payload, context);
  if (outcome.result === 'postponed' && outcome.cause !== undefined) deps.logOutage(outcome.cause, kind);
  if (outcome.result === 'failed') {
    const text = outcome.retry && attempts < max_attempts ? 'a job failed; it will be retried' : 'a job is dead';
    log.warn({ jobId: id, kind, attempt: attempts, err: outcome.cause }, text);
  }
  return outcome;
}

async function goOutside<T>(
  { outsidePlaces, leavePlace }: { outsidePlaces: OutsidePlaces; leavePlace: LeavePlace },
  owner: { tenant: string; part: string },
  work: () => Promise<T>,
): Promise<T> {
  const giveBack = outsidePlaces.take(owner.tenant, owner.part);
  if (!giveBack) throw new JobPostponed();
  const comeBack = leavePlace();
  try {
    return await work();
  } finally {
    comeBack();
    giveBack();
  }
}
