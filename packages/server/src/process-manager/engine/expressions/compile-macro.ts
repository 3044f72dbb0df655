import type { ASTNode } from '@marcbachmann/cel-js';
import { charge } from './budget.ts';
import { ExpressionError } from './expression-error.ts';
import { attempt, type Code, type Compile, checkTruth, type Part, type Run, type Scope, truthOf } from './part.ts';
import { ANY, elementShape, listOf, type Shape, TRUTH } from './shapes.ts';
import { elementsOf } from './values.ts';

/** Macros receive parts of the expression instead of their values: `has`, `cel.bind`, and the comprehensions. */
type Call = Extract<ASTNode, { op: 'call' | 'rcall' }>;

const COMPREHENSIONS: readonly string[] = ['all', 'exists', 'exists_one', 'map', 'filter'];

export function isMacro(node: Call): boolean {
  if (node.op === 'call') return node.args[0] === 'has';
  return COMPREHENSIONS.includes(node.args[0]) || isBind(node);
}

function isBind(node: Call): boolean {
  return node.op === 'rcall' && node.args[0] === 'bind' && node.args[1].op === 'id' && node.args[1].args === 'cel';
}

export function compileMacro(node: Call, scope: Scope, compile: Compile): Part {
  if (node.op === 'call') return has(node.args[1], scope, compile);
  const [name, receiver, args] = node.args;
  const [variable, ...rest] = args;
  if (variable?.op !== 'id' || rest.length === 0 || rest.length > 2) {
    scope.faults.push(`${name} needs the name of a variable and what is done with it`);
    return { code: () => false, shape: ANY };
  }
  if (isBind(node)) return bind(variable.args, rest, scope, compile);
  const through = compile(receiver, scope);
  const inner = withVariable(scope, variable.args, elementShape(through.shape));
  const parts = rest.map((each) => compile(each, inner));
  const [predicate] = parts;
  // If `map` has two parts, the first is a filter.
  if (predicate && (name !== 'map' || parts.length > 1)) checkTruth(predicate, rest[0] as ASTNode, scope);
  return comprehension(name, { through, parts, at: scope.variables.length });
}

function withVariable(scope: Scope, name: string, shape: Shape): Scope {
  return { ...scope, variables: [...scope.variables, { name, shape }] };
}

/** Whether a member exists. It does not if its parent is missing. */
function has([argument]: readonly ASTNode[], scope: Scope, compile: Compile): Part {
  const part = argument?.op === '.' ? compile(argument, scope) : undefined;
  const find = part?.find;
  if (!find) scope.faults.push('has needs a member, such as has(params.country)');
  return { code: (run) => find?.(run) !== undefined, shape: TRUTH };
}

function bind(name: string, [value, body]: readonly ASTNode[], scope: Scope, compile: Compile): Part {
  const bound = compile(value as ASTNode, scope);
  if (!body) {
    scope.faults.push('cel.bind needs a name, a value and what is done with it');
    return bound;
  }
  const { code, shape } = compile(body, withVariable(scope, name, bound.shape));
  const at = scope.variables.length;
  return { code: (run) => code(holding(run, at, bound.code(run))), shape };
}

function holding(run: Run, at: number, value: unknown): Run {
  run.variables[at] = value;
  return run;
}

type Loop = { readonly through: Part; readonly parts: readonly Part[]; readonly at: number };

function comprehension(name: string, { through, parts, at }: Loop): Part {
  const [first, second] = parts as [Part, Part?];
  const each = <T>(run: Run, visit: (element: unknown) => T | undefined): T | undefined => {
    for (const element of elementsOf(run.budget, through.code(run))) {
      charge(run.budget, 1);
      const result = visit(holding(run, at, element).variables[at]);
      if (result !== undefined) return result;
    }
    return undefined;
  };
  switch (name) {
    case 'all':
      return { code: quantifier(each, first.code, false), shape: TRUTH };
    case 'exists':
      return { code: quantifier(each, first.code, true), shape: TRUTH };
    case 'exists_one':
      return { code: (run) => gather(run, each, first.code).length === 1, shape: TRUTH };
    case 'filter':
      return {
        code: (run) => gather(run, each, first.code),
        shape: through.shape.kind === 'list' ? through.shape : ANY,
      };
    default: {
      const [filter, transform] = second ? [first, second] : [undefined, first];
      return { code: (run) => gather(run, each, filter?.code, transform.code), shape: listOf(transform.shape) };
    }
  }
}

type Each = <T>(run: Run, visit: (element: unknown) => T | undefined) => T | undefined;

/** The first decisive element gives the result; an element without a value matters only if no element is decisive. */
function quantifier(each: Each, predicate: Code, decides: boolean): Code {
  return (run) => {
    let firstError: ExpressionError | undefined;
    const decided = each(run, () => {
      const answer = attempt(run, predicate);
      if (answer instanceof ExpressionError) firstError ??= answer;
      return answer === decides ? true : undefined;
    });
    if (decided) return decides;
    if (firstError) throw firstError;
    return !decides;
  };
}

function gather(run: Run, each: Each, predicate?: Code, transform?: Code): unknown[] {
  const elements: unknown[] = [];
  each(run, (element) => {
    if (!predicate || truthOf(predicate(run))) elements.push(transform ? transform(run) : element);
    return undefined;
  });
  return elements;
}
