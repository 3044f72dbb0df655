import type { Counter } from '../../db/counters.ts';
import type { TenantTx } from '../../db/db.ts';
import { DAY, fromDuration } from '../../kernel/clock.ts';
import type { Environment } from '../../kernel/environment.ts';
import { newId } from '../../kernel/ids.ts';
import type { CompiledDefinition } from '../engine/compile-definition.ts';
import type { Definition } from '../engine/definition.ts';
import { addEvents } from './instance-events.repository.ts';
import type { NotifyEvents } from './notify-events.ts';
import { hashCode, newStartCode, START_CODE_TTL_MS } from './one-time-code.ts';
import { addInstance, type InstanceRow } from './process-instances.repository.ts';
import { termsOf } from './search-terms.ts';

/** Tokens, links and subprocess steps all create their instances here. */
export type NewInstance = {
  definition: CompiledDefinition;
  environment: Environment;
  /** The parameters of the token, with those of the caller on top. */
  parameters: Readonly<Record<string, string>>;
  /** The token of which this instance takes a use. */
  token?: TokenUse | undefined;
  /** Counters that change together with the total of instances. */
  counters?: readonly Counter[];
  /** For a subprocess step: its instance, the step, and the id that the step announced. */
  parent?: { row: InstanceRow; step: string; id: string } | undefined;
  overrides?: { name?: string; description?: string; notAfterAt?: number } | undefined;
  now: number;
  /** How long the code is valid, if it is not redeemed at once. */
  codeTtlMs?: number | undefined;
  notifyEvents?: NotifyEvents;
};

export type TokenUse = { id: string; counter: number; ui_url: string | null; max_process_duration: string };

/** The part of a name that lists show. A name may be as long as a parameter. */
const MAX_SHOWN_LENGTH = 255;

/** A child has no code: its end user is already there. */
export async function createInstance(
  tx: TenantTx,
  input: NewInstance,
): Promise<{ row: InstanceRow; code: string | undefined }> {
  const { definition, parent, now } = input;
  const fresh = newRow(input);
  const code = parent ? undefined : newStartCode(tx.tenantId, fresh.id);
  const row: InstanceRow = {
    ...fresh,
    code_hash: code === undefined ? null : hashCode(code),
    code_expires_at: code === undefined ? null : now + (input.codeTtlMs ?? START_CODE_TTL_MS),
  };
  await addInstance(tx, row, input.counters);
  const data = parent && {
    parentProcessDefnId: parent.row.definition_id,
    parentProcessDefnName: parent.row.process_defn_name,
    parentProcessDefnVersion: parent.row.process_defn_version,
    parentProcessInstanceId: parent.row.id,
    childProcessDefnName: definition.definition.name,
    childProcessDefnVersion: definition.version,
  };
  const event = { type: 'instance.created', status: row.status, ...(data && { data }) };
  await addEvents(tx, { id: row.id, sequence: 0 }, [event], now);
  await input.notifyEvents?.(tx, row, [event], { before: 0, now });
  return { row, code };
}

/** The event of its creation is its first, so its sequence is 1. The code is missing. */
export function newRow(input: NewInstance): InstanceRow {
  const { definition, environment, parameters, token, parent, overrides, now } = input;
  const document = definition.definition;
  const applicant = {
    firstName: listText(parameters.firstName),
    lastName: listText(parameters.lastName),
    email: listText(parameters.email),
    phoneNumber: listText(parameters.phoneNumber),
  };
  const reference = listText(parameters.externalReference);
  const extended = searchableOf(document, parameters);
  return {
    id: parent?.id ?? newId(now),
    environment,
    definition_id: definition.id,
    process_defn_name: document.name,
    process_defn_version: definition.version,
    status: 'PENDING',
    first_name: applicant.firstName ?? null,
    last_name: applicant.lastName ?? null,
    email: applicant.email ?? null,
    phone_number: applicant.phoneNumber ?? null,
    external_reference: reference ?? null,
    retention_days: document.retentionDays,
    expiring_at: now + document.retentionDays * DAY,
    created_at: now,
    completed_at: null,
    review_status: null,
    review_comment: null,
    reviewer: null,
    extended_terms: extended ? JSON.stringify(extended) : null,
    redacted_at: null,
    sealed: null,
    last_updated_at: now,
    claimed_until: null,
    review_priority: 0,
    token_id: token?.id ?? null,
    token_counter: token?.counter ?? null,
    parent_id: parent?.row.id ?? null,
    parent_step: parent?.step ?? null,
    name: overrides?.name ?? null,
    description: overrides?.description ?? null,
    parameters: JSON.stringify(parameters),
    ui_url: token?.ui_url ?? null,
    deadline_at: deadlineOf(input, document),
    sequence: 1,
    terms: JSON.stringify(termsOf(applicant, [...(reference ? [reference] : []), ...Object.values(extended ?? {})])),
    code_hash: null,
    code_expires_at: null,
  };
}

function deadlineOf({ token, parent, overrides, now }: NewInstance, { maxDuration }: Definition): number {
  return Math.min(
    now + fromDuration(maxDuration),
    token ? now + fromDuration(token.max_process_duration) : Number.POSITIVE_INFINITY,
    parent?.row.deadline_at ?? Number.POSITIVE_INFINITY,
    overrides?.notAfterAt ?? Number.POSITIVE_INFINITY,
  );
}

function listText(value: string | undefined): string | undefined {
  const text = value?.trim();
  if (!text) return undefined;
  return text.length <= MAX_SHOWN_LENGTH ? text : [...text].slice(0, MAX_SHOWN_LENGTH).join('');
}

function searchableOf({ attributes }: Definition, parameters: Readonly<Record<string, string>>) {
  const { searchable } = attributes;
  if (searchable.length === 0) return undefined;
  return Object.fromEntries(
    searchable.flatMap((name) => (Object.hasOwn(parameters, name) ? [[name, parameters[name] as string]] : [])),
  );
}
