import type { ASTNode } from '@marcbachmann/cel-js';
import { didYouMean } from '../../../kernel/closest.ts';
import { charge } from './budget.ts';
import { compileMacro, isMacro } from './compile-macro.ts';
import { ExpressionError } from './expression-error.ts';
import { type ExpressionFunction, FUNCTIONS, METHODS } from './functions.ts';
import { BINARY, negate, not } from './operators.ts';
import { attempt, type Code, type Part, type Scope, truthOf } from './part.ts';
import { patternFault } from './patterns.ts';
import { ANY, areComparable, listOf, memberShape, NUMBER, nounOf, type Shape, TEXT, TRUTH } from './shapes.ts';
import { memberOf } from './values.ts';

/**
 * Makes functions of the parts of an expression. The library reads the text and checks the types; it is evaluated here,
 * because every step has to be counted. The same pass finds names that cannot be there.
 */
export function compileExpression(node: ASTNode, scope: Scope): Part {
  const { code, find, shape } = compileNode(node, scope);
  return { code: chargeStep(node, code), shape, ...(find && { find: chargeStep(node, find) }) };
}

/** The first error inside out says which part has no value. */
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

const MAX_PART_LENGTH = 200;

export function sourceOf({ input, start, end }: ASTNode): string {
  return input.slice(start, end).slice(0, MAX_PART_LENGTH);
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
      const { code } = compileExpression(node.args, scope);
      return { code: (run) => not(code(run)), shape: TRUTH };
    }
    case '-_': {
      const { code } = compileExpression(node.args, scope);
      return { code: (run) => negate(code(run)), shape: NUMBER };
    }
    case 'call':
    case 'rcall':
      return isMacro(node) ? compileMacro(node, scope, compileExpression) : called(node, scope);
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
  const shape = typeof memberName === 'string' ? memberShape(object.shape, memberName) : ANY;
  if (!shape) scope.faults.push(memberFault(object.shape, memberName as string, node));
  const find: Code = (run) => {
    const of = (object.find ?? object.code)(run);
    return of === undefined ? undefined : memberOf(of, memberName);
  };
  const code: Code = (run) => present(memberOf(object.code(run), memberName));
  return { code, find, shape: shape ?? ANY };
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
  const shape = object.shape.kind === 'list' ? object.shape.of : ANY;
  return { code: (run) => present(memberOf(object.code(run), key.code(run))), shape };
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
  const [one, other] = [compileExpression(yes, scope), compileExpression(no, scope)];
  const shape = one.shape.kind === other.shape.kind ? one.shape : ANY;
  return { code: (run) => (truthOf(asks.code(run)) ? one.code(run) : other.code(run)), shape };
}

const COMPARISONS: readonly string[] = ['==', '!=', '<', '<=', '>', '>='];
/** Comparisons and `in`. */
const ASKING: readonly string[] = [...COMPARISONS, 'in'];

function binary(node: ASTNode, scope: Scope): Part {
  const operator = Object.hasOwn(BINARY, node.op) ? BINARY[node.op] : undefined;
  if (!operator) {
    scope.faults.push(`${sourceOf(node)} is not for conditions`);
    return { code: () => present(undefined), shape: ANY };
  }
  const [left, right] = (node.args as [ASTNode, ASTNode]).map((side) => compileExpression(side, scope)) as [Part, Part];
  if (COMPARISONS.includes(node.op) && !areComparable(left.shape, right.shape)) {
    scope.faults.push(`${sourceOf(node)} compares ${nounOf(left.shape)} with ${nounOf(right.shape)}`);
  }
  const code: Code = (run) => operator(run.budget, left.code(run), right.code(run));
  return { code, shape: ASKING.includes(node.op) ? TRUTH : ANY };
}

type CallNode = Extract<ASTNode, { op: 'call' | 'rcall' }>;

function called(node: CallNode, scope: Scope): Part {
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
  const [first] = parts;
  if (!definition) faults.push(`there is no function ${id} for conditions${didYouMean(id, Object.keys(table))}`);
  else if (!definition.arity.includes(parts.length)) faults.push(`${id} does not take that many values`);
  else if (first && definition.takes && !areComparable(first.shape, { kind: definition.takes })) {
    faults.push(`${id} takes ${nounOf({ kind: definition.takes })}, not ${nounOf(first.shape)}`);
  }
  return definition;
}

/** Written out, it can be looked at before anybody runs it, and no applicant can send one. */
function checkPattern(pattern: ASTNode | undefined, { faults, patterns }: Scope): void {
  if (pattern?.op !== 'value' || typeof pattern.args !== 'string') {
    faults.push('the pattern of matches must be written out as a text');
    return;
  }
  patterns.push(pattern.args);
  const fault = patternFault(pattern.args);
  if (fault) faults.push(fault);
}
