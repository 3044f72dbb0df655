import { ensure } from './ensure.ts';

/** Where the ceremonies of a relying party may happen. */
export type Places = {
  readonly rpId: string;
  /** The only origins taken, where any is given. */
  readonly restrictedOrigins: readonly string[];
  /** Origins outside of the domain that the relying party names at `/.well-known/webauthn` (WebAuthn 5.11). */
  readonly relatedOrigins: readonly string[];
  /** Pages that may show the ceremony in a frame. */
  readonly topOrigins: readonly string[];
  /** Whether a browser may leave out which page is around the frame. */
  readonly unnamedTopOriginAllowed?: boolean;
};

/** WebAuthn 13.4.9: the origin must be one that the relying party expects. */
export function checkOrigin(origin: string, places: Places): void {
  const { rpId, restrictedOrigins, relatedOrigins } = places;
  // What is no web page, such as an Android app, has no domain to compare: only a list can tell.
  if (isAppOrigin(origin)) {
    ensure(restrictedOrigins.includes(origin), 354);
    return;
  }
  ensure(origin.startsWith('https://') || isLocalOrigin(origin, rpId), 382);
  const fits = fitsRelyingParty(origin, rpId) || relatedOrigins.includes(origin);
  ensure(fits, 383, fits || ORIGIN.test(origin) ? undefined : 'it is not written as a browser writes an origin');
  const restricted = restrictedOrigins.length > 0 && !relatedOrigins.includes(origin);
  ensure(!restricted || restrictedOrigins.includes(origin), 354);
}

/** The origin of an Android app: the hash of the certificate that signed it. */
export function isAppOrigin(origin: string): boolean {
  return /^android:apk-key-hash(-sha256)?:[A-Za-z0-9_-]{27,86}$/.test(origin);
}

/** An origin in its one spelling: scheme, host in lower case, a port where it is not the usual one, and nothing else. */
export function isWebOrigin(origin: string): boolean {
  if (!URL.canParse(origin)) return false;
  const url = new URL(origin);
  // A URL parser takes an empty label, which no name has.
  const whole = !url.hostname.split('.').includes('');
  return (url.protocol === 'https:' || url.protocol === 'http:') && url.origin === origin && whole;
}

/** What every login asks, so by a pattern that knows the one spelling of an origin, and not by taking it apart. */
const ORIGIN = /^(https?):\/\/((?:[a-z0-9_-]{1,63}\.)*[a-z0-9_-]{1,63})(?::([1-9][0-9]{0,4}))?$/;
const USUAL_PORT: Readonly<Record<string, string>> = { http: '80', https: '443' };
const MAX_PORT = 65_535;
const MAX_HOST_LENGTH = 253;

export function fitsRelyingParty(origin: string, rpId: string): boolean {
  const [, scheme = '', host = '', port] = ORIGIN.exec(origin) ?? [];
  if (port !== undefined && (port === USUAL_PORT[scheme] || Number(port) > MAX_PORT)) return false;
  if (host.length > MAX_HOST_LENGTH) return false;
  return host === rpId || host.endsWith(`.${rpId}`);
}

/** No name under `localhost` leaves the machine (RFC 6761), so browsers take it without TLS, and so do we. */
export function isLocalRpId(rpId: string): boolean {
  return rpId === 'localhost' || rpId.endsWith('.localhost');
}

export function isLocalOrigin(origin: string, rpId: string): boolean {
  return isLocalRpId(rpId) && origin.startsWith('http://') && fitsRelyingParty(origin, rpId);
}
