import type { api, Ok } from '@grove/contract';
import { toDtm } from '../../kernel/clock.ts';
import type { InstanceStatus } from '../engine/state.ts';
import type { EventRow } from './instance-events.repository.ts';
import type { InstanceRow, InstanceView } from './process-instances.repository.ts';

/** Process instances as callers see them: the three views of the specification. */

type Instances = typeof api.processInstances;
export type PlainView = Ok<Instances['get']>;
type ListItem = Ok<Instances['list']>['content'][number];
type WithParameters = Ok<Instances['getWithParameters']>;
export type EventView = Ok<Instances['listEvents']>['content'][number];

export const STATUS_MAPPED = {
  PENDING: 'Pending',
  ACTIVE: 'In Progress',
  PAUSED: 'Paused',
  REVIEW: 'Review',
  COMPLETED_ENDED_SUCCESS: 'Accepted',
  COMPLETED_ENDED_ERROR: 'Declined',
  COMPLETED_PROCESS_ERROR: 'Error',
  COMPLETED_TERMINATED: 'Abandoned',
} as const satisfies Record<InstanceStatus, string>;

type Maybe<T> = { [K in keyof T]: T[K] | undefined };

/** The first members of every view. JSON omits undefined ones. */
function sharedMembers(row: InstanceView, tenantId: string) {
  return {
    id: row.id,
    tenantId,
    processDefnId: row.definition_id,
    processDefnName: row.process_defn_name,
    processDefnVersion: row.process_defn_version,
    lastName: row.last_name ?? undefined,
    firstName: row.first_name ?? undefined,
    phoneNumber: row.phone_number ?? undefined,
    email: row.email ?? undefined,
    externalReference: row.external_reference ?? undefined,
    status: row.status,
    environment: row.environment,
    retentionDays: row.retention_days,
    expiringDtm: toDtm(row.expiring_at),
  };
}

/** Has the same members for every instance. */
export function toPlainView(row: InstanceView, tenantId: string, now: number): PlainView {
  const view: Maybe<PlainView> = {
    ...sharedMembers(row, tenantId),
    createdAt: toDtm(row.created_at),
    elapsedMilliseconds: Math.max(0, (row.completed_at ?? now) - row.created_at),
    statusMapped: STATUS_MAPPED[row.status],
    review: row.review_status === null ? undefined : reviewOf(row),
    redactedDtm: row.redacted_at === null ? undefined : toDtm(row.redacted_at),
  };
  return view as PlainView;
}

function reviewOf({ review_status, review_comment, reviewer }: InstanceView): NonNullable<PlainView['review']> {
  return {
    ...(review_status !== null && { status: review_status }),
    ...(review_comment !== null && { comment: review_comment }),
    ...(reviewer !== null && { reviewer }),
  };
}

/** Every listed instance is scheduled for deletion, because each is deleted when its retention is over. */
export function toListItem(row: InstanceView, tenantId: string, now: number): ListItem {
  const item: ListItem = { ...toPlainView(row, tenantId, now), scheduledExpiry: true };
  if (row.extended_terms === null) return item;
  const extended = JSON.parse(row.extended_terms) as Record<string, string>;
  item.extendedSearchField = Object.keys(extended).join(',');
  item.extendedSearchTerms = Object.values(extended);
  return item;
}

type WithParametersOptions = {
  tenantId: string;
  definitionType: string | undefined;
  /** The regional system that runs it. */
  processServerId: string;
  /** The date of birth from a document. */
  readDateOfBirth?: string | undefined;
};

export function toWithParameters(
  row: InstanceRow,
  { tenantId, definitionType, processServerId, readDateOfBirth }: WithParametersOptions,
): WithParameters {
  const parameters = JSON.parse(row.parameters) as Record<string, string>;
  const view: Maybe<WithParameters> = {
    ...sharedMembers(row, tenantId),
    createdDtm: toDtm(row.created_at),
    lastUpdatedDtm: toDtm(row.last_updated_at),
    processTokenId: row.token_id ?? undefined,
    processTokenCounter: row.token_counter ?? undefined,
    processServerId,
    dateOfBirth: readDateOfBirth ?? calendarDate(parameters.dateOfBirth),
    processDefinitionType: definitionType,
    name: row.name ?? undefined,
    description: row.description ?? undefined,
    parentProcessInstanceId: row.parent_id ?? undefined,
    processTokenParameters: parameters,
  };
  return view as WithParameters;
}

/** Undefined unless the text is a day of the calendar. */
function calendarDate(text: string | undefined): string | undefined {
  if (text === undefined || !/^\d{4}-\d{2}-\d{2}$/.test(text)) return undefined;
  const at = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(at) && toDtm(at).startsWith(text) ? text : undefined;
}

export function toEventView({ sequence, type, at, status, step, data }: EventRow): EventView {
  return {
    sequence,
    type,
    dateTime: toDtm(at),
    status,
    ...(step !== null && { step }),
    ...(data !== null && { data: JSON.parse(data) as Record<string, unknown> }),
  };
}
