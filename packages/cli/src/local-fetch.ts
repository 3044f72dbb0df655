import { Readable } from 'node:stream';

/**
 * Names below localhost are this machine (RFC 6761, 6.3), but not every resolver knows that, and fetch asks the
 * resolver. The connection goes to localhost; the Host header keeps the name, because it names the tenant.
 */
export const localFetch: typeof fetch = async (input, init = {}) => {
  const url = new URL(input instanceof Request ? input.url : input);
  if (url.protocol !== 'http:' || !url.hostname.endsWith('.localhost')) return fetch(input, init);
  const { signal, method = 'GET', body } = init;
  const { request } = await import('node:http');
  const headers = { ...Object.fromEntries(new Headers(init.headers)), host: url.host };
  return new Promise((resolve, reject) => {
    const clientRequest = request({
      host: 'localhost',
      port: url.port || 80,
      path: `${url.pathname}${url.search}`,
      method,
      headers,
      ...(signal && { signal }),
    });
    clientRequest.once('error', reject);
    clientRequest.once('response', (answer) => {
      const { statusCode = 0, headersDistinct } = answer;
      const pairs = Object.entries(headersDistinct).flatMap(([name, values = []]) =>
        values.map((value): [string, string] => [name, value]),
      );
      const empty = statusCode === 204 || statusCode === 304;
      if (empty) answer.resume();
      const stream = empty ? null : (Readable.toWeb(answer) as ReadableStream<Uint8Array>);
      resolve(new Response(stream, { status: statusCode, headers: pairs }));
    });
    clientRequest.end(typeof body === 'string' || body instanceof Uint8Array ? body : undefined);
  });
};
