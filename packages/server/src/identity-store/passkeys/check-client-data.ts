import { checkOrigin, type Places } from './check-origin.ts';
import { ensure } from './ensure.ts';
import type { ClientData } from './read-client-data.ts';

/** What the client data is compared with. */
export type Expected = Places & { readonly challenge: string };

/** WebAuthn 7.1 steps 7 to 11, and 7.2 steps 11 to 14: the browser speaks of this ceremony, on a page of ours. */
export function checkClientData(client: ClientData, type: `webauthn.${'create' | 'get'}`, expected: Expected): void {
  ensure(type === 'webauthn.create' || client.type !== 'webauthn.create', 352);
  ensure(client.type === type, 100090, 'the client data is of another ceremony');
  ensure(client.challenge === expected.challenge, 353);
  checkOrigin(client.origin, expected);
  checkFrame(client, expected);
  checkTokenBinding(client.tokenBinding);
}

/** In a frame of another origin only where the page around it is one that may show it. */
function checkFrame({ crossOrigin, topOrigin }: ClientData, { topOrigins, unnamedTopOriginAllowed }: Places): void {
  if (!crossOrigin) {
    ensure(topOrigin === undefined, 100090, 'the client data has a topOrigin without crossOrigin');
    return;
  }
  if (topOrigin === undefined)
    ensure(unnamedTopOriginAllowed, 100200, 'the browser did not say which page is around it');
  else ensure(topOrigins.includes(topOrigin), 100200, 'the page around it is not in topOrigins');
}

/**
 * Level 3 has no token binding any more, and no connection of ours ever has one: whoever says that it was used means
 * another connection.
 */
function checkTokenBinding(tokenBinding: unknown): void {
  if (tokenBinding === undefined || tokenBinding === null) return;
  const { status } = tokenBinding as { status?: unknown };
  ensure(status === 'supported' || status === 'not-supported', 356);
}
