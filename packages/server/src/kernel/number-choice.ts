import { randomInt } from 'node:crypto';

/**
 * Numbers that two devices show for their holder to compare. The wrong numbers and the order are random: if they were
 * derived from the code of the offer, an attacker with that code could find out which number is right.
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
