import { api } from '@grove/contract';
import type { JobDefinition } from '../../jobs/define-job.ts';
import { definePurge, type PurgeDeps } from '../../jobs/define-purge.ts';
import { DAY, dayOf } from '../../kernel/clock.ts';
import { isSeenFrom } from '../../kernel/environment.ts';
import { ApiError, invalidInput } from '../../kernel/errors.ts';
import { implement } from '../../kernel/implement.ts';
import { findDefinition } from '../definitions/definitions.repository.ts';
import type { Definition } from '../engine/definition.ts';
import { stepTypeOf } from '../engine/steps/registry.ts';
import { medianSeconds } from './durations.ts';
import { removeCountsBefore, stepCounts } from './step-counts.repository.ts';

/** Shows which steps of a definition people see, finish, fail and leave. */
export const KEPT_DAYS = 400;
const DEFAULT_DAYS = 30;

export function funnelHandlers() {
  return implement(api.funnels, {
    async get({ db, principal, now }, { params, query }) {
      const row = await findDefinition(db, { id: params.processDefinitionId });
      if (!row || !isSeenFrom(principal.environment, row)) throw new ApiError(100023);
      const toDay = query.to === undefined ? dayOf(now) : dayOf(Date.parse(query.to));
      const fromDay = query.from === undefined ? toDay - DEFAULT_DAYS + 1 : dayOf(Date.parse(query.from));
      if (fromDay > toDay) throw invalidInput({ pointer: '/query/from', message: 'must not be after `to`' });
      if (toDay - fromDay >= KEPT_DAYS) {
        throw invalidInput({ pointer: '/query/from', message: `must be at most ${KEPT_DAYS} days before \`to\`` });
      }
      const { environment } = principal;
      const counts = await stepCounts(db, { environment, definitionId: row.id, fromDay, toDay });
      const values = new Map(counts.map(({ step, what, value }) => [`${step} ${what}`, value]));
      const { steps } = JSON.parse(row.document) as Definition;
      return {
        processDefnId: row.id,
        processDefnName: row.name,
        processDefnVersion: row.version,
        environment,
        fromDate: dateOf(fromDay),
        toDate: dateOf(toDay),
        steps: steps
          .filter(({ type }) => stepTypeOf(type).kind === 'user')
          .map(({ id, type }) => funnelStep(id, type, (what) => values.get(`${id} ${what}`) ?? 0)),
      };
    },
  });
}

function funnelStep(step: string, type: string, countOf: (what: string) => number) {
  const median = medianSeconds(countOf);
  return {
    step,
    type,
    seen: countOf('SEEN'),
    passed: countOf('PASSED'),
    failed: countOf('FAILED'),
    review: countOf('REVIEW'),
    notPerformed: countOf('NOT_PERFORMED'),
    retried: countOf('RETRIED'),
    left: countOf('LEFT'),
    ...(median !== undefined && { medianSeconds: median }),
  };
}

function dateOf(day: number): string {
  return new Date(day * DAY).toISOString().slice(0, 10);
}

export function forgetCountsJob(deps: PurgeDeps): JobDefinition<object> {
  return definePurge(
    deps,
    {
      kind: 'process-manager.forget-counts',
      does: 'removes counts of steps that are too old to be shown',
      recurs: { dailyAt: '00:45', key: 'daily' },
      isHistory: true,
    },
    (now) => [(tx, limit) => removeCountsBefore(tx, { day: dayOf(now) - KEPT_DAYS, limit })],
  );
}
