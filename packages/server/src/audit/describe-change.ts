import { OPERATOR_ACTIONS, type RecordedAction } from '@grove/contract';
import { isObject } from '../kernel/is-object.ts';
import { type FieldChange, listChanges } from './list-changes.ts';
import { STORED_OBJECTS } from './stored-objects.ts';

/**
 * The members whose values the record of a change shows. The values of all other members may be secrets or personal
 * data.
 */
const SHOWN_FIELDS: { readonly [A in RecordedAction]?: readonly string[] } = {
  'apiKey.created': ['environment', 'type', 'status', 'permissions', 'expiringDtm'],
  'apiKey.updated': ['environment', 'type', 'status', 'permissions', 'expiringDtm'],
  'processDefinition.tagAdded': ['processDefnName', 'processDefnVersion'],
  'processSettings.updated': ['redirectOrigins', 'embedOrigins', 'readBudget'],
  'cloudSecret.created': ['hosts'],
  'cloudSecret.updated': ['hosts'],
  'operator.updated': ['role', 'status'],
  'operatorRole.created': ['permissions', 'environments'],
  'operatorRole.updated': ['permissions', 'environments'],
  'webhook.created': ['status', 'events', 'sensitiveHeaders'],
  'webhook.updated': ['status', 'events', 'sensitiveHeaders'],
};

/** Members that every change sets. */
const STAMPS: ReadonlySet<string> = new Set(['createdDtm', 'lastUpdatedDtm', 'createdBy', 'lastUpdatedBy']);

const MAX_ITEM_LENGTH = 300;
const MAX_FIELDS = 100;
const MAX_FIELD_LENGTH = 100;

export type ConfigurationChange = {
  readonly action: RecordedAction;
  readonly params: Readonly<Record<string, string>>;
  /** The body of the request: JSON, or the bytes of a file. */
  readonly body: unknown;
  /** The body of the answer. */
  readonly result: unknown;
  /** The stored object before the change, if the record compares it. */
  readonly before?: unknown;
};

export function describeChange({ action, params, body, result, before }: ConfigurationChange) {
  const after = isObject(result) ? result : {};
  const isOfConfiguration = !(OPERATOR_ACTIONS as readonly string[]).includes(action);
  const name = isOfConfiguration ? (textOf(after.name) ?? textOf(after.rpId) ?? textOf(after.policyName)) : undefined;
  const id = textOf(after.id) ?? (isObject(before) ? textOf(before.id) : undefined);
  const shownFields = (SHOWN_FIELDS[action] ?? []).filter((field) => after[field] !== undefined);
  const changes = isObject(before) ? changesOf(action, before, after) : [];
  const fields = isObject(body) && !('bytes' in body) ? Object.keys(body).slice(0, MAX_FIELDS) : [];
  return {
    item: (recordedParams(params).join('/') || name || id || action).slice(0, MAX_ITEM_LENGTH),
    details: {
      ...(id !== undefined && { id }),
      ...(name !== undefined && { name }),
      ...(typeof after.version === 'number' && { version: after.version }),
      ...(fields.length > 0 && { fields: fields.map((field) => field.slice(0, MAX_FIELD_LENGTH)) }),
      ...(shownFields.length > 0 && { values: Object.fromEntries(shownFields.map((field) => [field, after[field]])) }),
      ...(changes.length > 0 && { changes }),
    },
  };
}

/**
 * Leaves out the back end's id of a user: it may be a name or an e-mail address, and is sealed wherever it is stored.
 */
function recordedParams(params: ConfigurationChange['params']): string[] {
  return Object.entries(params).flatMap(([name, value]) => (name === 'userExtId' ? [] : [value]));
}

function changesOf(action: RecordedAction, before: object, after: object): FieldChange[] {
  const compared = STORED_OBJECTS[action]?.compared ?? [];
  const isCompared = (name: string) => !STAMPS.has(name) && (compared.includes(name) || compared.includes('*'));
  const [old, current] = [before, after].map((object) => Object.entries(object).filter(([name]) => isCompared(name)));
  return listChanges(Object.fromEntries(old ?? []), Object.fromEntries(current ?? []));
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
