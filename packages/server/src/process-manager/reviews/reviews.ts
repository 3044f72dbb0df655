import { api } from '@grove/contract';
import { type Audit, type AuditAction, changedBy } from '../../audit/audit.ts';
import { joinTransaction, type TenantReads, type TenantTx } from '../../db/db.ts';
import { HOUR, toDtm } from '../../kernel/clock.ts';
import type { Context } from '../../kernel/context.ts';
import { ApiError, invalidInput } from '../../kernel/errors.ts';
import { implement } from '../../kernel/implement.ts';
import { paging, toPage } from '../../kernel/pages.ts';
import { ASSESSED_CHECKS, showAssurance } from '../assurance/show-assurance.ts';
import type { TellOperator } from '../case-work/notes.ts';
import { findCompiled } from '../definitions/compiled-definition.ts';
import type { Definition } from '../engine/definition.ts';
import type { Flow, Trigger } from '../engine/state.ts';
import { type CheckIssue, checksNotPassed, checksOfNames } from '../instances/checks.repository.ts';
import { toPlainView } from '../instances/instance-view.ts';
import {
  changeInstance,
  findInstanceForUpdate,
  findInstanceView,
  type InstanceRow,
} from '../instances/process-instances.repository.ts';
import type { Drive } from '../runtime/drive.ts';
import { findProcessSettings } from '../settings/settings.repository.ts';
import { ASSIGNED_MS, CLAIMED_MS, isClaimed } from './claims.ts';
import { correctReview } from './correct-review.ts';
import { lockReview, lockWaiting, nameOf, record } from './lock-review.ts';
import { definitionsOf } from './queues.ts';
import { reopenReview } from './reopen-review.ts';
import { findReview, pageReviews, type ReviewRow, SORTABLE } from './reviews.repository.ts';
import { giveVerdict, needsTwoPeople, ofRound } from './round.ts';
import { openVerdicts } from './verdicts.repository.ts';

export type ReviewDeps = {
  drive: Drive;
  /** The name of an operator as a reviewer; undefined if the operator cannot sign in. */
  reviewerName(db: TenantReads, operatorId: string): Promise<string | undefined>;
  tellOperator: TellOperator;
  audit: Pick<Audit, 'record'>;
  /** A one-time link with which the end user continues. */
  resumeLink(tx: TenantTx, row: InstanceRow, now: number): Promise<{ redirectUrl: string; expiringDtm: string }>;
  /** Notifies the end user, if they asked for that. */
  askedAgain(tx: TenantTx, row: InstanceRow, now: number): Promise<void>;
};

