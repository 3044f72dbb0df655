import { type ASTNode, Environment } from '@marcbachmann/cel-js';
import { boundedMap } from '../../kernel/bounded-map.ts';
import { documentFacts } from './document-facts.ts';
import { type Budget, newBudget } from './expressions/budget.ts';
import { compileExpression } from './expressions/compile-expression.ts';
import { ExpressionError } from './expressions/expression-error.ts';
import type { Code, Scope } from './expressions/part.ts';
import { ANY, nounOf, objectOf, type Shape, TIME } from './expressions/shapes.ts';
import type { KeptData, State } from './state.ts';

/**
 * Conditions are CEL: no endless loops, no side effects, no access to JavaScript. An expression sees `params` (the parameters
 * of the instance), `checks` (the results of steps by id), `data` (the gathered data by key) and `now`.
 */
const LIMITS = { maxAstNodes: 500, maxDepth: 50, maxListElements: 100, maxMapEntries: 100, maxCallArguments: 8 };

/** The library parses expressions and checks their types; `expressions/` evaluates them. */
const environment = new Environment({ limits: LIMITS })
  .registerVariable('params', 'map')
  .registerVariable('checks', 'map')
  .registerVariable('data', 'map')
  .registerVariable('now', 'google.protobuf.Timestamp')
  .registerFunction('date(string): google.protobuf.Timestamp', () => undefined)
  .registerFunction('age(google.protobuf.Timestamp): int', () => undefined)
  .registerFunction('age(string): int', () => undefined);

type Kind = keyof KeptData;
const KINDS: readonly Kind[] = ['forms', 'documents', 'faces', 'pauses'];

/** The steps and keys that an expression reads. */
export type Refers = { readonly checks: string[] } & { readonly [K in Kind]: string[] };

/** The shapes of the facts, which are known before there is a journey. */
export type FactShapes = { readonly checks: Shape; readonly data: Shape };

export type CheckedCondition = {
  readonly faults: readonly string[];
  readonly refers: Refers;
  readonly patterns: readonly string[];
};

const MAX_PART_LENGTH = 200;

/** The value of a step in conditions before it has ended. */
const NOT_ENDED = { passed: false, status: 'NOT_PERFORMED', reason: '', score: 0, attempts: 0 };

const UNKNOWN: FactShapes = { checks: ANY, data: ANY };

/** Finds the faults of an expression without running it. */
export function checkCondition(text: string, shapes: FactShapes = UNKNOWN): CheckedCondition {
  const { code: _code, ...checked } = readCondition(text, shapes);
  return checked;
}

type ReadCondition = CheckedCondition & { readonly code: Code };

function readCondition(text: string, shapes: FactShapes): ReadCondition {
  const refers: Refers = { checks: [], forms: [], documents: [], faces: [], pauses: [] };
  const facts = { params: objectOf({}, { open: true }), checks: shapes.checks, data: shapes.data, now: TIME };
  const scope: Scope = { facts, variables: [], faults: [], patterns: [] };
  const { faults, patterns } = scope;
  let code: Code = () => false;
  try {
    const parsed = environment.parse(text);
    const part = compileExpression(parsed.ast, scope);
    code = part.code;
    visit(parsed.ast, refers, faults);
    const { valid, type, error } = parsed.check();
    if (!valid && faults.length === 0) faults.push(firstLine(error));
    else if (type !== undefined && type !== 'bool' && type !== 'dyn') faults.push(notTruth(`of type ${type}`));
    else if (valid && part.shape.kind !== 'truth' && part.shape.kind !== 'any')
      faults.push(notTruth(nounOf(part.shape)));
  } catch (error) {
    faults.push(firstLine(error));
  }
  return { faults: [...new Set(faults)], refers, patterns, code };
}

/** The ids of the steps that a condition reads, and whether it reads anything besides their outcomes. */
export type ConditionReads = { readonly checks: readonly string[]; readonly personal: boolean };

const MAX_READS_KEPT = 1000;
const readsCache = boundedMap<string, ConditionReads>(MAX_READS_KEPT);

