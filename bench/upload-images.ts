import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import type { Uploads } from './uploads.ts';

/** The end users of `uploads`: each sends the next picture as soon as the server has accepted the previous one. */
const { origin, paths, images, bytes } = workerData as Uploads;
const BUSY = 429;
const RETRY_AFTER_MS = 2000;
let remaining = images;

await Promise.all(
  paths.map(async ({ path, cookie }) => {
    while (remaining > 0) {
      remaining -= 1;
      // Like the page of a journey, it tries again while the server is busy.
      for (let status = 0; status !== 200; ) {
        status = await send(path, cookie);
        if (status === BUSY) await sleep(RETRY_AFTER_MS);
        else if (status !== 200) throw new Error(`an upload was answered ${status}`);
      }
    }
  }),
);
parentPort?.close();

function send(path: string, cookie: string): Promise<number> {
  return new Promise((done, failed) => {
    const headers = { cookie, 'content-type': 'image/jpeg', 'content-length': bytes.length };
    const clientRequest = request(`${origin}${path}`, { method: 'POST', headers }, (answer) => {
      answer.resume().once('end', () => done(answer.statusCode ?? 0));
    });
    clientRequest.once('error', failed);
    clientRequest.end(bytes);
  });
}