/** Reviews: people decide what the machines could not. */
export function reviewHandlers(deps: ReviewDeps) {
  const { drive, resumeLink, askedAgain } = deps;
  /** Decides a review in one transaction: locks it, applies the verdict, and records the reviewer. */
  const decide = async (context: Context, id: string, input: ReviewInput, trigger: Trigger): Promise<InstanceRow> =>
    context.db.write(async (tx) => {
      const before = await lockReview(context, tx, id, input.reviewer);
      const reviewer = nameOf(context, input.reviewer);
      const { status, comment } = input;
      if (!(await giveVerdict(context, tx, before, { status, comment, reviewer }))) {
        await record(deps.audit, context, tx, 'review.firstVerdict', id);
        const released = { reviewer: null, claimed_until: null };
        return changeInstance(tx, before, { ...before, ...released });
      }
      const applied = await drive.apply(tx, id, trigger, context.now);
      if (applied.refusal === 'badInput') throw invalidInput(...(applied.faults ?? []));
      if (applied.refusal !== undefined) throw new ApiError(100061);
      const row = await findInstanceForUpdate(tx, id);
      if (!row) throw new ApiError(100022);
      await record(deps.audit, context, tx, AUDIT_ACTIONS[input.status], id);
      const reviewed = { review_status: status, review_comment: comment, claimed_until: null };
      return changeInstance(tx, row, { ...row, ...reviewed, reviewer });
    });

  const verdict = async (context: Context, id: string, input: ReviewInput & { status: 'APPROVED' | 'REJECTED' }) =>
    toPlainView(
      await decide(context, id, input, { type: input.status === 'APPROVED' ? 'approve' : 'reject' }),
      context.tenantId,
      context.now,
    );

  return implement(api.reviews, {
    async list(context, { query }) {
      const page = paging(query, SORTABLE);
      const { assigned = 'ALL', reviewer, processDefnName, queue, due } = query;
      const { environment } = context.principal;
      const definitionName = processDefnName || undefined;
      const waitingSince = due === 'OVERDUE' ? await overdueSince(context) : undefined;
      const definitionNames = queue ? await definitionsOf(context, queue) : undefined;
      const names = { definitionName, definitionNames };
      const filter = { environment, assigned, reviewer, ...names, waitingSince, now: context.now };
      const { rows, total } = await pageReviews(context.db, filter, page);
      return toPage(await toReviews(context.db, rows, context.now), total, page);
    },
    get: (context, { params }) => getReview(context, params.processInstanceId),
    claim: (context, { params, body }) =>
      claim(deps, context, params.processInstanceId, body.reviewer, context.now + CLAIMED_MS),
    assign: (context, { params, body }) => assign(deps, context, params.processInstanceId, body),
    setPriority: (context, { params, body }) => setPriority(deps, context, params.processInstanceId, body.priority),
    release: (context, { params, body }) => claim(deps, context, params.processInstanceId, body.reviewer, null),
    approve: (context, { params, body }) => verdict(context, params.processInstanceId, { ...body, status: 'APPROVED' }),
    reject: (context, { params, body }) => verdict(context, params.processInstanceId, { ...body, status: 'REJECTED' }),
    correct: (context, { params, body }) => correctReview(deps, context, params.processInstanceId, body),
    async reopen(context, { params, body }) {
      await reopenReview(deps, context, params.processInstanceId, body);
      return getReview(context, params.processInstanceId);
    },
    askAgain: (context, { params, body }) =>
      context.db.write(async (tx) => {
        const input = { ...body, status: 'ASKED_AGAIN' } as const;
        const row = await decide({ ...context, db: joinTransaction(tx) }, params.processInstanceId, input, {
          type: 'askAgain',
          steps: body.steps,
          ...(body.reason && { reason: body.reason }),
          ...(body.message && { message: body.message }),
        });
        await askedAgain(tx, row, context.now);
        return resumeLink(tx, row, context.now);
      }),
  });
}

/** Reserves a review for its reviewer, or gives it back if `until` is null. */
async function claim(
  deps: ReviewDeps,
  context: Context,
  id: string,
  reviewer: string | undefined,
  until: number | null,
) {
  await context.db.write(async (tx) => {
    const row = await lockReview(context, tx, id, reviewer);
    // An assigned review keeps its longer time.
    const end = until !== null && isClaimed(row, context.now) ? Math.max(until, row.claimed_until ?? 0) : until;
    const claimed = { reviewer: end === null ? null : nameOf(context, reviewer), claimed_until: end };
    await changeInstance(tx, row, { ...row, ...claimed, last_updated_at: row.last_updated_at });
    await record(deps.audit, context, tx, end === null ? 'review.released' : 'review.claimed', id);
  });
  return getReview(context, id);
}

type Assignment = { operatorId: string; language?: string };

async function assign(deps: ReviewDeps, context: Context, id: string, { operatorId, language }: Assignment) {
  const reviewer = await deps.reviewerName(context.db, operatorId);
  if (reviewer === undefined) throw invalidInput({ pointer: '/operatorId', message: 'is not an active operator' });
  await context.db.write(async (tx) => {
    const row = await lockWaiting(context, tx, id);
    const assigned = { reviewer, claimed_until: context.now + ASSIGNED_MS };
    await changeInstance(tx, row, { ...row, ...assigned, last_updated_at: row.last_updated_at });
    await record(deps.audit, context, tx, 'review.assigned', id);
    const { callerId, environment } = context.principal;
    await deps.tellOperator(tx, { occasion: 'ASSIGNED', operatorId, callerId, instanceId: id, environment, language });
  });
  return getReview(context, id);
}

async function setPriority(deps: ReviewDeps, context: Context, id: string, priority: Priority) {
  await context.db.write(async (tx) => {
    const row = await lockWaiting(context, tx, id);
    await changeInstance(tx, row, { ...row, review_priority: PRIORITIES.indexOf(priority) });
    const about = { action: 'review.prioritised', instanceId: id, details: { values: { priority } } } as const;
    await deps.audit.record(tx, { ...changedBy(context), ...about });
  });
  return getReview(context, id);
}

const PRIORITIES = ['NORMAL', 'HIGH', 'URGENT'] as const;
type Priority = (typeof PRIORITIES)[number];

