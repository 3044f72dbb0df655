import type { api, Body } from '@grove/contract';
import { Refusal } from '../attempts/refusal.ts';
import type { ClientCredential } from './verify-authentication.ts';

export type Completion = Body<typeof api.passkeys.authenticate>;

/**
 * Returns the credential of the client, or refuses with the reason why there is none. Browsers report `NotAllowedError`
 * both if the user declines and if the time runs out, so that a page cannot tell the two apart. It is treated as a
 * decline.
 */
export function readCompletion({ credential, error, sessionData }: Completion): ClientCredential {
  if (sessionData !== undefined) throw new Refusal(388, { counts: false });
  if (credential && error)
    throw new Refusal(100090, { counts: false, detail: 'it holds both a credential and an error' });
  if (credential) return readable(credential);
  if (!error) throw new Refusal(395, { counts: false });
  if (error.name === 'NotAllowedError' || error.name === 'AbortError') throw new Refusal(398, { counts: false });
  if (error.name === 'TimeoutError') throw new Refusal(403, { counts: false });
  throw new Refusal(397, { counts: false });
}

/** The schema of the API ensures this, but the result of a journey step has no such schema. */
function readable(credential: ClientCredential): ClientCredential {
  const { response } = credential as { response: unknown };
  if (typeof response === 'object' && response !== null) return credential;
  throw new Refusal(100090, { counts: false, detail: 'the credential has no response' });
}