export function conditionReads(text: string): ConditionReads {
  const cached = readsCache.get(text);
  if (cached) return cached;
  const { refers } = readCondition(text, UNKNOWN);
  const names = new Set<string>();
  const gather = (node: ASTNode): void => {
    if (node.op === 'id') names.add(String(node.args));
    for (const child of childrenOf(node.args)) gather(child);
  };
  gather(environment.parse(text).ast);
  const personal = ['params', 'data', 'now'].some((name) => names.has(name));
  const reads = { checks: [...new Set(refers.checks)], personal };
  readsCache.set(text, reads);
  return reads;
}

function notTruth(noun: string): string {
  return `must be true or false, but it is ${noun}`;
}

/** The time at which conditions are evaluated, and the budget that they share. */
export type ConditionContext = { readonly now: number; readonly budget: Budget };

export type Condition = (state: State, context: ConditionContext) => boolean;

/** Compiles an expression once. The result throws if the expression has no value, so that nothing is guessed. */
export function compileCondition(text: string): Condition {
  const { faults, refers, code } = readCondition(text, UNKNOWN);
  const [fault] = faults;
  if (fault !== undefined) throw new ExpressionError(fault, text.slice(0, MAX_PART_LENGTH));
  return (state, { now, budget }) => {
    const facts = factsOf(state, refers, now);
    const answer = code({ facts, now: facts.now, budget, variables: [] });
    if (typeof answer !== 'boolean')
      throw new ExpressionError('does not result in true or false', text.slice(0, MAX_PART_LENGTH));
    return answer;
  };
}

export type ConditionTrial = { result?: boolean; faults: string[] };

/** Evaluates a condition on sample values, for its author. */
export function tryCondition(text: string, values: Readonly<Record<string, unknown>>, now: number): ConditionTrial {
  const { faults, refers, code } = readCondition(text, UNKNOWN);
  if (faults.length > 0) return { faults: faults.slice(0, MAX_FAULTS_SHOWN) };
  const { params, checks, data } = mapsOf(values, ['params', 'checks', 'data']);
  const checkEntries = refers.checks.map((id) => [id, { ...NOT_ENDED, ...mapsOf(checks, [id])[id] }]);
  const kinds = mapsOf(data, KINDS);
  const dataEntries = KINDS.map((kind) => [kind, mapsOf(kinds[kind], refers[kind])]);
  const at = new Date(now);
  const facts = { params, checks: Object.fromEntries(checkEntries), data: Object.fromEntries(dataEntries), now: at };
  try {
    const result = code({ facts, now: at, budget: newBudget(), variables: [] });
    return typeof result === 'boolean' ? { result, faults: [] } : { faults: ['does not result in true or false'] };
  } catch (error) {
    return { faults: [firstLine(error)] };
  }
}

const MAX_FAULTS_SHOWN = 20;

/** The members that are objects; missing and other members become empty objects. */
function mapsOf<N extends string>(of: unknown, names: readonly N[]): Record<N, Record<string, unknown>> {
  const members = (typeof of === 'object' && of !== null ? of : {}) as Readonly<Record<string, unknown>>;
  const entries = names.map((name) => {
    const value = Object.hasOwn(members, name) ? members[name] : undefined;
    return [name, typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {}];
  });
  return Object.fromEntries(entries) as Record<N, Record<string, unknown>>;
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
  const values = Object.fromEntries(
    KINDS.map((kind) => [
      kind,
      Object.fromEntries(refers[kind].map((key) => [key, factOf(kind, ownMember(data[kind], key), now)])),
    ]),
  );
  return { params, checks, data: values, now: new Date(now) };
}

/** Reads a member; a step that has not ended and missing data are empty objects. */
function ownMember<T extends object>(of: Readonly<Record<string, T>>, key: string): T | Record<string, never> {
  return (Object.hasOwn(of, key) ? of[key] : undefined) ?? {};
}

function factOf(kind: Kind, value: Readonly<Record<string, unknown>>, now: number) {
  return kind === 'documents' ? documentFacts(value, now) : value;
}

/** Ensures that members of `checks` and `data` are named literally, so that a check can look for them. */
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

/** The first line of the library's message; the others draw the position. */
function firstLine(error: unknown): string {
  const { message = String(error), range } = error as { message?: string; range?: { start: number } };
  const [line = ''] = message.split('\n');
  return range ? `${line} (at character ${range.start + 1})` : line;
}
