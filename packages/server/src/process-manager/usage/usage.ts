import { api } from '@grove/contract';
import type { TenantDb } from '../../db/db.ts';
import { DAY, dayOf } from '../../kernel/clock.ts';
import type { Environment } from '../../kernel/environment.ts';
import { invalidInput } from '../../kernel/errors.ts';
import { boundBehind, EVERY_ID } from '../../kernel/id-range.ts';
import { firstIdAt } from '../../kernel/ids.ts';
import { implement } from '../../kernel/implement.ts';
import { serveOthersIfDue } from '../../kernel/in-slices.ts';
import { lineOf, openTurns } from '../../kernel/take-turns.ts';
import type { InstanceStatus } from '../engine/state.ts';
import { type Stretch, stretchOf } from '../instances/stretch.repository.ts';
import {
  type Agreement,
  agreementOf,
  devicesOf,
  durationsOf,
  lastOfVerdicts,
  type OutcomeCount,
  outcomesOf,
  type VerdictCount,
  type VerdictFilter,
  verdictCounts,
} from './usage.repository.ts';

/** Usage figures: the number, outcome and duration of verifications. */
const MAX_DAYS = 400;
const DEFAULT_DAYS = 30;
const MAX_NAMES = 200;
/** The counts of verdicts: one for each reviewer and kind of verdict. */
const MAX_VERDICT_COUNTS = 10_000;
/** One count runs at a time for each environment of a tenant. */
const inTurn = openTurns(10);

export function usageHandlers() {
  return implement(api.usage, {
    async get({ db, tenantId, principal, now }, { query }) {
      const toDay = query.to === undefined ? dayOf(now) : dayOf(Date.parse(query.to));
      const fromDay = query.from === undefined ? toDay - DEFAULT_DAYS + 1 : dayOf(Date.parse(query.from));
      if (fromDay > toDay) throw invalidInput({ pointer: '/query/from', message: 'must not be after `to`' });
      if (toDay - fromDay >= MAX_DAYS) {
        throw invalidInput({ pointer: '/query/from', message: `must be at most ${MAX_DAYS} days before \`to\`` });
      }
      const { environment } = principal;
      const [fromAt, belowAt] = [fromDay * DAY, (toDay + 1) * DAY];
      const name = query.processDefnName ?? '';
      const filter = { environment, name };
      const { days, durations, devices, reviewers, agreement } = await inTurn(
        lineOf(tenantId, environment),
        async () => ({
          ...(await countDays(db, filter, fromDay, toDay)),
          ...(await countVerdicts(db, { environment, fromAt, belowAt })),
        }),
      );
      const outcomes = days.flatMap((day) => day.outcomes);
      const instances = durations.values().reduce((sum, each) => sum + each, 0);
      const [median, ninetyPercent] = instances === 0 ? [] : [0.5, 0.9].map((share) => durationAt(durations, share));
      return {
        fromDate: dateOf(fromDay),
        toDate: dateOf(toDay),
        total: countsOf(outcomes),
        days: days.map((each) => ({ date: dateOf(each.day), ...countsOf(each.outcomes) })),
        definitions: [...Map.groupBy(outcomes, ({ process_defn_name }) => process_defn_name)]
          .map(([processDefnName, rows]) => ({ processDefnName, ...countsOf(rows) }))
          .sort((one, other) => (one.processDefnName < other.processDefnName ? -1 : 1))
          .slice(0, MAX_NAMES),
        secondsToEnd: {
          instances,
          ...(median !== undefined && { median }),
          ...(ninetyPercent !== undefined && { ninetyPercent }),
        },
        devices: [...devices]
          .map(([browser, count]) => ({ browser, instances: count }))
          .sort((one, other) => other.instances - one.instances || (one.browser < other.browser ? -1 : 1))
          .slice(0, MAX_NAMES),
        reviewers: reviewersOf(reviewers),
        agreement,
      };
    },
  });
}

type Day = { day: number; outcomes: OutcomeCount[] };
type Counts = Map<number, number>;

/** Counts a few instances at a time, so that others are served in between: those of a year take seconds. */
async function countDays(
  db: TenantDb,
  filter: { environment: Environment; name: string },
  fromDay: number,
  toDay: number,
): Promise<{ days: Day[]; durations: Counts; devices: Map<string, number> }> {
  const days: Day[] = [];
  const durations: Counts = new Map();
  const devices = new Map<string, number>();
  for (let day = fromDay; day <= toDay; day += 1) {
    const outcomes = new Map<string, OutcomeCount>();
    const below = firstIdAt((day + 1) * DAY);
    for (let after: string | undefined = firstIdAt(day * DAY); after !== undefined; ) {
      await serveOthersIfDue(db);
      const { last, below: end }: Stretch = await stretchOf(db, { ...filter, after, below });
      const stretch = { ...filter, after, below: end };
      const counts = await outcomesOf(db, stretch);
      for (const each of counts) mergeOutcome(outcomes, each);
      if (counts.length > 0) {
        for (const { seconds, instances } of await durationsOf(db, stretch)) add(durations, Number(seconds), instances);
        await serveOthersIfDue(db);
        for (const { browser, instances } of await devicesOf(db, stretch)) add(devices, browser, instances);
      }
      after = last;
    }
    if (outcomes.size > 0) days.push({ day, outcomes: [...outcomes.values()] });
  }
  return { days, durations, devices };
}

