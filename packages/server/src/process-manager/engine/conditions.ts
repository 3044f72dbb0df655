import { type ASTNode, Environment } from '@marcbachmann/cel-js';
import { ageAt, readDate } from './dates.ts';
import { documentFacts } from './document-facts.ts';
import type { JourneyData, State } from './state.ts';

/**
 * Conditions are CEL: no loops without end, no side effects, nothing of JavaScript. An expression sees `params` (the
 * parameters of the instance), `checks` (how steps ended, by their ids), `data` (what was gathered, by keys) and `now`.
 */
const LIMITS = { maxAstNodes: 500, maxDepth: 50, maxListElements: 100, maxMapEntries: 100, maxCallArguments: 8 };

const environment = new Environment({ limits: LIMITS })
  .registerVariable('params', 'map')
  .registerVariable('checks', 'map')
  .registerVariable('data', 'map')
  .registerVariable('now', 'google.protobuf.Timestamp')
  .registerFunction('date(string): google.protobuf.Timestamp', toDate)
  .registerFunction('age(google.protobuf.Timestamp): int', (born: Date) => ageNow(born))
  .registerFunction('age(string): int', (born: string) => ageNow(toDate(born)));

/** Of the evaluation under way: functions see their arguments alone. */
let evaluatedAt = new Date(0);

const ageNow = (born: Date) => BigInt(ageAt(evaluatedAt, born));

function toDate(text: string): Date {
  const date = readDate(text);
  if (!date) throw new Error('is not a date such as 2008-11-16');
  return date;
}

type Kind = keyof JourneyData;
const KINDS: readonly Kind[] = ['forms', 'documents', 'faces', 'pauses'];

/** The steps and keys that an expression reads. */
export type Refers = { readonly checks: string[] } & { readonly [K in Kind]: string[] };

export type CheckedCondition = { readonly faults: readonly string[]; readonly refers: Refers };

/** What a step is in a condition as long as it has not ended. */
const NOT_ENDED = { passed: false, status: 'NOT_PERFORMED', reason: '', score: 0, attempts: 0 };

/** Finds what is wrong with an expression without running it. */
export function checkCondition(text: string): CheckedCondition {
  const refers: Refers = { checks: [], forms: [], documents: [], faces: [], pauses: [] };
  const faults: string[] = [];
  try {
    const parsed = environment.parse(text);
    const { valid, type, error } = parsed.check();
    if (!valid) faults.push(firstLine(error));
    else if (type !== 'bool' && type !== 'dyn') faults.push(`must be true or false, but it is of type ${type}`);
    visit(parsed.ast, refers, faults);
  } catch (error) {
    faults.push(firstLine(error));
  }
  return { faults: [...new Set(faults)], refers };
}

/** Reads an expression once. What it gives throws where the answer cannot be told, so that nobody guesses. */
export function compileCondition(text: string): (state: State, now: number) => boolean {
  const { faults, refers } = checkCondition(text);
  if (faults.length > 0) throw new Error(`${text}: ${faults[0]}`);
  const run = environment.parse(text);
  return (state, now) => {
    evaluatedAt = new Date(now);
    const answer: unknown = run({ ...factsOf(state, refers, now), now: evaluatedAt });
    if (typeof answer !== 'boolean') throw new Error(`${text}: is neither true nor false`);
    return answer;
  };
}

function factsOf({ flow, data, params }: State, refers: Refers, now: number) {
  const checks: Record<string, unknown> = {};
  for (const id of refers.checks) {
    const record = Object.hasOwn(flow.done, id) ? flow.done[id] : undefined;
    checks[id] = record
      ? {
          passed: record.outcome === 'PASSED',
          status: record.outcome,
          reason: record.reason ?? '',
          score: record.score ?? 0,
          attempts: record.attempts,
        }
      : NOT_ENDED;
  }
  const gathered = Object.fromEntries(
    KINDS.map((kind) => [
      kind,
      Object.fromEntries(refers[kind].map((key) => [key, factOf(kind, data[kind][key] ?? {}, now)])),
    ]),
  );
  return { params, checks, data: gathered };
}

function factOf(kind: Kind, value: Readonly<Record<string, unknown>>, now: number) {
  return kind === 'documents' ? documentFacts(value, now) : value;
}

/** Whatever is read of `checks` and `data` must be named in the expression itself, so that it can be looked for. */
function visit(node: ASTNode, refers: Refers, faults: string[]): void {
  const path = memberPath(node);
  if (path) {
    noteMember(path, refers, faults);
    return;
  }
  if (node.op === 'id' && (node.args === 'checks' || node.args === 'data')) {
    faults.push(node.args === 'checks' ? 'checks must be followed by the id of a step' : DATA_FORM);
    return;
  }
  for (const child of childrenOf(node.args)) visit(child, refers, faults);
}

const DATA_FORM = `data must be followed by one of ${KINDS.join(', ')} and a key`;

function noteMember([root, ...members]: string[], refers: Refers, faults: string[]): void {
  if (root === 'checks') {
    refers.checks.push(members[0] as string);
  } else if (root === 'data') {
    const kind = KINDS.find((each) => each === members[0]);
    if (kind && members[1] !== undefined) refers[kind].push(members[1]);
    else faults.push(DATA_FORM);
  }
}

/** `checks.match.passed` is `['checks', 'match', 'passed']`; undefined for anything that is not such a chain. */
function memberPath(node: ASTNode): string[] | undefined {
  if (node.op === 'id') return undefined;
  const names: string[] = [];
  let at: ASTNode = node;
  while (at.op !== 'id') {
    const [inside, name] = memberOf(at);
    if (!inside || name === undefined) return undefined;
    names.unshift(name);
    at = inside;
  }
  const root = at.args;
  return root === 'checks' || root === 'data' ? [root, ...names] : undefined;
}

function memberOf(node: ASTNode): [ASTNode?, string?] {
  if (node.op === '.') return [node.args[0], node.args[1]];
  if (node.op !== '[]') return [];
  const [inside, index] = node.args;
  return index.op === 'value' && typeof index.args === 'string' ? [inside, index.args] : [];
}

function childrenOf(value: unknown): ASTNode[] {
  if (Array.isArray(value)) return value.flatMap(childrenOf);
  return typeof value === 'object' && value !== null && 'op' in value ? [value as ASTNode] : [];
}

/** The library shows the place in a drawing of several lines; a problem has room for a sentence. */
function firstLine(error: unknown): string {
  const { message = String(error), range } = error as { message?: string; range?: { start: number } };
  const [line = ''] = message.split('\n');
  return range ? `${line} (at character ${range.start + 1})` : line;
}
