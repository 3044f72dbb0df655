import { OPERATOR_ACTIONS, type RecordedAction } from '@grove/contract';
import { isObject } from '../kernel/is-object.ts';
import { type FieldChange, listChanges } from './list-changes.ts';
import { STORED_OBJECTS } from './stored-objects.ts';

/** What the audit log says of a change of the configuration. Values are shown only where they are named here. */
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

/** Members that change by themselves. */
const STAMPS: ReadonlySet<string> = new Set(['createdDtm', 'lastUpdatedDtm', 'createdBy', 'lastUpdatedBy']);

const MAX_ITEM_LENGTH = 300;
const MAX_FIELDS = 100;
const MAX_FIELD_LENGTH = 100;

export type ConfigurationChange = {
  readonly action: RecordedAction;
  readonly params: Readonly<Record<string, string>>;
  /** As it was sent: JSON, or the bytes of a file. */
  readonly body: unknown;
  /** The answer. */
  readonly result: unknown;
  /** The object as it was stored before, where that is known. */
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
    item: (openParams(params).join('/') || name || id || action).slice(0, MAX_ITEM_LENGTH),
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

/** What a back end calls a user may be a name or an e-mail address. It is sealed wherever it is stored, so it is not here. */
function openParams(params: ConfigurationChange['params']): string[] {
  return Object.entries(params).flatMap(([name, value]) => (name === 'userExtId' ? [] : [value]));
}

function changesOf(action: RecordedAction, before: object, after: object): FieldChange[] {
  const compared = STORED_OBJECTS[action]?.compared ?? [];
  const isCompared = (name: string) => !STAMPS.has(name) && (compared.includes(name) || compared.includes('*'));
  const [old, current] = [before, after].map((of) => Object.entries(of).filter(([name]) => isCompared(name)));
  return listChanges(Object.fromEntries(old ?? []), Object.fromEntries(current ?? []));
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