/** Counts the verdicts of a few instances at a time. All verdicts of an instance are in one part. */
async function countVerdicts(db: TenantDb, period: Omit<VerdictFilter, 'after' | 'below'>) {
  const reviewers = new Map<string, VerdictCount>();
  const agreement: Agreement = { cases: 0, agreed: 0 };
  for (let after: string | undefined = ''; after !== undefined; ) {
    await serveOthersIfDue(db);
    const last: string | undefined = (await lastOfVerdicts(db, { after }))?.id;
    const part = { ...period, after, below: last === undefined ? EVERY_ID.below : boundBehind(last) };
    for (const each of await verdictCounts(db, part)) mergeVerdicts(reviewers, each);
    const ofPart = await agreementOf(db, part);
    agreement.cases += Number(ofPart?.cases ?? 0);
    agreement.agreed += Number(ofPart?.agreed ?? 0);
    after = last;
  }
  const inOrder = ({ reviewer: one }: VerdictCount, { reviewer: other }: VerdictCount) => (one < other ? -1 : 1);
  return { reviewers: [...reviewers.values()].sort(inOrder), agreement };
}

function mergeVerdicts(all: Map<string, VerdictCount>, { reviewer, verdict, verdicts, waited }: VerdictCount): void {
  const key = `${verdict} ${reviewer}`;
  const before = all.get(key) ?? { verdicts: 0, waited: 0 };
  if (all.size >= MAX_VERDICT_COUNTS && !all.has(key)) return;
  all.set(key, {
    reviewer,
    verdict,
    verdicts: before.verdicts + Number(verdicts),
    waited: before.waited + Number(waited),
  });
}

function mergeOutcome(outcomes: Map<string, OutcomeCount>, each: OutcomeCount): void {
  const key = `${each.status} ${each.process_defn_name}`;
  const instances = (outcomes.get(key)?.instances ?? 0) + Number(each.instances);
  outcomes.set(key, { ...each, instances });
}

function add<Key>(counts: Map<Key, number>, key: Key, instances: number): void {
  counts.set(key, (counts.get(key) ?? 0) + Number(instances));
}

/** The duration in seconds at this share of all durations, a percentile. */
function durationAt(durations: Counts, share: number): number {
  const sorted = [...durations].sort(([one], [other]) => one - other);
  const all = sorted.reduce((sum, [, instances]) => sum + instances, 0);
  let remaining = Math.min(all - 1, Math.floor(all * share));
  for (const [seconds, instances] of sorted) {
    if (remaining < instances) return seconds;
    remaining -= instances;
  }
  return 0;
}

function dateOf(day: number): string {
  return new Date(day * DAY).toISOString().slice(0, 10);
}

const COUNTER_OF_STATUS = {
  COMPLETED_ENDED_SUCCESS: 'accepted',
  COMPLETED_ENDED_ERROR: 'declined',
  REVIEW: 'inReview',
  COMPLETED_TERMINATED: 'abandoned',
  COMPLETED_PROCESS_ERROR: 'failed',
  PENDING: 'open',
  ACTIVE: 'open',
  PAUSED: 'open',
} as const satisfies Record<InstanceStatus, string>;

function countsOf(rows: readonly { status: InstanceStatus; instances: number }[]) {
  const counts = { created: 0, accepted: 0, declined: 0, inReview: 0, abandoned: 0, failed: 0, open: 0 };
  for (const { status, instances } of rows) {
    counts.created += Number(instances);
    counts[COUNTER_OF_STATUS[status]] += Number(instances);
  }
  return counts;
}

function reviewersOf(rows: readonly VerdictCount[]) {
  return [...Map.groupBy(rows, ({ reviewer }) => reviewer)].slice(0, MAX_NAMES).map(([reviewer, counts]) => {
    const countOf = (verdict: string) => Number(counts.find((row) => row.verdict === verdict)?.verdicts ?? 0);
    const verdicts = counts.reduce((sum, row) => sum + Number(row.verdicts), 0);
    const waited = counts.reduce((sum, row) => sum + Number(row.waited), 0);
    return {
      reviewer,
      approved: countOf('APPROVED'),
      rejected: countOf('REJECTED'),
      askedAgain: countOf('ASKED_AGAIN'),
      waitedSeconds: Math.max(0, Math.round(waited / verdicts / 1000)),
    };
  });
}
