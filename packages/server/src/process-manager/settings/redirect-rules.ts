import type { TenantReads } from '../../db/db.ts';
import type { Environment } from '../../kernel/environment.ts';
import { findProcessSettings } from './settings.repository.ts';

/** The rules for addresses to which end users may be redirected, by the list of the tenant. Pure. */

/** Schemes that browsers execute or display instead of navigating, such as `javascript:`. */
const NEVER: ReadonlySet<string> = new Set([
  'javascript:',
  'vbscript:',
  'data:',
  'blob:',
  'file:',
  'filesystem:',
  'about:',
  'view-source:',
  'jar:',
  'intent:',
  'chrome:',
  'resource:',
  'ftp:',
  'ws:',
  'wss:',
  'mailto:',
  'tel:',
  'sms:',
]);
const SCHEME = /^[a-z][a-z0-9+.-]{1,49}:$/;
const HOST = /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/;
/** Browsers read a host whose last label is a number as an IP address. */
const NUMERIC = /(^|\.)(\d+|0x[0-9a-f]*)$/;
const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1']);
/** Invisible characters, spaces and backslashes, which browsers drop or change, so that two readers see two addresses. */
const AMBIGUOUS = /[\s\\\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

export type OriginResult =
  | { readonly origin: string; readonly fault?: undefined }
  | { readonly fault: string; readonly origin?: undefined };

/** The stored form of an entry of the tenant's list: an origin with its host in lower case, or the scheme of an app. */
export function normaliseOrigin(text: string): OriginResult {
  const entry = text.trim().toLowerCase();
  if (AMBIGUOUS.test(entry)) return { fault: 'must not hold spaces, backslashes or invisible characters' };
  if (SCHEME.test(entry)) {
    const isReserved = NEVER.has(entry) || entry === 'http:' || entry === 'https:';
    return isReserved ? { fault: 'must be the scheme of an app' } : { origin: entry };
  }
  const url = URL.canParse(entry) ? new URL(entry) : undefined;
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') {
    return { fault: 'must be an origin such as https://www.example.com, or the scheme of an app such as myapp:' };
  }
  if (![url.origin, `${url.origin}/`].includes(entry.replace(/:(443|80)(?=\/?$)/, (port) => standardPort(url, port)))) {
    return { fault: 'must be an origin and nothing else: no path, no query, no user, no wildcard' };
  }
  if (url.protocol === 'http:') {
    return LOOPBACK.has(url.hostname)
      ? { origin: url.origin }
      : { fault: 'must be https; http is for localhost and 127.0.0.1' };
  }
  if (!HOST.test(url.hostname) || NUMERIC.test(url.hostname)) return { fault: 'must name a host, not an IP address' };
  return { origin: url.origin };
}

function standardPort(url: URL, port: string): string {
  return port === (url.protocol === 'https:' ? ':443' : ':80') ? '' : port;
}

export type RedirectRule = {
  /** In the form of `normaliseOrigin`. */
  readonly origins: readonly string[];
  /** The origin of the server, if it is allowed too. */
  readonly ownOrigin?: string;
  readonly maxLength: number;
};

export const MAX_REDIRECT_LENGTH = 1000;
export const MAX_UI_URL_LENGTH = 500;

/**
 * Ensures that an address leads to an allowed origin (open redirect). It is parsed once, by the rules of browsers, and its
 * text must begin with the parsed origin: an address that is listed only after a correction is refused. Anything may follow
 * the origin, such as the placeholder `{PROCESS_INSTANCE_ID}`. Returns the fault.
 */
export function redirectFault(text: string, { origins, ownOrigin, maxLength }: RedirectRule): string | undefined {
  if ([...text].length > maxLength) return `must have at most ${maxLength} characters`;
  if (AMBIGUOUS.test(text)) return 'must not hold spaces, backslashes or invisible characters';
  if (!URL.canParse(text)) return 'must be an absolute address';
  const url = new URL(text);
  if (NEVER.has(url.protocol)) return 'must not be of this scheme';
  if (url.username !== '' || url.password !== '') return 'must not name a user';
  const lower = text.toLowerCase();
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    return origins.includes(url.protocol) && lower.startsWith(url.protocol) ? undefined : NOT_LISTED;
  }
  if (url.origin !== ownOrigin && !origins.includes(url.origin)) return NOT_LISTED;
  const afterOrigin = lower.startsWith(url.origin) ? lower.slice(url.origin.length) : '@';
  const port = url.protocol === 'https:' ? /^:443(?=[/?#]|$)/ : /^:80(?=[/?#]|$)/;
  return /^([/?#]|$)/.test(afterOrigin.replace(port, '')) ? undefined : 'must be written as browsers read it';
}

const NOT_LISTED = 'must begin with an origin in redirectOrigins of the settings of the tenant';

/** Whether an end user may be redirected there now: the list may have changed since the address was set. */
export async function redirectAllowed(db: TenantReads, environment: Environment, url: string): Promise<boolean> {
  const { redirectOrigins } = await findProcessSettings(db, environment);
  return redirectFault(url, { origins: redirectOrigins, maxLength: MAX_REDIRECT_LENGTH }) === undefined;
}
