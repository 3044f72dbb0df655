import type { FastifyRequest } from 'fastify';
import { ApiError } from '../../kernel/errors.ts';

/**
 * A request that changes something with a cookie must come from our own pages. Browsers say where a page comes from in
 * headers that no page can write; whoever sends none of them is no browser, and has no cookie that was not its own.
 */
export function ensureOwnPage({ headers }: FastifyRequest): void {
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && site !== 'none') throw new ApiError(100067);
  const { origin, host } = headers;
  if (origin !== undefined && !isOfHost(origin, host)) throw new ApiError(100067);
}

function isOfHost(origin: string, host: string | undefined): boolean {
  const from = URL.parse(origin);
  // The same scheme on both sides, so that a port that goes without saying is left out on both.
  return from !== null && from.host !== '' && from.host === URL.parse(`${from.protocol}//${host}`)?.host;
}
