import { existsSync, readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import Fastify, { type FastifyInstance } from 'fastify';

/**
 * The reference of the API: Scalar, served from this server, without requests to other sites. The viewer has several
 * megabytes, so it is loaded when somebody first opens the page.
 */
const SETTINGS = {
  url: '/openapi.json',
  pageTitle: 'Grove API',
  withDefaultFonts: false,
  telemetry: false,
  hideClientButton: true,
  showDeveloperTools: 'never',
  agent: { disabled: true },
  mcp: { disabled: true },
  proxyUrl: '',
  authentication: { preferredSecurityScheme: 'bearer' },
} as const;

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Grove API</title>
<link rel="icon" href="data:,">
<style>
#key { display: flex; flex-wrap: wrap; gap: 8px 12px; align-items: center; padding: 10px 16px; border-bottom: 1px solid #8886; font: 15px/1.4 system-ui, sans-serif; color-scheme: light dark; background: Canvas; color: CanvasText; }
#key input { flex: 1 1 16rem; max-width: 28rem; min-height: 36px; padding: 4px 8px; font: inherit; }
#key button { min-height: 36px; padding: 4px 14px; font: inherit; }
</style>
</head>
<body>
<form id="key">
<a href="/docs/">← Documentation</a>
<label for="api-key">Try it: your API key</label>
<input id="api-key" name="key" type="password" autocomplete="off" spellcheck="false" required placeholder="grv_test_…">
<button>Use it here</button>
<span role="status">It is exchanged for a token, and both stay in this page.</span>
</form>
<noscript>The description of the API is at <a href="/openapi.json">/openapi.json</a>.</noscript>
<div id="app"></div>
<script src="/docs/reference/viewer.js"></script>
<script src="/docs/reference/start.js"></script>
</body>
</html>
`;

// Calls from the page go to the server of the page. An API key is exchanged for a token once, for all calls.
const START = `const settings = {
  ...${JSON.stringify(SETTINGS)},
  servers: [{ url: location.origin, description: 'This server' }],
};
const reference = Scalar.createApiReference('#app', settings);
const form = document.querySelector('#key');
const say = (text) => { form.querySelector('[role=status]').textContent = text; };
form.addEventListener('submit', async (event) => {
  event.preventDefault();
  const value = form.elements.key.value.trim();
  try {
    const answer = await fetch('/api/arthr/apiKeys/issue', { method: 'POST', headers: { 'X-Api-Key': value } });
    const { token, ttl } = await answer.json();
    if (!answer.ok) return say('This key was not accepted (' + answer.status + ').');
    const securitySchemes = { bearer: { token }, apiKey: { value } };
    // Both are sent: the one call that wants the key has it, too.
    const authentication = { preferredSecurityScheme: [['bearer', 'apiKey']], securitySchemes };
    reference.updateConfiguration({ ...settings, authentication });
    say('Ready: “Test Request” calls this server for the next ' + Math.round(ttl / 60) + ' minutes.');
  } catch {
    say('The server did not answer.');
  }
});
`;

export function mountReference(app: FastifyInstance): void {
  let viewer: Promise<{ plain: Buffer; zipped: Buffer }> | undefined;
  app.get('/docs/reference', async (_request, reply) => reply.redirect('/docs/reference/', 308));
  app.get('/docs/reference/', async (_request, reply) =>
    reply
      .header('Content-Security-Policy', POLICY)
      .header('Referrer-Policy', 'no-referrer')
      .type('text/html; charset=utf-8')
      .send(PAGE),
  );
  app.get('/docs/reference/start.js', async (_request, reply) =>
    reply.type('text/javascript; charset=utf-8').send(START),
  );
  app.get('/docs/reference/viewer.js', async (request, reply) => {
    viewer ??= loadViewer();
    const { plain, zipped } = await viewer;
    reply
      .type('text/javascript; charset=utf-8')
      .header('Cache-Control', 'public, max-age=3600')
      .header('Vary', 'Accept-Encoding');
    if (!/\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''))) return reply.send(plain);
    return reply.header('Content-Encoding', 'gzip').send(zipped);
  });
}

/** A release holds the script itself, and not the 25 MB of packages around it. */
const RELEASED_VIEWER = new URL('../../../viewer/scalar.js', import.meta.url);

async function loadViewer(): Promise<{ plain: Buffer; zipped: Buffer }> {
  const plain = existsSync(RELEASED_VIEWER) ? readFileSync(RELEASED_VIEWER) : await viewerScript();
  return { plain, zipped: gzipSync(plain) };
}

/** The package offers its script only through a Fastify plugin, so this reads it from a server that never listens. */
export async function viewerScript(): Promise<Buffer> {
  const { default: plugin } = await import('@scalar/fastify-api-reference');
  const host = Fastify();
  await host.register(plugin, { routePrefix: '/viewer', configuration: { content: {} } });
  const answer = await host.inject('/viewer/js/scalar.js');
  await host.close();
  if (answer.statusCode !== 200) throw new Error(`the documentation viewer answered ${answer.statusCode}`);
  return answer.rawPayload;
}
