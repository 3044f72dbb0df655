import { createRequire } from 'node:module';
import {
  bodyOf,
  isAlwaysTheSame,
  type Load,
  LoadFailure,
  type LoadOptions,
  type LoadRequest,
  type LoadTool,
  variantOf,
} from './load.ts';

/** autocannon needs only Node, but uses about as much of the machine as the server under measurement. */
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
  const requests = [inTurn(load)];
  const result = await cannon({ url: origin, connections, duration: seconds, timeout: 10, requests });
  const { errors, timeouts, resets, non2xx, duration, latency } = result;
  if (errors + timeouts + resets > 0) {
    throw new LoadFailure(`socket errors: errors ${errors}, timeouts ${timeouts}, resets ${resets}`);
  }
  if (non2xx > 0) throw new LoadFailure(`${non2xx} answers were errors`);
  if (result['2xx'] === 0) throw new LoadFailure('no request was answered');
  return { requests: result['2xx'], perSecond: result['2xx'] / duration, p50Ms: latency.p50, p99Ms: latency.p99 };
}

/**
 * Every connection of autocannon has its own copy of the requests and begins with the first one. So it gets a single request,
 * which is replaced by the next request of all connections when it is sent: nothing is sent twice, and nothing large is copied.
 */
function inTurn({ requests }: Load) {
  const nth = (number: number): Prepared => {
    const request = requests[number % requests.length] as LoadRequest;
    const times = Math.floor(number / requests.length);
    const variant = variantOf(request, times);
    const body = bodyOf(variant, times);
    return { method: request.method, path: request.path, headers: { ...variant.headers }, ...(body && { body }) };
  };
  const first = nth(0);
  if (requests.length === 1 && requests.every(isAlwaysTheSame)) return first;
  let sentCount = 0;
  return { ...first, setupRequest: (prepared: Prepared) => ({ ...prepared, ...nth(sentCount++) }) };
}
