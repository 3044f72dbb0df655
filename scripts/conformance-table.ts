import { addressesOf, catalogue, type ErrorCode, type ListedOperation } from '../packages/contract/src/index.ts';
import type { Exercised } from './exercised.ts';

/** What the contract promises, held against what the tests have seen the server do. Pure. */
export type Row = {
  readonly route: string;
  readonly status: number;
  /** The codes that this status is answered with; none for a success. */
  readonly codes: readonly Cell[];
  readonly seen: boolean;
  /** None of its codes can be answered at this address, so nobody can exercise it. */
  readonly impossible: boolean;
};

/** `seen` at some address of the operation; `here` at this very address. */
export type Cell = {
  readonly code: number;
  readonly seen: boolean;
  readonly here: boolean;
  readonly impossible: boolean;
};

/**
 * Codes of an operation that one of its addresses cannot answer. Where an address names no user, there is none that could be
 * missing, locked, without a passkey or with too many.
 */
const OF_A_USER = [502, 2100, 2101, 100028, 100031, 100038] as const;
const PASSKEYS_OF_NOBODY = 'POST /api/identity-store/stores/{storeName}/passkeys/relyingParties/{rpId}';
const IMPOSSIBLE: Readonly<Record<string, readonly number[]>> = {
  [`${PASSKEYS_OF_NOBODY}/registrations/{regPolicyName}`]: OF_A_USER,
  [`${PASSKEYS_OF_NOBODY}/authentications/{authPolicyName}`]: OF_A_USER,
};

/**
 * One row for each route and status: its success at every address, and every code of its own. A row is exercised if each
 * of its codes that is possible was seen at this very address.
 */
export function conformanceRows(operations: readonly ListedOperation[], exercised: readonly Exercised[]): Row[] {
  const exercisedKeys = new Set(exercised.map(({ route, status, code }) => `${route} ${status} ${code ?? ''}`));
  return operations.flatMap(({ operation }) => {
    const routes = addressesOf(operation).map(({ path }) => `${operation.method} ${path}`);
    const { status: success = 200, codes = [] } = operation;
    const byStatus = Map.groupBy(codes as readonly ErrorCode[], (code) => catalogue[code].status);
    const refusals = [...byStatus].sort(([one], [other]) => one - other);
    return routes.flatMap((route) => [
      { route, status: success, codes: [], seen: exercisedKeys.has(`${route} ${success} `), impossible: false },
      ...refusals.map(([status, own]) => {
        const cells = [...new Set(own)]
          .sort((one, other) => one - other)
          .map((code) => ({
            code,
            seen: routes.some((each) => exercisedKeys.has(`${each} ${status} ${code}`)),
            here: exercisedKeys.has(`${route} ${status} ${code}`),
            impossible: IMPOSSIBLE[route]?.includes(code) ?? false,
          }));
        const impossible = cells.every((each) => each.impossible);
        const seen = !impossible && cells.every((each) => each.here || each.impossible);
        return { route, status, codes: cells, seen, impossible };
      }),
    ]);
  });
}

export type CellCounts = Record<'here' | 'elsewhere' | 'missing' | 'impossible', number>;

/** How many cells were answered at their own address, only at another one, nowhere, and how many cannot be. */
export function countCells(rows: readonly Row[]): CellCounts {
  const counts: CellCounts = { here: 0, elsewhere: 0, missing: 0, impossible: 0 };
  for (const { impossible, here, seen } of rows.flatMap(({ codes }) => codes)) {
    counts[impossible ? 'impossible' : here ? 'here' : seen ? 'elsewhere' : 'missing'] += 1;
  }
  return counts;
}

/** The routes that a specification names and that no row succeeds at. */
export function missingRoutes(routes: readonly string[], rows: readonly Row[]): string[] {
  const served = new Set(rows.filter(({ codes, seen }) => codes.length === 0 && seen).map(({ route }) => route));
  return routes.filter((route) => !served.has(route));
}

/** Codes that any operation may answer, and that none of the tests has made any operation answer. */
export function generalRows(codes: readonly number[], exercised: readonly Exercised[]) {
  const exercisedCodes = new Set(exercised.map(({ code }) => code));
  return codes.map((code) => ({ code, seen: exercisedCodes.has(code) }));
}

function markOf({ seen, here, impossible }: Cell): string {
  if (impossible) return '(impossible)';
  return here ? '' : seen ? '(other address)' : '(!)';
}

const MARK = { true: 'yes', false: 'NO ' } as const;

export function renderRows(rows: readonly Row[]): string {
  const width = Math.max(...rows.map(({ route }) => route.length));
  return rows
    .map(({ route, status, codes, seen, impossible }) => {
      const codeText = codes.map((each) => `${each.code}${markOf(each)}`).join(' ');
      return `${impossible ? '-  ' : MARK[`${seen}`]} ${route.padEnd(width)} ${status} ${codeText}`.trimEnd();
    })
    .join('\n');
}
