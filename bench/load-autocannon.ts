import { createRequire } from 'node:module';
import {
  bodyOf,
  isAlwaysTheSame,
  LoadFailure,
  type LoadOptions,
  type LoadRequest,
  type LoadTool,
  variantOf,
} from './load.ts';

/** autocannon: needs nothing but Node, and for that takes about as much of the machine as what is measured. */
export const autocannon: LoadTool = { name: 'autocannon', run };

type Prepared = { method: string; path: string; headers: Record<string, string>; body?: string };
type Result = {
  duration: number;
  errors: number;
  timeouts: number;
  resets: number;
  '2xx': number;
  non2xx: number;
  latency: { p50: number; p99: number };
};
type Autocannon = (options: {
  url: string;
  connections: number;
  duration: number;
  timeout: number;
  requests: (Prepared & { setupRequest?(request: Prepared): Prepared })[];
}) => Promise<Result>;

async function run({ origin, load, connections, seconds }: LoadOptions) {
  const cannon = createRequire(import.meta.url)('autocannon') as Autocannon;
  const requests = load.requests.map(prepare);
  const result = await cannon({ url: origin, connections, duration: seconds, timeout: 10, requests });
  const { errors, timeouts, resets, non2xx, duration, latency } = result;
  if (errors + timeouts + resets > 0) {
    throw new LoadFailure(`socket errors: errors ${errors}, timeouts ${timeouts}, resets ${resets}`);
  }
  if (non2xx > 0) throw new LoadFailure(`${non2xx} answers were errors`);
  if (result['2xx'] === 0) throw new LoadFailure('no request was answered');
  return { requests: result['2xx'], perSecond: result['2xx'] / duration, p50Ms: latency.p50, p99Ms: latency.p99 };
}

function prepare(request: LoadRequest) {
  const { method, path } = request;
  const nth = (number: number): Prepared => {
    const variant = variantOf(request, number);
    const body = bodyOf(variant, number);
    return { method, path, headers: { ...variant.headers }, ...(body && { body }) };
  };
  if (isAlwaysTheSame(request)) return nth(0);
  let sent = 0;
  return {
    ...nth(0),
    setupRequest: (prepared: Prepared) => {
      sent += 1;
      return { ...prepared, ...nth(sent) };
    },
  };
}
