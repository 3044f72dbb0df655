import { ensure } from './ensure.ts';

/** The pages and apps in which the ceremonies of a relying party may happen. */
export type Places = {
  readonly rpId: string;
  /** If not empty, only these origins are accepted. */
  readonly restrictedOrigins: readonly string[];
  /** Origins outside the domain, which the relying party lists at `/.well-known/webauthn` (WebAuthn 5.11). */
  readonly relatedOrigins: readonly string[];
  /** Top-level pages that may embed the ceremony in a frame. */
  readonly topOrigins: readonly string[];
  /** Whether a browser may omit the origin of the top-level page. */
  readonly unnamedTopOriginAllowed?: boolean;
};

/** WebAuthn 13.4.9: the origin must be one that the relying party expects. */
export function checkOrigin(origin: string, places: Places): void {
  const { rpId, restrictedOrigins, relatedOrigins } = places;
  // An app, for example on Android, has no domain to compare, so it must be in the list.
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

/** The origin of an Android app is the hash of its signing certificate. */
export function isAppOrigin(origin: string): boolean {
  return /^android:apk-key-hash(-sha256)?:[A-Za-z0-9_-]{27,86}$/.test(origin);
}

/**
 * Whether the text is an origin in canonical form: scheme, host in lower case, a port unless it is the default, nothing
 * else.
 */
export function isWebOrigin(origin: string): boolean {
  if (!URL.canParse(origin)) return false;
  const url = new URL(origin);
  // The URL parser accepts an empty label; a host name has none.
  const whole = !url.hostname.split('.').includes('');
  return (url.protocol === 'https:' || url.protocol === 'http:') && url.origin === origin && whole;
}

/** Every login checks the origin, so a pattern of the canonical form is used instead of the slower URL parser. */
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

/** Names under `localhost` never leave the machine (RFC 6761). Browsers accept them without TLS, and so does Grove. */
export function isLocalRpId(rpId: string): boolean {
  return rpId === 'localhost' || rpId.endsWith('.localhost');
}

export function isLocalOrigin(origin: string, rpId: string): boolean {
  return isLocalRpId(rpId) && origin.startsWith('http://') && fitsRelyingParty(origin, rpId);
}
