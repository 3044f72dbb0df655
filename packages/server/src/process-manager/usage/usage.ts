import { api } from '@grove/contract';
import { DAY, dayOf } from '../../kernel/clock.ts';
import { invalidInput } from '../../kernel/errors.ts';
import { firstIdAt } from '../../kernel/ids.ts';
import { implement } from '../../kernel/implement.ts';
import type { InstanceStatus } from '../engine/state.ts';
import {
  agreementOf,
  durationsAt,
  usageByDay,
  usageByDefinition,
  usageOfDevices,
  type VerdictCount,
  verdictCounts,
} from './usage.repository.ts';

/** How much is verified, how well, and how fast. */
const MAX_DAYS = 400;
const USUAL_DAYS = 30;
const MAX_NAMES = 200;

export function usageHandlers() {
  return implement(api.usage, {
    async get({ db, principal, now }, { query }) {
      const toDay = query.to === undefined ? dayOf(now) : dayOf(Date.parse(query.to));
      const fromDay = query.from === undefined ? toDay - USUAL_DAYS + 1 : dayOf(Date.parse(query.from));
      if (fromDay > toDay) throw invalidInput({ pointer: '/query/from', message: 'must not be after `to`' });
      if (toDay - fromDay >= MAX_DAYS) {
        throw invalidInput({ pointer: '/query/from', message: `must be at most ${MAX_DAYS} days before \`to\`` });
      }
      const { environment } = principal;
      const [fromAt, belowAt] = [fromDay * DAY, (toDay + 1) * DAY];
      const name = query.processDefnName ?? '';
      const filter = { environment, from: firstIdAt(fromAt), below: firstIdAt(belowAt), name };
      const days = await usageByDay(db, filter);
      const ofDefinitions = await usageByDefinition(db, filter);
      const { instances, found } = await durationsAt(db, filter, [0.5, 0.9]);
      const [median, ninetyPercent] = found.map((ms) => Math.round(ms / 1000));
      return {
        ...{ fromDate: dateOf(fromDay), toDate: dateOf(toDay), total: countsOf(days) },
        days: [...Map.groupBy(days, ({ day }) => Number(day))].map(([day, rows]) => ({
          ...{ date: dateOf(day), ...countsOf(rows) },
        })),
        definitions: [...Map.groupBy(ofDefinitions, ({ process_defn_name }) => process_defn_name)]
          .map(([processDefnName, rows]) => ({ processDefnName, ...countsOf(rows) }))
          .slice(0, MAX_NAMES),
        secondsToEnd: {
          instances,
          ...(median !== undefined && { median }),
          ...(ninetyPercent !== undefined && { ninetyPercent }),
        },
        devices: await usageOfDevices(db, filter),
        reviewers: reviewersOf(await verdictCounts(db, { environment, fromAt, belowAt })),
        agreement: await agreementOf(db, { environment, fromAt, belowAt }),
      };
    },
  });
}

function dateOf(day: number): string {
  return new Date(day * DAY).toISOString().slice(0, 10);
}

const COUNTED = {
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
    counts[COUNTED[status]] += Number(instances);
  }
  return counts;
}

function reviewersOf(rows: readonly VerdictCount[]) {
  return [...Map.groupBy(rows, ({ reviewer }) => reviewer)].slice(0, MAX_NAMES).map(([reviewer, of]) => {
    const countOf = (verdict: string) => Number(of.find((row) => row.verdict === verdict)?.verdicts ?? 0);
    const verdicts = of.reduce((sum, row) => sum + Number(row.verdicts), 0);
    const waited = of.reduce((sum, row) => sum + Number(row.waited), 0);
    return {
      ...{ reviewer, approved: countOf('APPROVED'), rejected: countOf('REJECTED') },
      ...{ askedAgain: countOf('ASKED_AGAIN'), waitedSeconds: Math.max(0, Math.round(waited / verdicts / 1000)) },
    };
  });
}