/** Reviews that have waited since before this moment are overdue. Without a deadline there are none. */
async function overdueSince({ db, principal, now }: Context): Promise<number> {
  const { reviewDueHours } = await findProcessSettings(db, principal.environment);
  return reviewDueHours > 0 ? now - reviewDueHours * HOUR : -1;
}

const AUDIT_ACTIONS = {
  APPROVED: 'review.approved',
  REJECTED: 'review.rejected',
  ASKED_AGAIN: 'review.askedAgain',
} as const satisfies Record<ReviewInput['status'], AuditAction>;

type ReviewInput = { comment: string; reviewer?: string; status: 'APPROVED' | 'REJECTED' | 'ASKED_AGAIN' };

async function getReview({ db, principal, now }: Context, id: string) {
  const row = await findReview(db, principal.environment, id);
  if (!row) {
    const instance = await findInstanceView(db, id);
    throw new ApiError(instance?.environment === principal.environment ? 100061 : 100022);
  }
  const [review] = await toReviews(db, [row], now);
  return review as NonNullable<typeof review>;
}

async function toReviews(db: TenantReads, rows: readonly ReviewRow[], now: number) {
  if (rows.length === 0) return [];
  const ids = rows.map(({ id }) => id);
  const notPassed = Map.groupBy(await checksNotPassed(db, { instanceIds: ids }), ({ instance_id }) => instance_id);
  const assessed = Map.groupBy(
    await checksOfNames(db, { instanceIds: ids, names: ASSESSED_CHECKS }),
    ({ instance_id }) => instance_id,
  );
  const verdicts = Map.groupBy(await openVerdicts(db, { instanceIds: ids }), ({ instance_id }) => instance_id);
  const [{ environment }] = rows as [ReviewRow];
  const settings = await findProcessSettings(db, environment);
  const { reviewReasons, reviewDueHours } = settings;
  const seal = await db.personal();
  const definitions = new Map<string, Definition>();
  for (const definitionId of new Set(rows.map(({ definition_id }) => definition_id))) {
    const compiled = await findCompiled(db, definitionId);
    if (compiled) definitions.set(definitionId, compiled.definition);
  }
  return rows.map((row) => {
    const definition = definitions.get(row.definition_id);
    if (!definition) throw new Error(`the definition of instance ${row.id} is gone`);
    const flow = JSON.parse(row.state) as Flow;
    const assurance = showAssurance({ definition, flow, checks: assessed.get(row.id) ?? [], environment });
    const round = ofRound(verdicts.get(row.id) ?? [], flow.current?.enteredAt ?? 0);
    // Whoever gives the first verdict must not know whether somebody else will look.
    const shownSettings = round.length > 0 ? settings : { ...settings, secondReviewPercent: 0 };
    return {
      ...toReview(row, flow, notPassed.get(row.id) ?? [], now),
      ...(reviewDueHours > 0 && { dueDtm: toDtm(row.last_updated_at + reviewDueHours * HOUR) }),
      assurance,
      verdictsNeeded: needsTwoPeople(row.id, shownSettings, definition, seal) ? 2 : 1,
      verdictsBy: round.map(({ reviewer }) => reviewer).slice(0, MAX_REASONS),
      disagree: new Set(round.map(({ verdict }) => verdict)).size > 1,
      ...(flow.evaluation && { evaluation: flow.evaluation }),
      offeredReasons: [...reviewReasons],
    };
  });
}

const MAX_REASONS = 100;

function toReview(row: ReviewRow, { current, gaps = [] }: Flow, checks: readonly CheckIssue[], now: number) {
  const claimed = isClaimed(row, now);
  return {
    processInstanceId: row.id,
    processDefnId: row.definition_id,
    processDefnName: row.process_defn_name,
    processDefnVersion: row.process_defn_version,
    environment: row.environment,
    ...(row.first_name !== null && { firstName: row.first_name }),
    ...(row.last_name !== null && { lastName: row.last_name }),
    step: current?.step ?? '',
    waitingSinceDtm: toDtm(row.last_updated_at),
    priority: PRIORITIES[row.review_priority] ?? 'NORMAL',
    reasons: [
      ...gaps.map((gap) => `${current?.step ?? ''}:${gap}`),
      ...checks.map(({ step, name, status, reason }) => `${step}:${reason ?? `${name}_${status}`}`),
    ].slice(0, MAX_REASONS),
    ...(claimed && row.reviewer !== null && { reviewer: row.reviewer }),
    ...(claimed && { claimedUntilDtm: toDtm(row.claimed_until as number) }),
  };
}
