/** What is sent, the same to the server and to its yardstick, and what comes of it. Each tool understands this. */
export type LoadRequest = {
  method: 'GET' | 'POST';
  path: string;
  headers: Readonly<Record<string, string>>;
  /** One bearer token for each tenant that is used in turn: a tenant can hold only so many keys. */
  bearers?: readonly string[];
  /** `{n}` stands for a number of ten digits that is different in every request. */
  body?: string;
};

/** The requests are sent in turn, by all connections together. */
export type Load = { requests: readonly LoadRequest[] };

export type LoadOptions = { origin: string; load: Load; connections: number; seconds: number };

export type Measured = { requests: number; perSecond: number; p50Ms: number; p99Ms: number };

export type LoadTool = { name: 'wrk' | 'autocannon'; run(options: LoadOptions): Promise<Measured> };

/** A load that met an error measures the error, so there is no result. */
export class LoadFailure extends Error {}

/** Below the limit of a tenant, with room for the requests that were under way when a round ended. */
export const REQUESTS_PER_BEARER = 90_000;
export const NUMBER_MARK = '{n}';
const NUMBER_DIGITS = 10;

export function isUnique({ body, bearers }: LoadRequest): boolean {
  return Boolean(body?.includes(NUMBER_MARK)) || (bearers?.length ?? 0) > 1;
}

export function bodyOf({ body }: LoadRequest, number: number): string | undefined {
  return body?.replace(NUMBER_MARK, String(number).padStart(NUMBER_DIGITS, '0'));
}

export function headersOf({ headers, bearers }: LoadRequest, number: number): Record<string, string> {
  const bearer = bearers?.[Math.floor(number / REQUESTS_PER_BEARER)] ?? bearers?.at(-1);
  return { ...headers, ...(bearer && { Authorization: `Bearer ${bearer}` }) };
}

/** One request by hand: proves that the load will be answered as it should, and shows what the answer is like. */
export async function probe(origin: string, request: LoadRequest, expectedStatus: number) {
  const body = bodyOf(request, 10 ** NUMBER_DIGITS - 1);
  const answer = await fetch(origin + request.path, {
    method: request.method,
    headers: headersOf(request, 0),
    ...(body !== undefined && { body }),
  });
  const text = await answer.text();
  if (answer.status !== expectedStatus) {
    throw new LoadFailure(`${request.method} ${request.path} was answered with ${answer.status}: ${text.slice(0, 500)}`);
  }
  const contentType = answer.headers.get('content-type') ?? 'application/json';
  return { status: answer.status, contentType, text, bytes: Buffer.byteLength(text) };
}
