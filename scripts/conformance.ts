import { generalCodes, groveCodes, operations, SPECIFICATION_ROUTES } from '../packages/contract/src/index.ts';
import { conformanceRows, countCells, generalRows, missingRoutes, renderRows } from './conformance-table.ts';
import { readExercised } from './exercised.ts';

/**
 * Prints every route with its statuses and codes, and whether the last whole run of the tests has exercised them. A run with
 * a failed test does not count. With `--missing`, it prints only what was not exercised. Exits with 1 if anything was not.
 */
const onlyMissing = process.argv.includes('--missing');
const all = operations();
const exercised = readExercised();
const rows = conformanceRows(all, exercised);
const ofOperations = new Set<number>(all.flatMap(({ operation }) => operation.codes ?? []));
/** Codes that are answered before the request is complete, so that no route can record them. Tests have them in their titles. */
const BEFORE_ANY_ROUTE: readonly number[] = [100018, 100019];
/** The application answers this code only if it has a bug. Tests exercise it with handlers that throw. */
const OF_A_BUG = 1;
const general = [...Object.keys(generalCodes), ...Object.keys(groveCodes)]
  .map(Number)
  .filter((code) => !ofOperations.has(code) && !BEFORE_ANY_ROUTE.includes(code) && code !== OF_A_BUG);
const generalCells = generalRows(general, exercised);

const possibleRows = rows.filter(({ impossible }) => !impossible);
const missingRows = possibleRows.filter(({ isExercised }) => !isExercised);
const shownRows = onlyMissing ? missingRows : rows;
if (shownRows.length > 0) console.log(renderRows(shownRows));
const lacking = generalCells.filter(({ isExercised }) => !isExercised).map(({ code }) => code);
console.log(`\ncodes of any operation: ${general.length - lacking.length} of ${general.length} exercised`);
if (lacking.length > 0) console.log(`not exercised: ${lacking.join(' ')}`);
const missing = missingRows.length;
console.log(`routes × statuses: ${possibleRows.length - missing} of ${possibleRows.length} exercised`);
const { here, elsewhere, missing: nowhere, impossible } = countCells(rows);
console.log(
  `codes × addresses: ${here} at their own address, ${elsewhere} only at another, ${nowhere} nowhere, ${impossible} impossible`,
);
const unserved = missingRoutes(SPECIFICATION_ROUTES, rows);
const specified = SPECIFICATION_ROUTES.length;
console.log(`routes of the specification: ${specified - unserved.length} of ${specified} answered with success`);
if (unserved.length > 0) console.log(`not answered: ${unserved.join(', ')}`);
if (exercised.length === 0) console.log('Nothing is recorded: npm test records it if no test fails.');
process.exitCode = missing === 0 && lacking.length === 0 && unserved.length === 0 ? 0 : 1;
