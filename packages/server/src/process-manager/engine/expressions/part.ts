import type { ASTNode } from '@marcbachmann/cel-js';
import { type Budget, charge, STEPS_PER_ERROR } from './budget.ts';
import { ExpressionError } from './expression-error.ts';
import { canBe, nounOf, type Shape } from './shapes.ts';

/** One evaluation of an expression. */
export type Run = {
  readonly facts: Readonly<Record<string, unknown>>;
  readonly now: Date;
  readonly budget: Budget;
  /** The variables of the surrounding macros, the outermost first. */
  readonly variables: unknown[];
};

export type Code = (run: Run) => unknown;

/** A compiled part of an expression. */
export type Part = {
  readonly code: Code;
  readonly shape: Shape;
  /** Like `code`, but undefined where a member is missing. */
  readonly find?: Code;
};

/** The names that a part may use, and the faults and patterns of the expression so far. */
export type Scope = {
  readonly facts: Readonly<Record<string, Shape>>;
  readonly variables: readonly { readonly name: string; readonly shape: Shape }[];
  readonly faults: string[];
  /** The patterns of `matches`. */
  readonly patterns: string[];
};

export type Compile = (node: ASTNode, scope: Scope) => Part;

const MAX_PART_LENGTH = 200;

export function sourceOf({ input, start, end }: ASTNode): string {
  return input.slice(start, end).slice(0, MAX_PART_LENGTH);
}

/** Records a fault for a part that can never be true or false where a truth value is required. */
export function checkTruth({ shape }: Part, node: ASTNode, { faults }: Scope): void {
  if (!canBe(shape, ['truth'])) faults.push(`${sourceOf(node)} must be true or false, but it is ${nounOf(shape)}`);
}

/** A truth value, or the error in its place. An exhausted budget ends the whole expression. */
export function attempt(run: Run, code: Code): boolean | ExpressionError {
  try {
    return truthOf(code(run));
  } catch (error) {
    if (!(error instanceof ExpressionError) || error.reason === 'condition_budget') throw error;
    charge(run.budget, STEPS_PER_ERROR);
    return error;
  }
}

export function truthOf(value: unknown): boolean {
  if (typeof value === 'boolean') return value;
  throw new ExpressionError('must be true or false');
}
