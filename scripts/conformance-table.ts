import { addressesOf, catalogue, type ErrorCode, type ListedOperation } from '../packages/contract/src/index.ts';
import type { Exercised } from './exercised.ts';

/** Compares the routes, statuses and codes of the contract with those that the server answered in the tests. Pure. */
export type Row = {
  readonly route: string;
  readonly status: number;
  /** The codes with this status; none for a success. */
  readonly codes: readonly Cell[];
  readonly isExercised: boolean;
  /** Whether none of its codes can be answered at this address, so that no test can exercise it. */
  readonly impossible: boolean;
};

/** `isExercised`: answered at some address of the operation; `here` at this very address. */
export type Cell = {
  readonly code: number;
  readonly isExercised: boolean;
  readonly here: boolean;
  readonly impossible: boolean;
};

/**
 * Codes of an operation that one of its addresses cannot answer. If an address names no user, no user can be missing, be
 * locked, have no passkey or have too many.
 */
const OF_A_USER = [502, 2100, 2101, 100028, 100031, 100038] as const;
const PASSKEYS_OF_NOBODY = 'POST /api/identity-store/stores/{storeName}/passkeys/relyingParties/{rpId}';
const IMPOSSIBLE: Readonly<Record<string, readonly number[]>> = {
  [`${PASSKEYS_OF_NOBODY}/registrations/{regPolicyName}`]: OF_A_USER,
  [`${PASSKEYS_OF_NOBODY}/authentications/{authPolicyName}`]: OF_A_USER,
};

/**
 * One row for each route and status: the success at every address, and the codes of the operation. A row is exercised if
 * each of its possible codes was answered at this very address.
 */
export function conformanceRows(operations: readonly ListedOperation[], exercised: readonly Exercised[]): Row[] {
  const exercisedKeys = new Set(exercised.map(({ route, status, code }) => `${route} ${status} ${code ?? ''}`));
  return operations.flatMap(({ operation }) => {
    const routes = addressesOf(operation).map(({ path }) => `${operation.method} ${path}`);
    const { status: success = 200, codes = [] } = operation;
    const byStatus = Map.groupBy(codes as readonly ErrorCode[], (code) => catalogue[code].status);
    const refusals = [...byStatus].sort(([one], [other]) => one - other);
    return routes.flatMap((route) => [
      { route, status: success, codes: [], isExercised: exercisedKeys.has(`${route} ${success} `), impossible: false },
      ...refusals.map(([status, own]) => {
        const cells = [...new Set(own)]
          .sort((one, other) => one - other)
          .map((code) => ({
            code,
            isExercised: routes.some((each) => exercisedKeys.has(`${each} ${status} ${code}`)),
            here: exercisedKeys.has(`${route} ${status} ${code}`),
            impossible: IMPOSSIBLE[route]?.includes(code) ?? false,
          }));
        const impossible = cells.every((each) => each.impossible);
        const isExercised = !impossible && cells.every((each) => each.here || each.impossible);
        return { route, status, codes: cells, isExercised, impossible };
      }),
    ]);
  });
}

export type CellCounts = Record<'here' | 'elsewhere' | 'missing' | 'impossible', number>;

/** Counts the cells that were answered at their own address, only at another one or nowhere, and those that are impossible. */
export function countCells(rows: readonly Row[]): CellCounts {
  const counts: CellCounts = { here: 0, elsewhere: 0, missing: 0, impossible: 0 };
  for (const { impossible, here, isExercised } of rows.flatMap(({ codes }) => codes)) {
    counts[impossible ? 'impossible' : here ? 'here' : isExercised ? 'elsewhere' : 'missing'] += 1;
  }
  return counts;
}

/** The routes of a specification that were never answered with success. */
export function missingRoutes(routes: readonly string[], rows: readonly Row[]): string[] {
  const served = new Set(
    rows.filter(({ codes, isExercised }) => codes.length === 0 && isExercised).map(({ route }) => route),
  );
  return routes.filter((route) => !served.has(route));
}

/** For codes that any operation may answer: whether a test made some operation answer the code. */
export function generalRows(codes: readonly number[], exercised: readonly Exercised[]) {
  const exercisedCodes = new Set(exercised.map(({ code }) => code));
  return codes.map((code) => ({ code, isExercised: exercisedCodes.has(code) }));
}

function markOf({ isExercised, here, impossible }: Cell): string {
  if (impossible) return '(impossible)';
  return here ? '' : isExercised ? '(other address)' : '(!)';
}

const MARK = { true: 'yes', false: 'NO ' } as const;

export function renderRows(rows: readonly Row[]): string {
  const width = Math.max(...rows.map(({ route }) => route.length));
  return rows
    .map(({ route, status, codes, isExercised, impossible }) => {
      const codeText = codes.map((each) => `${each.code}${markOf(each)}`).join(' ');
      return `${impossible ? '-  ' : MARK[`${isExercised}`]} ${route.padEnd(width)} ${status} ${codeText}`.trimEnd();
    })
    .join('\n');
}
