import { ExpressionError } from './expression-error.ts';

/**
 * Limits the cost of conditions. Every evaluated part, every visited element and every few characters that are read or made
 * take steps from the budget. All conditions that are evaluated together share one budget, so that a hundred expensive
 * conditions cost no more than one. A step takes about a tenth of a microsecond.
 */
export type Budget = { remaining: number };

export const MAX_EVALUATION_STEPS = 100_000;

/** Texts are copied and compared many characters at a time. */
const CHARACTERS_PER_STEP = 16;

/** An error captures a stack, which is much slower than anything else an expression does. */
export const STEPS_PER_ERROR = 300;

export function newBudget(steps: number = MAX_EVALUATION_STEPS): Budget {
  return { remaining: steps };
}

/** Throws when the budget is used up, and at every call after that. */
export function charge(budget: Budget, steps: number): void {
  budget.remaining -= steps;
  if (budget.remaining < 0) {
    throw new ExpressionError('takes more steps than a condition may', undefined, 'condition_budget');
  }
}

export function chargeText(budget: Budget, length: number): void {
  charge(budget, 1 + length / CHARACTERS_PER_STEP);
}
