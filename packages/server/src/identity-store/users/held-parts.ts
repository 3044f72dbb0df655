/**
 * What a user has anything of, in one look at the indexes: most users have no locks and one modality, and to ask each
 * of the others in turn would cost more than all else about the user.
 */
export type HasPart = (part: string) => boolean;

export type HeldParts = {
  add(part: string, tables: readonly string[]): void;
  /** Columns that say what the user has; `user` is its id in the statement. */
  columns(user: string): string;
  /** A part that was never added is taken to be there. */
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
