import type { api, Body } from '@grove/contract';
import { fromDuration, toDtm } from '../../kernel/clock.ts';
import { type FieldFault, invalidInput } from '../../kernel/errors.ts';
import { momentOf } from '../../kernel/moment-of.ts';
import type { TokenRow } from './process-tokens.repository.ts';

/** The rules of a process token, as pure functions. */

export const DEFAULT_PROCESS_DURATION = 'PT48H';

export type TokenLimits = Pick<TokenRow, 'type' | 'not_before_at' | 'not_after_at' | 'max_count'>;

type LimitsInput = Partial<
  Pick<Body<typeof api.processTokens.create>, 'type' | 'maxCount' | 'notBeforeDtm' | 'notAfterDtm'>
>;

/** The number and time of uses. The interval is half open: at `notAfterDtm` it is over. */
export function limitsOf(input: LimitsInput): TokenLimits {
  const { type = 'UNLIMITED' } = input;
  const not_before_at = momentOf(input.notBeforeDtm, '/notBeforeDtm');
  const not_after_at = momentOf(input.notAfterDtm, '/notAfterDtm');
  // Clients whose numbers cannot be absent write 0 where the type has no count.
  const hasNoCount = type !== 'MULTI_USE_COUNT_LIMITED' && Number(input.maxCount) === 0;
  const max_count = hasNoCount ? null : wholeOf(input.maxCount, '/maxCount');
  const fault = limitFault({ type, not_before_at, not_after_at, max_count });
  if (fault) throw invalidInput(fault);
  return { type, not_before_at, not_after_at, max_count };
}

function limitFault({ type, not_before_at, not_after_at, max_count }: TokenLimits): FieldFault | undefined {
  if (type === 'MULTI_USE_COUNT_LIMITED' && max_count === null) {
    return { pointer: '/maxCount', message: 'is required for a token of type MULTI_USE_COUNT_LIMITED' };
  }
  if (type === 'MULTI_USE_TIME_LIMITED' && not_after_at === null) {
    return { pointer: '/notAfterDtm', message: 'is required for a token of type MULTI_USE_TIME_LIMITED' };
  }
  if (not_before_at !== null && not_after_at !== null && not_before_at >= not_after_at) {
    return { pointer: '/notAfterDtm', message: `must be after notBeforeDtm, which is ${toDtm(not_before_at)}` };
  }
  return undefined;
}

type Uses = Pick<TokenRow, 'type' | 'max_count' | 'counter'>;

/** Whether its last use was taken. The specification limits the uses by the type of a token. */
export function isUsedUp({ type, max_count, counter }: Uses): boolean {
  return type !== 'UNLIMITED' && max_count !== null && counter >= max_count;
}

const MAX_INT32 = 2 ** 31 - 1;

/** Some clients send numbers as text; the schema ensures that these are digits. */
export function wholeOf(value: number | string | undefined, pointer: string): number | null {
  if (value === undefined) return null;
  const number = Number(value);
  if (!Number.isInteger(number) || number < 1 || number > MAX_INT32) {
    throw invalidInput({ pointer, message: `must be a whole number from 1 to ${MAX_INT32}` });
  }
  return number;
}

export function durationOf(duration: string | undefined): string {
  if (duration === undefined) return DEFAULT_PROCESS_DURATION;
  if (fromDuration(duration) <= 0) {
    throw invalidInput({ pointer: '/maxProcessDuration', message: 'must be greater than zero' });
  }
  return duration;
}
