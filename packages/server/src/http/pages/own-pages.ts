import type { FastifyRequest } from 'fastify';
import { ApiError } from '../../kernel/errors.ts';

/**
 * A request that changes something with a cookie must come from our own pages. Browsers say where a page comes from in
 * headers that no page can write; whoever sends none of them is no browser, and has no cookie that was not its own.
 */
export function ensureOwnPage({ headers }: FastifyRequest, scheme: 'http' | 'https'): void {
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && site !== 'none') throw new ApiError(100067);
  const { origin, host } = headers;
  if (origin === undefined) return;
  const own = URL.parse(`${scheme}://${host}`)?.origin;
  if (own !== undefined && URL.parse(origin)?.origin === own) return;
  throw new ApiError(100067, { detail: `the request has the origin of another page; GROVE_SCHEME is ${scheme}` });
}
