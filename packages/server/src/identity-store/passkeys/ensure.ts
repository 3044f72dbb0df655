import { Refusal } from '../attempts/refusal.ts';
import { Malformed } from './malformed.ts';

/** The codes with which a verification can refuse. */
export type PasskeyCode =
  | 348
  | 352
  | 353
  | 354
  | 356
  | 362
  | 363
  | 364
  | 365
  | 372
  | 382
  | 383
  | 100090
  | 100091
  | 100092
  | 100093
  | 100200;

/**
 * The codes that count as a failed attempt: the answer names a passkey of the user but does not prove it. A foreign or
 * unknown passkey does not count, or an attacker could lock other users. An unreadable answer does not count either.
 */
const COUNTED_CODES: ReadonlySet<PasskeyCode> = new Set([
  353, 354, 356, 365, 372, 382, 383, 100091, 100092, 100200,
] as const);

/** Refuses with the code unless the condition holds. */
export function ensure(condition: unknown, code: PasskeyCode, detail?: string): asserts condition {
  if (!condition) throw new Refusal(code, { counts: COUNTED_CODES.has(code), detail });
}

/** Refuses with 100090 if the response is malformed. */
export function refusingMalformed<T>(readResponse: () => T): T {
  try {
    return readResponse();
  } catch (error) {
    if (!(error instanceof Malformed)) throw error;
    throw new Refusal(100090, { counts: false, detail: error.message });
  }
}
