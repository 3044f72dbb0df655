import { randomInt } from 'node:crypto';

/**
 * Numbers that two devices show for their holder to compare. What stands beside the right one, and in which order, is
 * random: whoever holds the code of the offer could work out anything that was derived from it.
 */
const LEAST = 10;
const MOST = 99;
const CHOICES = 3;

export function newNumber(): number {
  return randomInt(LEAST, MOST + 1);
}

export function numbersFor(right: number): number[] {
  const numbers = new Set([right]);
  while (numbers.size < CHOICES) numbers.add(newNumber());
  const others = [...numbers].slice(1);
  others.splice(randomInt(CHOICES), 0, right);
  return others;
}
