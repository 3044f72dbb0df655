import type { Environment } from '../../kernel/environment.ts';

/** The addresses that lead an end user into a journey. */

/** Always at the server itself: a caller that follows a redirect may send its bearer token along. */
export function startAddress(baseUrl: string, instanceId: string, code: string): string {
  return `${baseUrl}/api/process-server/startProcess?pi=${instanceId}&c=${encodeURIComponent(code)}`;
}

/** The page that runs the journey, told where the instance is. */
export function redirectAddress(uiUrl: string | null, baseUrl: string, instanceId: string, code: string): string {
  const page = uiUrl || `${baseUrl}/web/`;
  const [address = '', fragment] = page.split('#', 2);
  const start = encodeURIComponent(startAddress(baseUrl, instanceId, code));
  const joined = `${address}${address.includes('?') ? '&' : '?'}ps=${start}`;
  return fragment === undefined ? joined : `${joined}#${fragment}`;
}

export function themeAddress(baseUrl: string, environment: Environment, theme: string): string {
  const address = `${baseUrl}/api/theme-server/themes/${encodeURIComponent(theme)}`;
  return environment === 'test' ? `${address}?environment=test` : address;
}
