import { checkOrigin, type Places } from './check-origin.ts';
import { ensure } from './ensure.ts';
import type { ClientData } from './read-client-data.ts';

/** The values with which the client data is compared. */
export type ExpectedData = Places & { readonly challenge: string };

/**
 * WebAuthn 7.1 steps 7 to 11, and 7.2 steps 11 to 14: ensures that the client data is of this ceremony and of an
 * allowed page.
 */
export function checkClientData(
  client: ClientData,
  type: `webauthn.${'create' | 'get'}`,
  expected: ExpectedData,
): void {
  ensure(type === 'webauthn.create' || client.type !== 'webauthn.create', 352);
  ensure(client.type === type, 100090, 'the client data is of another ceremony');
  ensure(client.challenge === expected.challenge, 353);
  checkOrigin(client.origin, expected);
  checkFrame(client, expected);
  checkTokenBinding(client.tokenBinding);
}

/** Inside a frame of another origin, ensures that the top-level page may embed the ceremony (clickjacking). */
function checkFrame({ crossOrigin, topOrigin }: ClientData, { topOrigins, unnamedTopOriginAllowed }: Places): void {
  if (!crossOrigin) {
    ensure(topOrigin === undefined, 100090, 'the client data has a topOrigin without crossOrigin');
    return;
  }
  if (topOrigin === undefined)
    ensure(unnamedTopOriginAllowed, 100200, 'the browser did not name the page around the frame');
  else ensure(topOrigins.includes(topOrigin), 100200, 'the page around the frame is not in topOrigins');
}

/**
 * WebAuthn Level 3 removed token binding, and our connections never have it. If the client data says that it was used,
 * the client talked to another server.
 */
function checkTokenBinding(tokenBinding: unknown): void {
  if (tokenBinding === undefined || tokenBinding === null) return;
  const { status } = tokenBinding as { status?: unknown };
  ensure(status === 'supported' || status === 'not-supported', 356);
}
