import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** A collector to which an application sends its traces by OTLP, and the spans that have arrived. */
export type SentSpan = {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  attributes: { key: string }[];
};

export async function openTraceCollector() {
  const spans: SentSpan[] = [];
  const server = createServer(async (request, response) => {
    const payload = JSON.parse(String(await buffer(request)));
    for (const { scopeSpans } of payload.resourceSpans) for (const each of scopeSpans) spans.push(...each.spans);
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
  await new Promise<void>((done) => void server.listen(0, '127.0.0.1', done));
  return {
    spans,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/traces`,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
