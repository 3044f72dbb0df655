import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createClient, isGroveError, verifyWebhook } from 'grove-idv-sdk';
import { type Customer, startPage, statusPage } from './pages.ts';

/**
 * A shop that wants to know its customers: a button starts a verification, Grove's journey does it, a webhook tells the
 * outcome, and the customer comes back to a page that shows it. Customers are forgotten when it stops.
 */
const port = Number(process.env.PORT ?? 3000);
const origin = `http://localhost:${port}`;
const grove = createClient({
  baseUrl: process.env.GROVE_URL ?? 'http://localhost:8080',
  apiKey: process.env.GROVE_API_KEY ?? '',
});

const MAX_CUSTOMERS = 1000;
const MAX_WEBHOOK_BYTES = 64 * 1024;
const customers = new Map<string, Customer>();
const seenWebhooks = new Set<string>();

/** End users may be sent back here only if the tenant says so. */
const { redirectOrigins } = await grove.processSettings.get();
if (!redirectOrigins.includes(origin)) {
  await grove.processSettings.update({ body: { redirectOrigins: [...redirectOrigins, origin] } });
}
const token = await grove.processTokens.create({
  body: {
    name: `relying party ${new Date().toISOString()}`,
    processDefnName: 'document-and-selfie',
    parameters: { _redirectUrl: `${origin}/return?instance={PROCESS_INSTANCE_ID}` },
  },
});
const webhookSecret = process.env.WEBHOOK_SECRET ?? (await createWebhook());

/** Grove calls nobody on its own machine unless it is told to; without webhooks the shop asks when the customer is back. */
async function createWebhook(): Promise<string | undefined> {
  const name = `relying party ${randomUUID()}`;
  const events = ['instance.completed', 'instance.review', 'instance.terminated'];
  try {
    const body = { name, uri: `http://localhost:${port}/webhook`, events };
    return (await grove.webhooks.create({ body })).secret;
  } catch (error) {
    if (!isGroveError(error, 100071)) throw error;
    console.log(`No webhooks: start Grove with GROVE_OUTBOUND_ALLOW=localhost:${port} to see them arrive.`);
    return undefined;
  }
}

const routes: Record<string, (request: IncomingMessage, response: ServerResponse, url: URL) => Promise<void>> = {
  'GET /': async (_request, response) => page(response, startPage()),
  'POST /start': start,
  'GET /return': back,
  'POST /webhook': webhook,
};

/** One verification for one customer. Who it is, is kept here and never asked of the browser. */
async function start(_request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { processInstanceId, redirectUrl } = await grove.processInstances.create({ query: { pt: token.id } });
  const [oldest] = customers.keys();
  if (customers.size >= MAX_CUSTOMERS && oldest !== undefined) customers.delete(oldest);
  customers.set(processInstanceId, { status: 'Pending', told: [] });
  response.writeHead(303, { Location: redirectUrl }).end();
}

/** The address says which verification it was, and nothing about its outcome that anybody should believe. */
async function back(_request: IncomingMessage, response: ServerResponse, url: URL): Promise<void> {
  const processInstanceId = url.searchParams.get('instance') ?? '';
  const customer = customers.get(processInstanceId);
  if (!customer) return notFound(response);
  const { statusMapped } = await grove.processInstances.get({ processInstanceId });
  customer.status = statusMapped;
  page(response, statusPage(customer));
}

/** Verified as it arrived. The same event may come twice, under the same id. */
async function webhook(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const payload = await bodyOf(request);
  if (!webhookSecret || !payload) return notFound(response);
  let event: Awaited<ReturnType<typeof verifyWebhook>>;
  try {
    event = await verifyWebhook({ payload, headers: request.headers, secret: webhookSecret });
  } catch {
    response.writeHead(400).end();
    return;
  }
  const { type, data } = event as { type: string; data: { processInstanceId?: string } };
  const id = String(request.headers['webhook-id']);
  const customer = customers.get(data.processInstanceId ?? '');
  if (customer && !seenWebhooks.has(id)) customer.told.push(type);
  seenWebhooks.add(id);
  console.log('webhook', type, data.processInstanceId);
  response.writeHead(204).end();
}

async function bodyOf(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_WEBHOOK_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function page(response: ServerResponse, html: string): void {
  const policy = "default-src 'none'; style-src 'self' 'unsafe-inline'; form-action 'self' *; frame-ancestors 'none'";
  response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': policy }).end(html);
}

function notFound(response: ServerResponse): void {
  response.writeHead(404, { 'Content-Type': 'text/plain' }).end('There is nothing here.');
}

createServer((request, response) => {
  const url = new URL(request.url ?? '/', origin);
  const route = routes[`${request.method} ${url.pathname}`] ?? (async () => notFound(response));
  route(request, response, url).catch((error) => {
    console.error(error);
    if (!response.headersSent) response.writeHead(502, { 'Content-Type': 'text/plain' });
    response.end('Grove could not be asked. Try again.');
  });
}).listen(port, 'localhost', () => console.log(`The shop is open: ${origin}`));
