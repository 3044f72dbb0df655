import type { AppkeyConfig, MatchCriteria, UafPolicy } from './match-policy.ts';

/** The requests to a UAF client: each is a JSON text with a list of one request, in the newest supported version. */
const VERSION = { major: 1, minor: 1 } as const;

type Request = { config: AppkeyConfig; challenge: string; policy: UafPolicy };

export function registrationRequest({ config, challenge, policy, username }: Request & { username: string }): string {
  return JSON.stringify([{ header: headerOf('Reg', config), challenge, username, policy }]);
}

export type Transaction = { contentType: 'text/plain' | 'image/png'; content: string };

export function authenticationRequest(
  { config, challenge, policy }: Request,
  transaction: Transaction | undefined,
): string {
  const transactions = transaction && { transaction: [transaction] };
  return JSON.stringify([{ header: headerOf('Auth', config), challenge, ...transactions, policy }]);
}

function headerOf(op: 'Reg' | 'Auth', { appId }: AppkeyConfig) {
  return { upv: VERSION, op, ...(appId !== undefined && { appID: appId }) };
}

/**
 * Narrows the policy to the keys that the user has, so that the client offers no authenticator that cannot succeed. The
 * standard pairs a key id with its model (AAID).
 */
export function narrowPolicy(policy: UafPolicy, keys: readonly { aaid: string; key_id: string }[]): UafPolicy {
  const byModel = Map.groupBy(keys, ({ aaid }) => aaid);
  const accepted = [...byModel].map(([aaid, those]): MatchCriteria[] => [
    { aaid: [aaid], keyIDs: those.map(({ key_id }) => key_id) },
  ]);
  return { accepted, ...(policy.disallowed && { disallowed: policy.disallowed }) };
}

/** Excludes registered keys, so that none is registered twice. */
export function without(policy: UafPolicy, keys: readonly { aaid: string; key_id: string }[]): UafPolicy {
  const registeredKeys = keys.map(({ aaid, key_id }): MatchCriteria => ({ aaid: [aaid], keyIDs: [key_id] }));
  return { ...policy, disallowed: [...(policy.disallowed ?? []), ...registeredKeys] };
}
