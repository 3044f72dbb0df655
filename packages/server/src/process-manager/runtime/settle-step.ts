import type { TenantTx } from '../../db/db.ts';
import { ApiError } from '../../kernel/errors.ts';
import { tagsOf } from '../definitions/tags.repository.ts';
import type { CompiledDefinition } from '../engine/compile-definition.ts';
import type { Findings, State } from '../engine/state.ts';
import type { IdentityActs, ParentProcess, StartData } from '../engine/steps/identity-acts.ts';
import { stepTypeOf } from '../engine/steps/registry.ts';
import { findInstance, type InstanceRow } from '../instances/process-instances.repository.ts';
import type { IdentityPort } from './identity-port.ts';

/** Steps of identity stores, which are begun and settled within a transaction. The instance is locked. */
export type SettledStep = {
  readonly row: InstanceRow;
  readonly definition: CompiledDefinition;
  readonly state: State;
  readonly step: string;
  readonly result: Readonly<Record<string, unknown>>;
  readonly now: number;
};

export function settles(definition: CompiledDefinition, stepId: string): boolean {
  const step = definition.step(stepId);
  return step !== undefined && stepTypeOf(step.type).settle !== undefined;
}

/** Whether the work of a step needs image analysis, which the sandbox never does. */
export function needsLook(
  { environment }: Pick<InstanceRow, 'environment'>,
  definition: CompiledDefinition,
  stepId: string,
) {
  const step = definition.step(stepId);
  return step !== undefined && environment === 'live' && stepTypeOf(step.type).looks === true;
}

export async function settleStep(
  identity: IdentityPort,
  tx: TenantTx,
  { row, definition, state, step: stepId, result, now }: SettledStep,
): Promise<Findings> {
  const step = definition.step(stepId);
  const stepType = step && stepTypeOf(step.type);
  if (!step || !stepType?.settle) throw new Error(`step ${stepId} is not settled in a transaction`);
  const acts = await actsFor(identity, tx, { row, step: stepId, now });
  return stepType.settle({
    step,
    steps: definition.definition.steps,
    state,
    typeOf: stepTypeOf,
    result,
    identity: acts,
  });
}

type Begins = Pick<SettledStep, 'definition' | 'state'> & { readonly instance: InstanceRow };

/** Makes the settings for the page. Undefined if the store refuses. Refuses with 100142 if the step has no beginning. */
export async function beginStep(
  identity: IdentityPort,
  tx: TenantTx,
  { instance, definition, state }: Begins,
  { now, anew }: { now: number; anew: boolean },
): Promise<StartData | undefined> {
  const step = definition.step(state.flow.current?.step ?? '');
  const begin = step && stepTypeOf(step.type).user?.begin;
  if (!step || !begin) throw new ApiError(100142);
  const acts = await actsFor(identity, tx, { row: instance, step: step.id, now });
  return begin({ step, steps: definition.definition.steps, state, typeOf: stepTypeOf, identity: acts, anew });
}

export async function actsFor(
  identity: IdentityPort,
  tx: TenantTx,
  { row, step, now }: { row: InstanceRow; step: string; now: number },
): Promise<IdentityActs> {
  const { id: instanceId, environment } = row;
  return identity.acts(tx, { instanceId, step, environment, process: await processOf(tx, row), now });
}

/** The process of an instance: its parent if it is a child, and the first current tag of its definition. */
async function processOf(tx: TenantTx, row: InstanceRow): Promise<ParentProcess> {
  const parent = row.parent_id === null ? undefined : await findInstance(tx, row.parent_id);
  const { id, definition_id, process_defn_name, process_defn_version } = parent ?? row;
  const [tag] = parent ? await tagsOf(tx, row.environment, row.definition_id) : [];
  return {
    parentProcessDefnId: definition_id,
    parentProcessDefnName: process_defn_name,
    parentProcessDefnVersion: process_defn_version,
    parentProcessInstanceId: id,
    ...(parent && {
      childProcessDefnName: row.process_defn_name,
      childProcessDefnVersion: row.process_defn_version,
      ...(tag !== undefined && { childProcessDefnTag: tag }),
    }),
  };
}
