/** The load, which is the same for the server and its yardstick, and its result. Every load tool implements this. */
export type LoadRequest = {
  method: 'GET' | 'POST';
  path: string;
  /** Each is sent `REQUESTS_PER_VARIANT` times, then the next one, because a tenant can hold only a limited number of keys. */
  variants: readonly [Variant, ...Variant[]];
};

/** `{n}` in the body is replaced by a number of ten digits that is different in every request. */
export type Variant = { headers: Readonly<Record<string, string>>; body?: string };

/** The requests are sent in turn, by all connections together. */
export type Load = { requests: readonly LoadRequest[] };

export type LoadOptions = { origin: string; load: Load; connections: number; seconds: number };

export type Measured = { requests: number; perSecond: number; p50Ms: number; p99Ms: number };

export type LoadTool = { name: 'wrk' | 'autocannon'; run(options: LoadOptions): Promise<Measured> };

/** A load with errors would measure the errors, so it has no result. */
export class LoadFailure extends Error {}

/** Below the limit of a tenant, with room for the requests that were under way when a round ended. */
export const REQUESTS_PER_VARIANT = 90_000;
export const NUMBER_MARK = '{n}';
const NUMBER_DIGITS = 10;

export function isAlwaysTheSame({ variants }: LoadRequest): boolean {
  return variants.length === 1 && !variants[0].body?.includes(NUMBER_MARK);
}

export function variantOf({ variants }: LoadRequest, number: number): Variant {
  return variants[Math.floor(number / REQUESTS_PER_VARIANT)] ?? variants.at(-1) ?? variants[0];
}

export function bodyOf({ body }: Variant, number: number): string | undefined {
  return body?.replace(NUMBER_MARK, String(number).padStart(NUMBER_DIGITS, '0'));
}

/** Sends one request: ensures that the load gets the expected response, and returns the response as a sample. */
export async function probe(origin: string, request: LoadRequest, expectedStatus: number) {
  const [variant] = request.variants;
  const body = bodyOf(variant, 10 ** NUMBER_DIGITS - 1);
  const answer = await fetch(origin + request.path, {
    method: request.method,
    headers: variant.headers,
    ...(body !== undefined && { body }),
  });
  const bytes = Buffer.from(await answer.arrayBuffer());
  const text = bytes.toString();
  if (answer.status !== expectedStatus) {
    throw new LoadFailure(
      `${request.method} ${request.path} was answered with ${answer.status}: ${text.slice(0, 500)}`,
    );
  }
  const contentType = answer.headers.get('content-type') ?? 'application/json';
  return { status: answer.status, contentType, text, bytes: bytes.length };
}
