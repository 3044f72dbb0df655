import { createHash } from 'node:crypto';
import type { FastifyInstance } from 'fastify';

/** The page at the address of the server. It links to the documentation and names no tenant. */
const STYLE = `:root { color-scheme: light dark; font: 1.05rem/1.6 system-ui, sans-serif; }
body { max-width: 40rem; margin: 12vh auto; padding: 0 1.5rem; }
h1 { font-size: 1.6rem; }
li { margin: 0.5rem 0; }`;

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Grove is running</title>
<link rel="icon" href="data:,">
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>Grove is running</h1>
<p>This is the address of an identity verification service.</p>
<ul>
<li><strong>You were sent a link to verify your identity?</strong> Open that link again: this page is not part of it.</li>
<li><strong>You write software?</strong> Read the <a href="/docs/">documentation</a> with the
<a href="/docs/reference/">reference of the API</a>, or its description as <a href="/openapi.json">OpenAPI</a>.</li>
<li><strong>You operate this server?</strong> <a href="/health/ready">/health/ready</a> says whether it is ready, and
<code>grove doctor</code> what is wrong.</li>
</ul>
</main>
</body>
</html>
`;

const POLICY = `default-src 'none'; img-src data:; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

export function mountLanding(app: FastifyInstance): void {
  app.route({
    method: ['GET', 'HEAD'],
    url: '/',
    handler: async (_request, reply) =>
      reply
        .header('Content-Security-Policy', POLICY)
        .header('Referrer-Policy', 'no-referrer')
        .type('text/html; charset=utf-8')
        .send(PAGE),
  });
}
