import { setTimeout as sleep } from 'node:timers/promises';
import { makeSpecimen } from '@grove/vision';
import { limitChecks } from './bars.ts';
import { atDocument } from './end-users.ts';
import { peakResidentMb } from './process-stats.ts';
import { bearerOf, getInstanceRequest } from './requests.ts';
import type { Figures } from './results.ts';
import type { Installation } from './seed.ts';
import { startGrove } from './target.ts';
import { loopDelayMs, p99While } from './uploads.ts';

/**
 * Measures how the analysis of documents slows down other callers. Worker threads of the same process read the documents, and
 * must not block the thread that answers requests.
 */
const DOCUMENTS = 20;
const QUIET_MS = 5000;
const LOOK_EVERY_MS = 250;
const MAX_WAIT_MS = 10 * 60_000;

type Options = { progress(text: string): void; documents?: number };

export async function measureVision(
  { place, seeded }: Installation,
  { progress, documents = DOCUMENTS }: Options,
): Promise<Figures> {
  const { jpeg } = await makeSpecimen({ kind: 'passport', seed: 1, photograph: { tilt: 6, yaw: 8, noise: 3 } });
  const server = await startGrove(place);
  try {
    const { origin } = server;
    const bearer = await bearerOf(origin, seeded.apiKey);
    const users = await Promise.all(
      Array.from({ length: documents }, () => atDocument(origin, bearer, seeded.process.tokenId)),
    );
    for (const user of users) await upload(origin, user, jpeg);
    const small = getInstanceRequest(bearer, seeded.process.instanceId);
    const ask = () => fetch(`${origin}${small.path}`, { headers: small.variants[0]?.headers ?? {} });
    progress(`vision: ${QUIET_MS / 1000} s without documents`);
    const quiet = await p99While(ask, sleep(QUIET_MS));
    // Reading the delay resets it.
    await loopDelayMs(server);
    progress(`vision: ${documents} documents of ${(jpeg.length / 1e6).toFixed(1)} MB`);
    const started = performance.now();
    const busy = await p99While(ask, Promise.all(users.map((user) => readBy(origin, user))));
    const seconds = (performance.now() - started) / 1000;
    const [delayMs, peakMb] = [await loopDelayMs(server), peakResidentMb(server.pid)];
    return {
      kind: 'figures',
      name: 'vision',
      figures: [
        { what: 'documents read', value: (documents * 60) / seconds, unit: 'documents/min' },
        { what: 'event-loop delay p99 while reading', value: delayMs, unit: 'ms' },
        ...(peakMb === undefined ? [] : [{ what: 'memory with a worker', value: peakMb, unit: 'MB' }]),
        { what: 'p99 of others, quiet', value: quiet, unit: 'ms' },
        { what: 'p99 of others, while reading', value: busy, unit: 'ms' },
      ],
      series: { quietMs: [quiet], busyMs: [busy], seconds: [seconds] },
      checks: [
        ...limitChecks('event-loop delay p99 while reading', delayMs),
        ...limitChecks('memory with a worker', peakMb),
      ],
    };
  } finally {
    await server.stop();
  }
}

type User = Awaited<ReturnType<typeof atDocument>>;

async function upload(origin: string, { path, cookie }: User, jpeg: Buffer): Promise<void> {
  const headers = { cookie, 'content-type': 'image/jpeg' };
  const answer = await fetch(`${origin}${path}`, { method: 'POST', headers, body: new Uint8Array(jpeg) });
  if (!answer.ok) throw new Error(`an upload was answered ${answer.status}`);
}

/** Submits the document, and resolves when it was analysed. */
async function readBy(origin: string, { id, cookie }: User): Promise<void> {
  const look = async () => {
    const answer = await fetch(`${origin}/api/journey/${id}`, { headers: { cookie } });
    return (await answer.json()) as { revision: number; waitingFor?: string; status: string };
  };
  const { revision } = await look();
  const headers = { cookie, 'content-type': 'application/json' };
  const body = JSON.stringify({ revision, result: {} });
  const submission = await fetch(`${origin}/api/journey/${id}/steps/document`, { method: 'POST', headers, body });
  if (!submission.ok) throw new Error(`a document was answered ${submission.status}: ${await submission.text()}`);
  const until = performance.now() + MAX_WAIT_MS;
  for (let now = await look(); now.waitingFor === 'check'; now = await look()) {
    if (performance.now() > until) throw new Error('a document was never read');
    await sleep(LOOK_EVERY_MS);
  }
}
