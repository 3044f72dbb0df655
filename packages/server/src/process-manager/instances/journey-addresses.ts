import type { Environment } from '../../kernel/environment.ts';

/**
 * The addresses that lead an end user into a journey. The code is in the fragment, which browsers send to no server, so that
 * it is in no log of a proxy. See docs/decisions/2026-11-16-start-codes.md.
 */

/** An address of the server itself, because a caller that follows a redirect may send its bearer token along. */
export function startAddress(baseUrl: string, instanceId: string, code: string): string {
  return withCode(`${baseUrl}/api/process-server/startProcess`, instanceId, code);
}

/** The page that runs the journey: that of the token, or Grove's own. */
export function redirectAddress(uiUrl: string | null, baseUrl: string, instanceId: string, code: string): string {
  return withCode(uiUrl || `${baseUrl}/web/`, instanceId, code);
}

/** Adds the code to a page, whose own query and fragment stay. */
function withCode(page: string, instanceId: string, code: string): string {
  const at = page.indexOf('#');
  const [address, fragment] = at < 0 ? [page, '#'] : [page.slice(0, at), `${page.slice(at)}&`];
  return `${address}${address.includes('?') ? '&' : '?'}pi=${instanceId}${fragment}c=${encodeURIComponent(code)}`;
}

export function themeAddress(baseUrl: string, environment: Environment, theme: string): string {
  const address = `${baseUrl}/api/theme-server/themes/${encodeURIComponent(theme)}`;
  return environment === 'test' ? `${address}?environment=test` : address;
}
