import { addressesOf, catalogue, type ErrorCode, type ListedOperation } from '../packages/contract/src/index.ts';
import type { Exercised } from './exercised.ts';

/** What the contract promises, held against what the tests have seen the server do. Pure. */
export type Row = {
  readonly route: string;
  readonly status: number;
  /** The codes that this status is answered with; none for a success. */
  readonly codes: readonly { readonly code: number; readonly seen: boolean }[];
  readonly seen: boolean;
};

/**
 * One row for each route and status: its success at every address, and every code of its own. Where an operation has
 * several addresses one handler serves them all, so a code counts for it wherever it was seen.
 */
export function conformanceRows(operations: readonly ListedOperation[], exercised: readonly Exercised[]): Row[] {
  const seen = new Set(exercised.map(({ route, status, code }) => `${route} ${status} ${code ?? ''}`));
  return operations.flatMap(({ operation }) => {
    const routes = addressesOf(operation).map(({ path }) => `${operation.method} ${path}`);
    const { status: success = 200, codes = [] } = operation;
    const byStatus = Map.groupBy(codes as readonly ErrorCode[], (code) => catalogue[code].status);
    const refusals = [...byStatus].sort(([one], [other]) => one - other);
    return routes.flatMap((route) => [
      { route, status: success, codes: [], seen: seen.has(`${route} ${success} `) },
      ...refusals.map(([status, own]) => {
        const told = [...new Set(own)]
          .sort((one, other) => one - other)
          .map((code) => ({ code, seen: routes.some((each) => seen.has(`${each} ${status} ${code}`)) }));
        return { route, status, codes: told, seen: told.every((each) => each.seen) };
      }),
    ]);
  });
}

/** Codes that any operation may answer, and that none of the tests has made any operation answer. */
export function generalRows(codes: readonly number[], exercised: readonly Exercised[]) {
  const seen = new Set(exercised.map(({ code }) => code));
  return codes.map((code) => ({ code, seen: seen.has(code) }));
}

const MARK = { true: 'yes', false: 'NO ' } as const;

export function renderRows(rows: readonly Row[]): string {
  const width = Math.max(...rows.map(({ route }) => route.length));
  return rows
    .map(({ route, status, codes, seen }) => {
      const told = codes.map((each) => `${each.code}${each.seen ? '' : '(!)'}`).join(' ');
      return `${MARK[`${seen}`]} ${route.padEnd(width)} ${status} ${told}`.trimEnd();
    })
    .join('\n');
}
