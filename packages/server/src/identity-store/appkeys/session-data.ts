import type { api, Body } from '@grove/contract';
import type { TenantTx } from '../../db/db.ts';
import { MINUTE } from '../../kernel/clock.ts';
import { ApiError } from '../../kernel/errors.ts';
import { Refusal } from '../attempts/refusal.ts';
import { challengeHash, judgeChallenge } from '../ceremonies/challenge-rules.ts';
import { useChallenge } from '../ceremonies/used-challenges.repository.ts';
import type { UafPolicy } from './uaf/match-policy.ts';
import type { Transaction } from './uaf/write-request.ts';

/** The values that a client's answer must contain, from a session of ours or of the caller. */

export const SESSION_LIFE_MS = 5 * MINUTE;

/** The data that our session stores. The policy is a copy from the start of the session. */
export type SessionMemory = { challenge: string; policy: UafPolicy; transaction?: Transaction };

type GivenData = Body<typeof api.appkeys.authenticate>['sessionData'];

export type CallersSession = {
  challenge: string;
  rpId: string;
  policy: UafPolicy;
  authPolicyName?: string | undefined;
  username?: string | undefined;
  transaction?: Transaction | undefined;
};

const refusal = (code: 1009 | 1011 | 1012 | 1055 | 1056 | 1090) => new Refusal(code, { counts: false });

/** Refuses each missing member with a code of its own; an empty member counts as missing. */
export function readSessionData(data: GivenData, use: 'registration' | 'authentication'): CallersSession {
  if (!data) throw refusal(1009);
  const { challenge, rpId, policy, authPolicyName, username, transaction } = data;
  if (!challenge) throw refusal(1011);
  if (!rpId) throw refusal(1012);
  if (!policy) throw refusal(1055);
  if (use === 'authentication' && !authPolicyName) throw refusal(1056);
  return { challenge, rpId, policy, authPolicyName, username: username || undefined, transaction };
}

/**
 * Spends the challenge of a caller. A challenge is valid once, and only within its window if it contains its time. It
 * stays spent if the attempt is refused later.
 */
export async function spendChallenge(
  tx: TenantTx,
  use: { kind: 'REGISTRATION' | 'AUTHENTICATION'; storeId: string; rpId: string; challenge: string; now: number },
): Promise<void> {
  const { kind, storeId, rpId, challenge, now } = use;
  const judgement = judgeChallenge(challenge, now);
  if (!judgement.fresh) throw refusal(1090);
  const hash = challengeHash(kind, rpId, challenge);
  if (await useChallenge(tx, { store_id: storeId, challenge_hash: hash, expires_at: judgement.rememberUntil })) return;
  throw judgement.timed ? refusal(1090) : new ApiError(100035);
}
