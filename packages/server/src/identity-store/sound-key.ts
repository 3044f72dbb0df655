/**
 * Public keys that are well formed and yet worth nothing: anybody can make signatures of them. An honest authenticator
 * never makes one, a hostile one could have a user register it.
 */

/** With the exponent 1 a signature is its own message, and with an even one there is no private key. */
export function isSoundExponent(exponent: bigint): boolean {
  return exponent >= 3n && exponent % 2n === 1n;
}

/** The field and the constant of edwards25519 (RFC 8032, 5.1). */
const P = 2n ** 255n - 19n;
const D = 37095705934669439343138083508754565189542113879843219016388785533085940283555n;
const Y_MASK = 2n ** 255n - 1n;

/**
 * The y coordinates of the points whose order divides 8: 1 and -1, 0 twice, and the four points of order 8, which share
 * two. Each is in one spelling, because a coordinate that is not below P is refused.
 */
const SMALL_ORDER = new Set([
  0n,
  1n,
  P - 1n,
  2707385501144840649318225287225658788936804267575313519463743609750303402022n,
  P - 2707385501144840649318225287225658788936804267575313519463743609750303402022n,
]);

/** Whether the 32 bytes are a point of the curve, in its one spelling, and not one of the few with a small order. */
export function isSoundEd25519(bytes: Buffer): boolean {
  const y = BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`) & Y_MASK;
  if (y >= P || SMALL_ORDER.has(y)) return false;
  // On the curve x² = (y² - 1) / (d·y² + 1), so u·v must be a square where that is u / v.
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
