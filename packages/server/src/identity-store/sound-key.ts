/**
 * Detects weak public keys. They are well formed, but anybody can make signatures for them. An honest authenticator
 * never creates one; a hostile one could register one for a user.
 */

/** With the exponent 1 a signature equals its message. With an even exponent there is no private key. */
export function isSoundExponent(exponent: bigint): boolean {
  return exponent >= 3n && exponent % 2n === 1n;
}

/** The prime of the field and the constant d of edwards25519 (RFC 8032, 5.1). */
const P = 2n ** 255n - 19n;
const D = 37095705934669439343138083508754565189542113879843219016388785533085940283555n;
const Y_MASK = 2n ** 255n - 1n;

/**
 * The y coordinates of the points whose order divides 8: 1, -1, 0 (two points), and two values for the four points of
 * order 8. Each has one encoding only, because a coordinate of P or more is refused.
 */
const SMALL_ORDER = new Set([
  0n,
  1n,
  P - 1n,
  2707385501144840649318225287225658788936804267575313519463743609750303402022n,
  P - 2707385501144840649318225287225658788936804267575313519463743609750303402022n,
]);

/** Whether the 32 bytes are a point on the curve, in canonical encoding, and not of small order. */
export function isSoundEd25519(bytes: Buffer): boolean {
  const y = BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`) & Y_MASK;
  if (y >= P || SMALL_ORDER.has(y)) return false;
  // On the curve x² = u / v with u = y² - 1 and v = d·y² + 1. So u·v must be a square.
  const square = (y * y) % P;
  return power(((square - 1n) * (D * square + 1n)) % P, (P - 1n) / 2n) === 1n;
}

function power(base: bigint, exponent: bigint): bigint {
  let result = 1n;
  for (let rest = exponent, factor = base; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = (result * factor) % P;
    factor = (factor * factor) % P;
  }
  return result;
}
