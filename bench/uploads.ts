import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { limitChecks } from './bars.ts';
import { atDocument, pictureOf } from './end-users.ts';
import { childrenOf, peakResidentMb, residentMb } from './process-stats.ts';
import { bearerOf, getInstanceRequest } from './requests.ts';
import type { Figures } from './results.ts';
import type { Installation } from './seed.ts';
import { startGrove, type Target } from './target.ts';

/**
 * Measures how uploads of pictures slow down other callers. The pictures are sent by a thread of their own, so that the other
 * callers wait for the server and not for the bench.
 */
const IMAGES = 200;
const AT_A_TIME = 20;
const IMAGE_BYTES = 8_000_000;
const QUIET_MS = 10_000;
const ASK_EVERY_MS = 20;
const SAMPLE_EVERY_MS = 200;

export type Uploads = {
  origin: string;
  paths: readonly { path: string; cookie: string }[];
  images: number;
  bytes: Uint8Array;
};

type Options = { progress(text: string): void; images?: number };

export async function measureUploads(
  { place, seeded }: Installation,
  { progress, images = IMAGES }: Options,
): Promise<Figures> {
  const bytes = await pictureOf(IMAGE_BYTES);
  // Without image analysis, which has a scenario of its own: it would begin while pictures still arrive.
  const server = await startGrove({ ...place, blind: true });
  try {
    const bearer = await bearerOf(server.origin, seeded.apiKey);
    const users = Array.from({ length: AT_A_TIME }, () => atDocument(server.origin, bearer, seeded.process.tokenId));
    const paths = await Promise.all(users);
    const small = getInstanceRequest(bearer, seeded.process.instanceId);
    const ask = () => fetch(`${server.origin}${small.path}`, { headers: small.variants[0]?.headers ?? {} });
    progress(`uploads: ${QUIET_MS / 1000} s without uploads`);
    const quiet = await p99While(ask, sleep(QUIET_MS));
    // Reading the delay resets it.
    await loopDelayMs(server);
    const memory = watchMemory(server.pid);
    const started = performance.now();
    progress(`uploads: ${images} images of ${(bytes.length / 1e6).toFixed(1)} MB, ${AT_A_TIME} at a time`);
    const busy = await p99While(ask, uploaded({ origin: server.origin, paths, images, bytes }));
    const seconds = (performance.now() - started) / 1000;
    const [delayMs, peakMb, withChildrenMb] = [await loopDelayMs(server), peakResidentMb(server.pid), memory.stop()];
    return {
      kind: 'figures',
      name: 'uploads',
      figures: [
        { what: 'uploads', value: (images * 60) / seconds, unit: 'images/min' },
        { what: 'event-loop delay p99', value: delayMs, unit: 'ms' },
        ...(peakMb === undefined ? [] : [{ what: 'memory during uploads', value: peakMb, unit: 'MB' }]),
        ...(peakMb === undefined
          ? []
          : [{ what: 'with the processes that decode', value: withChildrenMb, unit: 'MB' }]),
        { what: 'p99 of others, quiet', value: quiet, unit: 'ms' },
        { what: 'p99 of others', value: busy, unit: 'ms' },
        { what: 'p99 of others, to quiet', value: busy / quiet, unit: 'times' },
      ],
      series: { quietMs: [quiet], busyMs: [busy], seconds: [seconds] },
      checks: [
        ...limitChecks('event-loop delay p99', delayMs),
        ...limitChecks('memory during uploads', peakMb),
        ...limitChecks('p99 of others, to quiet', busy / quiet),
      ],
    };
  } finally {
    await server.stop();
  }
}

/** Sends requests at a steady pace and does not wait for responses: otherwise a slow response would hide the next one. */
export async function p99While(ask: () => Promise<Response>, until: Promise<unknown>): Promise<number> {
  const times: Promise<number>[] = [];
  const once = async () => {
    const from = performance.now();
    const answer = await ask();
    await answer.arrayBuffer();
    if (!answer.ok) throw new Error(`another caller was answered ${answer.status}`);
    return performance.now() - from;
  };
  const timer = setInterval(() => void times.push(once()), ASK_EVERY_MS);
  await until.finally(() => clearInterval(timer));
  const sorted = (await Promise.all(times)).sort((one, other) => one - other);
  return sorted[Math.floor(sorted.length * 0.99)] ?? 0;
}

function uploaded(work: Uploads): Promise<void> {
  const worker = new Worker(fileURLToPath(new URL('./upload-images.ts', import.meta.url)), { workerData: work });
  return new Promise((done, failed) => {
    worker
      .once('error', failed)
      .once('exit', (code) => (code === 0 ? done() : failed(new Error('the uploads failed'))));
  });
}

/** The p99 of the event-loop delay since it was last read. */
export async function loopDelayMs({ origin }: Target): Promise<number> {
  const text = await (await fetch(`${origin}/metrics`)).text();
  const seconds = /^nodejs_eventloop_lag_p99_seconds ([\d.e-]+)$/m.exec(text)?.[1];
  if (seconds === undefined) throw new Error('the metrics of the server have no event-loop delay');
  return Number(seconds) * 1000;
}

function watchMemory(pid: number) {
  let most = 0;
  const timer = setInterval(() => {
    const all = [pid, ...childrenOf(pid)].reduce((sum, each) => sum + (residentMb(each) ?? 0), 0);
    most = Math.max(most, all);
  }, SAMPLE_EVERY_MS);
  return {
    stop() {
      clearInterval(timer);
      return most;
    },
  };
}
