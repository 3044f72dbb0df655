import { spawn, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { endWithBench, temporaryFolder } from './clean-up.ts';
import {
  bodyOf,
  isAlwaysTheSame,
  type Load,
  LoadFailure,
  type LoadOptions,
  type LoadRequest,
  type LoadTool,
  type Measured,
  NUMBER_MARK,
  REQUESTS_PER_VARIANT,
  type Variant,
} from './load.ts';

/** wrk is written in C, so it leaves nearly all of the machine to the server under measurement. */
export const wrk: LoadTool = { name: 'wrk', run };

const OVERTIME_MS = 30_000;
const SETTLE_SECONDS = 0.1;

export function hasWrk(): boolean {
  // It prints its version and ends with 1, so the exit code says nothing; only an error to start it does.
  return spawnSync('wrk', ['--version'], { stdio: 'ignore' }).error === undefined;
}

async function run({ origin, load, connections, seconds }: LoadOptions): Promise<Measured> {
  const folder = temporaryFolder();
  try {
    const script = join(folder.path, 'load.lua');
    writeFileSync(script, toLua(load, new URL(origin).host) + settling(connections));
    const path = load.requests[0]?.path ?? '/';
    const limits = ['--threads', '1', '--connections', String(connections), '--duration', `${seconds}s`];
    return readWrk(
      await output([...limits, '--timeout', '10s', '--latency', '--script', script, origin + path], seconds),
    );
  } finally {
    folder.remove();
  }
}

function output(parameters: string[], seconds: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn('wrk', parameters, { stdio: ['ignore', 'pipe', 'pipe'] });
    const ended = endWithBench(child);
    const late = setTimeout(() => child.kill('SIGKILL'), seconds * 1000 + OVERTIME_MS);
    let text = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
    }
    child.once('error', reject);
    child.once('close', (code) => {
      clearTimeout(late);
      ended();
      if (code === 0) resolve(text);
      else reject(new LoadFailure(`wrk ended with ${code}: ${text}`));
    });
  });
}

/** wrk itself formats a single request once. Other requests are joined from prepared parts. */
function toLua({ requests }: Load, host: string): string {
  const [only] = requests;
  if (only && requests.length === 1 && isAlwaysTheSame(only)) {
    const { headers, body } = only.variants[0];
    const lines = Object.entries(headers).map(([name, value]) => `wrk.headers[${lua(name)}] = ${lua(value)}`);
    return [
      `wrk.method = ${lua(only.method)}`,
      ...(body === undefined ? [] : [`wrk.body = ${lua(body)}`]),
      ...lines,
      '',
    ].join('\n');
  }
  return `local kinds = {
${requests.map((request) => `  { ${request.variants.map((variant) => parts(request, variant, host)).join(', ')} },`).join('\n')}
}
local n = -1
function request()
  n = n + 1
  local variants = kinds[n % #kinds + 1]
  local nth = math.floor(n / #kinds)
  local variant = variants[math.floor(nth / ${REQUESTS_PER_VARIANT}) + 1] or variants[#variants]
  if variant[2] == nil then return variant[1] end
  return variant[1] .. string.format('%010d', nth) .. variant[2]
end
`;
}

/**
 * Node accepts one connection in each turn of its event loop, and serves all accepted ones before it accepts the next. If
 * these send at once, the last connection waits for a second or more, and the p99 would show only that.
 */
function settling(connections: number): string {
  return `local opened = 0
function delay()
  if opened == ${connections} then return 0 end
  opened = opened + 1
  return ${SETTLE_SECONDS * 1000}
end
`;
}

/** The parts of a request before and after its number. The number has a fixed width, so the content length is known. */
function parts({ method, path }: LoadRequest, variant: Variant, host: string): string {
  const body = bodyOf(variant, 0);
  const headers = {
    Host: host,
    ...variant.headers,
    ...(body !== undefined && { 'Content-Length': String(Buffer.byteLength(body)) }),
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const [before = '', ...behind] = variant.body?.split(NUMBER_MARK) ?? [];
  return `{ ${[`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${before}`, ...behind].map(lua).join(', ')} }`;
}

function lua(text: string): string {
  return `"${text.replace(/[^ !#-[\]-~]/g, (each) => `\\${String(each.charCodeAt(0)).padStart(3, '0')}`)}"`;
}

const NUMBER = String.raw`([\d.]+(?:e\+?\d+)?)`;
const MILLISECONDS: Readonly<Record<string, number>> = { us: 0.001, ms: 1, s: 1000, m: 60_000, h: 3_600_000 };
const THOUSANDS: Readonly<Record<string, number>> = { '': 1, k: 1e3, M: 1e6, G: 1e9 };

export function readWrk(text: string): Measured {
  const find = (pattern: string) => new RegExp(pattern, 'm').exec(text) ?? undefined;
  const time = (number = '', unit = '') => Number(number) * (MILLISECONDS[unit] ?? Number.NaN);
  const milliseconds = (percent: number) => {
    const line = find(`^\\s*${percent}(?:\\.0+)?%\\s+${NUMBER}(us|ms|s|m|h)\\s*$`);
    return time(line?.[1], line?.[2]);
  };
  const count = (line: RegExpExecArray | undefined) => Number(line?.[1]) * (THOUSANDS[line?.[2] ?? ''] ?? Number.NaN);
  const total = find(`^\\s*${NUMBER}([kMG]?) requests in ${NUMBER}(us|ms|s|m|h),`);
  const requests = count(total);
  const measured = {
    requests,
    perSecond: requests / (time(total?.[3], total?.[4]) / 1000 - SETTLE_SECONDS),
    p50Ms: milliseconds(50),
    p99Ms: milliseconds(99),
  };
  const socketErrors = find('^\\s*Socket errors: (.*)$')?.[1];
  if (socketErrors) throw new LoadFailure(`socket errors: ${socketErrors}`);
  const refusedCount = find('^\\s*Non-2xx or 3xx responses: (.*)$')?.[1];
  if (refusedCount) throw new LoadFailure(`${refusedCount} answers were errors`);
  if (measured.requests === 0) throw new LoadFailure('no request was answered');
  if (Object.values(measured).some(Number.isNaN)) throw new LoadFailure(`cannot parse the output of wrk:\n${text}`);
  return measured;
}
