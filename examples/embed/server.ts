import { readFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import { stripTypeScriptTypes } from 'node:module';
import { createClient } from 'grove-idv-sdk';

/**
 * A shop that shows the journey inside its own page. The API key stays here; the browser gets a link that works once.
 * `GROVE_URL`, `GROVE_API_KEY`, then open http://localhost:3001. A real shop installs `grove-journey-embed` and builds its page with it.
 */
const port = Number(process.env.PORT ?? 3001);
const origin = `http://localhost:${port}`;
const grove = createClient({
  baseUrl: process.env.GROVE_URL ?? 'http://localhost:8080',
  apiKey: process.env.GROVE_API_KEY ?? '',
});

/** Only pages of listed origins may show a journey. */
const { embedOrigins } = await grove.processSettings.get();
if (!embedOrigins.includes(origin)) {
  await grove.processSettings.update({ body: { embedOrigins: [...embedOrigins, origin] } });
}
const body = { name: `embed ${new Date().toISOString()}`, processDefnName: 'document-and-selfie' };
const token = await grove.processTokens.create({ body });

const FILES: Readonly<Record<string, readonly [file: string, type: string]>> = {
  '/': ['index.html', 'text/html; charset=utf-8'],
  '/page.js': ['page.js', 'text/javascript'],
};

async function answer(method: string, path: string, response: ServerResponse): Promise<void> {
  const send = (type: string, text: string) => void response.writeHead(200, { 'Content-Type': type }).end(text);
  const [, kind = '', name = ''] = /^\/(embed|status)\/([\w.-]+)$/.exec(path) ?? [];
  if (method === 'POST' && path === '/start') {
    const made = await grove.processInstances.create({ query: { pt: token.id } });
    return send('application/json', JSON.stringify({ id: made.processInstanceId, url: made.redirectUrl }));
  }
  if (kind === 'status') {
    const { statusMapped } = await grove.processInstances.get({ processInstanceId: name });
    return send('text/plain', statusMapped);
  }
  if (kind === 'embed' && name.endsWith('.ts')) {
    const source = readFileSync(new URL(`../../packages/embed/src/${name}`, import.meta.url), 'utf8');
    return send('text/javascript', stripTypeScriptTypes(source));
  }
  const [file, type] = FILES[path] ?? [];
  if (file && type) return send(type, readFileSync(new URL(file, import.meta.url), 'utf8'));
  response.writeHead(404).end();
}

createServer((request, response) => {
  answer(request.method ?? '', new URL(request.url ?? '/', origin).pathname, response).catch((error) => {
    console.error(error);
    response.writeHead(502).end();
  });
}).listen(port, 'localhost', () => console.log(`The shop is open: ${origin}`));
