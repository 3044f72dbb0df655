import type { FastifyInstance } from 'fastify';
import { ApiError } from '../kernel/errors.ts';

/** The region and address of the tenant of a host, if the tenant lives in another region. */
export type HomeOf = (host: string | undefined) => { readonly region: string; readonly baseUrl: string } | undefined;

/**
 * Ensures that no data of a tenant is handled in a region where it does not live: its requests are answered before their
 * credentials are checked and before their body is read. Pages are redirected. Calls of the API are refused with the right
 * address, because clients do not follow a redirect to another host with their credentials.
 */
export function sendHome(app: FastifyInstance, homeOf: HomeOf): void {
  app.addHook('onRequest', (request, reply, done) => {
    const home = homeOf(request.headers.host);
    if (!home) return done();
    const { method, url } = request;
    const isPage = (method === 'GET' || method === 'HEAD') && url.startsWith('/') && !url.startsWith('/api/');
    if (isPage) reply.redirect(`${home.baseUrl}${url}`, 307);
    else done(new ApiError(100013, { detail: `the tenant lives in region ${home.region}, at ${home.baseUrl}` }));
  });
}
