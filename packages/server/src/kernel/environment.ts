import { ApiError } from './errors.ts';

/**
 * Configuration belongs to the environment of the key that made it. Live callers use only objects of live keys. Test
 * callers see both: an object of a test key replaces the live object of the same name, and all live objects can be read
 * and run. See docs/decisions/2026-11-16-what-a-test-key-changes.md.
 */
export type Environment = 'live' | 'test';

/**
 * A condition of a query: what a caller of the environment in that parameter sees. `ORDER BY environment DESC` puts the
 * test object first, because `test` sorts after `live`.
 */
export function seenFrom<const P extends string, const C extends string = 'environment'>(parameter: P, column?: C) {
  return `${(column ?? 'environment') as C} IN ('live', ${parameter})` as const;
}

/** Whether a caller of the environment sees an object that was read. */
export function isSeenFrom(environment: Environment, object: { environment: Environment }): boolean {
  return object.environment === 'live' || environment === 'test';
}

/** Ensures that a caller changes only what its own environment uses. The caller must be able to see the object. */
export function ensureOwn(environment: Environment, object: { environment: Environment }, noun: string): void {
  if (object.environment === environment) return;
  throw new ApiError(7, {
    detail: `a test key cannot change this ${noun}, because live callers use it: make one of that name with the test key`,
  });
}
