import type { ASTNode } from '@marcbachmann/cel-js';
import { didYouMean } from '../../../kernel/closest.ts';
import { charge } from './budget.ts';
import { compileMacro, isMacro } from './compile-macro.ts';
import { ExpressionError } from './expression-error.ts';
import { type ExpressionFunction, FUNCTIONS, METHODS } from './functions.ts';
import { BINARY, negate, not } from './operators.ts';
import { attempt, type Code, checkTruth, type Part, type Scope, sourceOf, truthOf } from './part.ts';
import { patternFault } from './patterns.ts';
import {
  ANY,
  areComparable,
  calculatedShape,
  canBe,
  isCalculation,
  listOf,
  memberShape,
  NUMBER,
  nounOf,
  nounsOf,
  type Shape,
  TEXT,
  TRUTH,
} from './shapes.ts';
import { memberOf } from './values.ts';

/**
 * Compiles the parts of an expression into functions. The library parses the text and checks the types; evaluation happens
 * here, because every step must be counted. The same pass finds names that cannot exist.
 */
export function compileExpression(node: ASTNode, scope: Scope): Part {
  const { code, find, shape } = compileNode(node, scope);
  return { code: chargeStep(node, code), shape, ...(find && { find: chargeStep(node, find) }) };
}

/** The innermost error names the part that has no value. */
function chargeStep(node: ASTNode, code: Code): Code {
  return (run) => {
    try {
      charge(run.budget, 1);
      return code(run);
    } catch (error) {
      if (error instanceof ExpressionError) error.part ??= sourceOf(node);
      throw error;
    }
  };
}

function compileNode(node: ASTNode, scope: Scope): Part {
  switch (node.op) {
    case 'value':
      return literal(node.args, scope);
    case 'id':
      return name(node.args, scope);
    case '.':
      return member(compileExpression(node.args[0], scope), node.args[1], node, scope);
    case '[]':
      return element(node, scope);
    case 'list':
      return list(node.args, scope);
    case 'map':
      return map(node.args, scope);
    case '&&':
    case '||':
      return either(node.op === '||', node.args, scope);
    case '?:':
      return ternary(node.args, scope);
    case '!_': {
      const part = compileExpression(node.args, scope);
      checkTruth(part, node.args, scope);
      return { code: (run) => not(part.code(run)), shape: TRUTH };
    }
    case '-_': {
      const { code, shape } = compileExpression(node.args, scope);
      if (!canBe(shape, ['number'])) scope.faults.push(`${sourceOf(node)} negates ${nounOf(shape)}`);
      return { code: (run) => negate(code(run)), shape: NUMBER };
    }
    case 'call':
    case 'rcall':
      return isMacro(node) ? compileMacro(node, scope, compileExpression) : compileCall(node, scope);
    default:
      return binary(node, scope);
  }
}

const KINDS: Readonly<Record<string, Shape>> = { string: TEXT, bigint: NUMBER, number: NUMBER, boolean: TRUTH };

function literal(value: unknown, { faults }: Scope): Part {
  const shape = KINDS[typeof value] ?? ANY;
  if (typeof value === 'object' && value !== null) faults.push('bytes and unsigned numbers are not for conditions');
  return { code: () => value, shape };
}

function name(id: string, { facts, variables, faults }: Scope): Part {
  const at = variables.findLastIndex((variable) => variable.name === id);
  if (at >= 0) return { code: (run) => run.variables[at], shape: variables[at]?.shape ?? ANY };
  const shape = Object.hasOwn(facts, id) ? facts[id] : undefined;
  const knownNames = [...Object.keys(facts), ...variables.map((variable) => variable.name)];
  if (!shape) faults.push(`there is no ${id}${didYouMean(id, knownNames)}`);
  return { code: (run) => run.facts[id], shape: shape ?? ANY };
}

function member(object: Part, memberName: unknown, node: ASTNode, scope: Scope): Part {
  const shape = typeof memberName === 'string' ? memberShape(object.shape, memberName) : indexedShape(object.shape);
  if (!shape) scope.faults.push(memberFault(object.shape, memberName as string, node));
  const find: Code = (run) => {
    const of = (object.find ?? object.code)(run);
    return of === undefined ? undefined : memberOf(of, memberName);
  };
  const code: Code = (run) => present(memberOf(object.code(run), memberName));
  return { code, find, shape: shape ?? ANY };
}

function indexedShape(shape: Shape): Shape {
  return shape.kind === 'list' ? shape.of : ANY;
}

function memberFault(shape: Shape, memberName: string, node: ASTNode): string {
  const source = sourceOf(node);
  if (shape.kind !== 'object') return `refers to ${source}, but ${nounOf(shape)} has no members`;
  return `refers to ${source}, which does not exist${didYouMean(memberName, Object.keys(shape.members))}`;
}

function present(value: unknown): unknown {
  if (value !== undefined) return value;
  throw new ExpressionError('is missing');
}

function element(node: Extract<ASTNode, { op: '[]' }>, scope: Scope): Part {
  const [of, at] = node.args;
  const object = compileExpression(of, scope);
  const key = compileExpression(at, scope);
  if (at.op === 'value') return member(object, at.args, node, scope);
  return { code: (run) => present(memberOf(object.code(run), key.code(run))), shape: indexedShape(object.shape) };
}

