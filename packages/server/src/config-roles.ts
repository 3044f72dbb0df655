import type { Fault } from './config-places.ts';

/** The kinds of work that a process does for the installation. */
export const ROLES = ['api', 'worker', 'vision'] as const;
export type Role = (typeof ROLES)[number];

/** The number of jobs that a process runs at once: in all, and of single kinds. */
export type JobsAtOnce = { readonly all: number; readonly byKind: Readonly<Record<string, number>> };

const MAX_JOBS_AT_ONCE = 256;
const MAX_KINDS = 50;

type Installation = { readonly isSingleServer: boolean; readonly hasVision: boolean };

/**
 * The roles of this process; by default all of them. If it shares the database with other servers and cannot analyse
 * images, it leaves them to the others. With an explicit role `vision`, the whole installation cannot analyse them.
 */
export function rolesOf(list: string, { isSingleServer, hasVision }: Installation, fault: Fault): readonly Role[] {
  if (!list) return ROLES.filter((role) => role !== 'vision' || hasVision || isSingleServer);
  const names = list.split(',').map((name) => name.trim());
  const roles = ROLES.filter((role) => names.includes(role));
  if (roles.length !== names.length) fault('GROVE_ROLES', `a list of ${ROLES.join(', ')}, each at most once`);
  else if (isSingleServer && roles.length < ROLES.length) {
    fault('GROVE_ROLES', 'all of them, or DATABASE_URL set: a SQLite database has one process');
  }
  return roles;
}

const KIND_LIMIT = /^([a-z][a-z0-9.-]{1,63})=(\d{1,3})$/;

export function jobsAtOnce(text: string, fault: Fault): JobsAtOnce {
  const [first = '', ...others] = text.split(',').map((part) => part.trim());
  const kinds = others.map((part) => KIND_LIMIT.exec(part));
  const limits = [Number(/^\d{1,3}$/.test(first) ? first : 0), ...kinds.map((kind) => Number(kind?.[2] ?? 0))];
  const isValid = limits.every((limit) => limit >= 1 && limit <= MAX_JOBS_AT_ONCE) && others.length <= MAX_KINDS;
  if (!isValid) {
    fault('GROVE_JOBS_AT_ONCE', `a whole number from 1 to ${MAX_JOBS_AT_ONCE}, then <kind>=<number> for single kinds`);
  }
  return {
    all: limits[0] ?? 1,
    byKind: Object.fromEntries(kinds.flatMap((kind, at) => (kind?.[1] ? [[kind[1], limits[at + 1] ?? 1]] : []))),
  };
}
