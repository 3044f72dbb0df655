import { boundedMap } from '../../kernel/bounded-map.ts';

/**
 * Facets: the ids by which UAF clients name an application. These rules decide which are valid and trusted, without any
 * network access.
 */

export type PushProvider = 'APNS' | 'FCM' | 'WEB_PUSH';

const ANDROID = /^android:apk-key-hash:([A-Za-z0-9+/_-]{27})=?$/;
const ANDROID_SHA256 = /^android:apk-key-hash-sha256:([A-Za-z0-9+/_-]{43})=?$/;
const IOS = /^ios:bundle-id:([A-Za-z0-9][A-Za-z0-9.-]{0,154})$/;

/**
 * Returns the canonical spelling of a facet, or undefined if the text is not a facet. Hashes lose their padding and get
 * the standard alphabet, because clients differ in both. Web origins are spelt as browsers spell them.
 */
export function canonicalFacet(facet: string): string | undefined {
  const cached = spelt.get(facet);
  if (cached !== undefined) return cached === NONE ? undefined : cached;
  const canonical = spelling(facet);
  if (facet.length <= MAX_FACET_LENGTH) spelt.set(facet, canonical ?? NONE);
  return canonical;
}

/** A cache: every attempt compares the same few facets. */
const MAX_SPELT = 2000;
const MAX_FACET_LENGTH = 512;
const NONE = '';
const spelt = boundedMap<string, string>(MAX_SPELT);

function spelling(facet: string): string | undefined {
  const android = ANDROID.exec(facet)?.[1];
  if (android) return `android:apk-key-hash:${plainAlphabet(android)}`;
  const sha256 = ANDROID_SHA256.exec(facet)?.[1];
  if (sha256) return `android:apk-key-hash-sha256:${plainAlphabet(sha256)}`;
  if (IOS.test(facet)) return facet;
  return webOrigin(facet);
}

function plainAlphabet(hash: string): string {
  return hash.replaceAll('-', '+').replaceAll('_', '/');
}

/** Accepts an origin and nothing after it. A path would suggest that the trust is limited to that path, and it is not. */
function webOrigin(text: string): string | undefined {
  if (!/^https:\/\//i.test(text) || !URL.canParse(text)) return undefined;
  const { origin, username, password, pathname, search, hash } = new URL(text);
  const bare = !username && !password && pathname === '/' && !search && !hash && !/[?#@]/.test(text);
  return bare ? origin : undefined;
}

/** True if the relying party lists this application as trusted, or if its AppID is this application. */
export function isTrustedFacet(facetId: string, trusted: readonly string[], appId: string | undefined): boolean {
  const facet = canonicalFacet(facetId);
  if (facet === undefined) return false;
  if (trusted.some((each) => canonicalFacet(each) === facet)) return true;
  return appId !== undefined && canonicalFacet(appId) === facet;
}

/** Returns the push provider that reaches the devices of an application. */
export function providerOf(facetId: string): PushProvider {
  if (facetId.startsWith('ios:')) return 'APNS';
  return facetId.startsWith('android:') ? 'FCM' : 'WEB_PUSH';
}