function list(nodes: readonly ASTNode[], scope: Scope): Part {
  const parts = nodes.map((node) => compileExpression(node, scope));
  const [first] = parts;
  return { code: (run) => parts.map(({ code }) => code(run)), shape: listOf(first?.shape ?? ANY) };
}

function map(entries: readonly (readonly [ASTNode, ASTNode])[], scope: Scope): Part {
  const parts = entries.map(
    ([key, value]) => [compileExpression(key, scope), compileExpression(value, scope)] as const,
  );
  return { code: (run) => new Map(parts.map(([key, value]) => [key.code(run), value.code(run)])), shape: ANY };
}

/** A side that has no value does not matter if the other side decides. */
function either(decides: boolean, [left, right]: readonly [ASTNode, ASTNode], scope: Scope): Part {
  const sides = [compileExpression(left, scope), compileExpression(right, scope)] as const;
  checkTruth(sides[0], left, scope);
  checkTruth(sides[1], right, scope);
  const code: Code = (run) => {
    const one = attempt(run, sides[0].code);
    if (one === decides) return decides;
    const other = truthOf(sides[1].code(run));
    if (other === decides) return decides;
    if (one instanceof ExpressionError) throw one;
    return other;
  };
  return { code, shape: TRUTH };
}

function ternary([condition, yes, no]: readonly [ASTNode, ASTNode, ASTNode], scope: Scope): Part {
  const asks = compileExpression(condition, scope);
  checkTruth(asks, condition, scope);
  const [one, other] = [compileExpression(yes, scope), compileExpression(no, scope)];
  const shape = one.shape.kind === other.shape.kind ? one.shape : ANY;
  return { code: (run) => (truthOf(asks.code(run)) ? one.code(run) : other.code(run)), shape };
}

function binary(node: ASTNode, scope: Scope): Part {
  const operator = Object.hasOwn(BINARY, node.op) ? BINARY[node.op] : undefined;
  if (!operator) {
    scope.faults.push(`${sourceOf(node)} is not for conditions`);
    return { code: () => present(undefined), shape: ANY };
  }
  const [left, right] = (node.args as [ASTNode, ASTNode]).map((side) => compileExpression(side, scope)) as [Part, Part];
  const code: Code = (run) => operator(run.budget, left.code(run), right.code(run));
  const shape = binaryShape(node.op, left.shape, right.shape);
  if (!shape) scope.faults.push(`${sourceOf(node)} ${actOf(node.op, nounOf(left.shape), nounOf(right.shape))}`);
  return { code, shape: shape ?? ANY };
}

/** The shape of the result; undefined if there is none for two such values. */
function binaryShape(operator: string, left: Shape, right: Shape): Shape | undefined {
  if (isCalculation(operator)) return calculatedShape(operator, left, right);
  const isPossible = operator === 'in' ? canBe(right, ['list', 'object']) : areComparable(left, right);
  return isPossible ? TRUTH : undefined;
}

function actOf(operator: string, left: string, right: string): string {
  if (isCalculation(operator)) return `calculates with ${left} and ${right}`;
  return operator === 'in' ? `looks for ${left} in ${right}` : `compares ${left} with ${right}`;
}

type CallNode = Extract<ASTNode, { op: 'call' | 'rcall' }>;

function compileCall(node: CallNode, scope: Scope): Part {
  const isMethod = node.op === 'rcall';
  const args = isMethod ? [node.args[1], ...node.args[2]] : node.args[1];
  const parts = args.map((arg) => compileExpression(arg, scope));
  const definition = functionOf(node.args[0], isMethod ? METHODS : FUNCTIONS, parts, scope.faults);
  if (!definition) return { code: () => present(undefined), shape: ANY };
  if (isMethod && node.args[0] === 'matches') checkPattern(args[1], scope);
  return { code: (run) => definition.run(run, ...parts.map(({ code }) => code(run))), shape: definition.gives };
}

function functionOf(
  id: string,
  table: Readonly<Record<string, ExpressionFunction>>,
  parts: readonly Part[],
  faults: string[],
): ExpressionFunction | undefined {
  const definition = Object.hasOwn(table, id) ? table[id] : undefined;
  if (!definition) faults.push(`there is no function ${id} for conditions${didYouMean(id, Object.keys(table))}`);
  else if (!definition.arity.includes(parts.length)) faults.push(`${id} does not take that many values`);
  else {
    for (const [at, { shape }] of parts.entries()) {
      const kinds = at === 0 ? definition.takes : definition.others;
      if (kinds && !canBe(shape, kinds)) faults.push(`${id} takes ${nounsOf(kinds)}, not ${nounOf(shape)}`);
    }
  }
  return definition;
}

/** Ensures that a pattern is a literal, so that it is checked beforehand and cannot come from an applicant (ReDoS). */
function checkPattern(pattern: ASTNode | undefined, { faults, patterns }: Scope): void {
  if (pattern?.op !== 'value' || typeof pattern.args !== 'string') {
    faults.push('the pattern of matches must be written out as a text');
    return;
  }
  patterns.push(pattern.args);
  const fault = patternFault(pattern.args);
  if (fault) faults.push(fault);
}
