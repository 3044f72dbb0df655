import type { TenantDb, TenantReads } from '../db/db.ts';

/**
 * The data of a feature about persons. The source lists all items, shows one and erases one, so that another feature can
 * find, show and erase everything about one person.
 */
export type PersonSource = {
  readonly kind: PersonKind;
  count(db: TenantReads, environment: 'live' | 'test'): Promise<number>;
  /** The next ones in the order of their ids. */
  page(db: TenantReads, environment: 'live' | 'test', after: string, limit: number): Promise<PersonItem[]>;
  /** The item as the person receives it; undefined if it no longer exists. */
  show(db: TenantReads, id: string): Promise<object | undefined>;
  /** Deletes an item as every other deletion does. An item that no longer exists is not an error. */
  erase(db: TenantDb, id: string, erasure: PersonErasure): Promise<void>;
};

export type PersonKind = 'processInstance' | 'processToken' | 'user' | 'watchlistMember';

export type PersonItem = {
  readonly id: string;
  /** All texts of the item about the person. */
  readonly texts: readonly string[];
  /** The ids under which the tenant's own systems know the person. */
  readonly externalIds?: readonly string[];
  readonly parameters?: Readonly<Record<string, string>>;
};

/** The id of the caller, as the audit trail stores it. */
export type CallerIds = { readonly apiKeyId?: string; readonly operatorId?: string };
export type PersonErasure = {
  readonly by: string;
  readonly caller: CallerIds;
  readonly at: number;
  readonly requestId: string;
};

/** At least one of them. */
export type PersonSelectors = {
  readonly email?: string;
  readonly externalId?: string;
  readonly userId?: string;
  readonly parameter?: { readonly name: string; readonly value: string };
};

const MAX_DEPTH = 32;

/** Every text in a value, however deep. */
export function textsOf(value: unknown, depth = 0): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return [];
  return Object.values(value).flatMap((each) => textsOf(each, depth + 1));
}

/** The parameters that hold the person's id in the tenant's own systems. */
const EXTERNAL_ID_PARAMETERS = ['externalId', 'externalRef', 'externalReference', 'extId', 'userExtId'];

export function externalIdsOf(parameters: Readonly<Record<string, string>>): string[] {
  return EXTERNAL_ID_PARAMETERS.flatMap((name) =>
    Object.hasOwn(parameters, name) ? [parameters[name] as string] : [],
  );
}

/** Whether an item belongs to the person. Only an e-mail address is compared without regard to letter case. */
export function isAbout(item: PersonItem, { email, externalId, userId, parameter }: PersonSelectors): boolean {
  if (userId !== undefined && (item.id === userId || item.texts.includes(userId))) return true;
  if (externalId !== undefined && item.externalIds?.includes(externalId)) return true;
  if (parameter && item.parameters && Object.hasOwn(item.parameters, parameter.name)) {
    if (item.parameters[parameter.name] === parameter.value) return true;
  }
  if (email === undefined) return false;
  const foldedEmail = foldText(email);
  return item.texts.some((each) => foldText(each) === foldedEmail);
}

function foldText(text: string): string {
  return text.normalize('NFC').trim().toLowerCase();
}
