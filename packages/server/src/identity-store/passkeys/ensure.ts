import { Refusal } from '../attempts/refusal.ts';
import { Malformed } from './malformed.ts';

/** The codes that a verification can end with. */
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
 * What counts against the user's passkeys: an answer that names a passkey of the user and does not prove it. A foreign or
 * unknown passkey does not, or a stranger could lock others out; nor does an answer that cannot be read.
 */
const COUNTED_CODES: ReadonlySet<PasskeyCode> = new Set([
  353, 354, 356, 365, 372, 382, 383, 100091, 100092, 100200,
] as const);

/** Refuses with the code unless the condition holds. */
export function ensure(condition: unknown, code: PasskeyCode, detail?: string): asserts condition {
  if (!condition) throw new Refusal(code, { counts: COUNTED_CODES.has(code), detail });
}

/** Refuses with 100090 what the readers could not read. */
export function refusingMalformed<T>(readResponse: () => T): T {
  try {
    return readResponse();
  } catch (error) {
    if (!(error instanceof Malformed)) throw error;
    throw new Refusal(100090, { counts: false, detail: error.message });
  }
}
