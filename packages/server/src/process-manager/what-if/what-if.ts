import { api, type Body, MAX_CHANGED_LISTED } from '@grove/contract';
import type { TenantReads } from '../../db/db.ts';
import type { Context } from '../../kernel/context.ts';
import { ApiError } from '../../kernel/errors.ts';
import { EVERY_ID } from '../../kernel/id-range.ts';
import { implement } from '../../kernel/implement.ts';
import { serveOthersIfDue } from '../../kernel/in-slices.ts';
import { firstIdOf } from '../../kernel/moment-of.ts';
import { lineOf, openTurns } from '../../kernel/take-turns.ts';
import { checkDefinition } from '../definitions/check-definition.ts';
import { findCompiled } from '../definitions/compiled-definition.ts';
import { type CompiledDefinition, compileDefinition } from '../engine/compile-definition.ts';
import type { Flow } from '../engine/state.ts';
import { detailsOf } from '../instances/checks.repository.ts';
import { stretchOf } from '../instances/stretch.repository.ts';
import { differing, type RecordedCheck } from './rejudge.ts';
import { type Outcome, recordedOutcome, replay } from './replay.ts';
import { type PastRow, pastChecks, pastInstances } from './what-if.repository.ts';

/** Replays past instances against a definition that is not deployed yet. No personal data is opened. */
const AT_ONCE = 100;
/** A longer run returns where to continue, because conditions may be expensive and instances many. */
const MAX_MS = 5000;
/** The runs of a tenant take turns in each environment. */
const inTurn = openTurns(10);

type Row = { recorded: Outcome; outcome: Outcome; verdict: Verdict };
type Verdict = 'APPROVED' | 'REJECTED' | 'NONE';
type ReplayedJourney = Row & { processInstanceId: string; because?: string };

export function whatIfHandlers() {
  return implement(api.whatIf, {
    run: (context, { body }) => runWhatIf(context, body),
  });
}

export function runWhatIf(context: Context, body: Body<typeof api.whatIf.run>) {
  return inTurn(lineOf(context.tenantId, context.principal.environment), () => run(context, body));
}

async function run(context: Context, body: Body<typeof api.whatIf.run>) {
  const { definition, faults } = checkDefinition(body.definition);
  if (!definition)
    throw new ApiError(100048, {
      errors: faults.map((fault) => ({ ...fault, pointer: `/definition${fault.pointer}` })),
    });
  const next = compileDefinition({ id: 'what-if', version: 0, document: JSON.stringify(definition) });
  const counts = new Map<string, Row & { instances: number }>();
  const changed = [];
  let after = body.after ?? firstIdOf(body.startDateTime, '/startDateTime') ?? '';
  const below = firstIdOf(body.endDateTime || undefined, '/endDateTime') ?? EVERY_ID.below;
  const { environment } = context.principal;
  let examined = 0;
  const size = body.size ?? DEFAULT_SIZE;
  let isOver = false;
  const began = performance.now();
  const isInTime = () => performance.now() - began < MAX_MS;
  while (examined < size && !isOver && changed.length < MAX_CHANGED_LISTED && isInTime()) {
    const limit = Math.min(AT_ONCE, size - examined);
    await serveOthersIfDue(context.db);
    const { last, below: end } = await stretchOf(context.db, { environment, after, below });
    const rows = await pastInstances(context.db, {
      environment,
      name: definition.name,
      after,
      below: end,
      limit,
    });
    const isStretchRead = rows.length < limit;
    isOver = isStretchRead && last === undefined;
    for (const each of await replayAll(context, next, rows)) {
      const { processInstanceId: _id, because: _because, ...row } = each;
      const key = JSON.stringify(row);
      counts.set(key, { ...row, instances: (counts.get(key)?.instances ?? 0) + 1 });
      if (each.outcome !== each.recorded) changed.push(each);
    }
    examined += rows.length;
    after = (isStretchRead ? last : rows.at(-1)?.id) ?? after;
  }
  return { examined, counts: [...counts.values()], changed, ...(!isOver && { next: after }) };
}

const DEFAULT_SIZE = 10_000;

async function replayAll({ db, now }: Context, next: CompiledDefinition, rows: readonly PastRow[]) {
  const versions = new Map<string, CompiledDefinition>();
  for (const id of new Set(rows.map(({ definition_id }) => definition_id))) {
    const compiled = await findCompiled(db, id);
    if (compiled) versions.set(id, compiled);
  }
  const checks = await checksOf(db, rows, [...versions.values()], next);
  const replayed: ReplayedJourney[] = [];
  for (const row of rows) {
    // One replay may take as long as the conditions of its definition.
    await serveOthersIfDue(db);
    const definition = versions.get(row.definition_id);
    if (!definition) continue;
    const flow = JSON.parse(row.state) as Flow;
    const ofStep = (step: string) => checks.get(`${row.id} ${step}`) ?? [];
    const recorded = recordedOutcome({ definition, flow });
    const { outcome, because } = replay(next, { definition, flow, checksOf: ofStep }, now);
    replayed.push({
      processInstanceId: row.id,
      recorded,
      outcome,
      verdict: verdictOf(row),
      ...(because && { because }),
    });
  }
  return replayed;
}

function verdictOf({ review_status }: PastRow): Verdict {
  return review_status === 'APPROVED' || review_status === 'REJECTED' ? review_status : 'NONE';
}

/** The checks of the steps whose settings differ, which are usually few. */
async function checksOf(
  db: TenantReads,
  rows: readonly PastRow[],
  versions: readonly CompiledDefinition[],
  next: CompiledDefinition,
): Promise<Map<string, RecordedCheck[]>> {
  const changed = versions.flatMap(({ definition: { steps } }) =>
    steps.filter((step) => {
      const after = next.step(step.id);
      return after?.type === step.type && differing(step, after).length > 0;
    }),
  );
  const steps = [...new Set(changed.map(({ id }) => id))];
  if (steps.length === 0 || rows.length === 0) return new Map();
  const checks = await pastChecks(db, { instanceIds: rows.map(({ id }) => id), steps });
  const byStep = Map.groupBy(checks, ({ instance_id, step }) => `${instance_id} ${step}`);
  return new Map(
    [...byStep].map(([key, ofStep]) => [
      key,
      ofStep.map((row) => ({ name: row.name, status: row.status, ...detailsOf(row) })),
    ]),
  );
}
