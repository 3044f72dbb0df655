/**
 * Which parts a user has rows for, found in one query on indexes. Most users have no locks and one modality; a query
 * for each other part would cost more than all the rest of the view.
 */
export type HasPart = (part: string) => boolean;

export type HeldParts = {
  add(part: string, tables: readonly string[]): void;
  /** SQL columns that say which parts the user has; `user` is the SQL expression of its id. */
  columns(user: string): string;
  /** A part that was never added is assumed to exist. */
  of(row: Readonly<Record<string, unknown>> | undefined): HasPart;
};

const NAME = /^[a-z_]+$/;

export function heldParts(): HeldParts {
  const tablesOf = new Map<string, readonly string[]>([['locks', ['user_locks']]]);
  return {
    add(part, tables) {
      if (![part, ...tables].every((name) => NAME.test(name))) throw new Error(`${part} cannot be searched for`);
      tablesOf.set(part, tables);
    },
    columns: (user) => [...tablesOf].map(([part, tables]) => `${anyOf(tables, user)} AS has_${part}`).join(', '),
    of: (row) => (part) => !tablesOf.has(part) || Boolean(row?.[`has_${part}`]),
  };
}

function anyOf(tables: readonly string[], user: string): string {
  const one = (table: string) =>
    `EXISTS (SELECT 1 FROM ${table} t WHERE t.tenant_id = :tenant_id AND t.user_id = ${user})`;
  return `(${tables.map(one).join(' OR ')})`;
}
