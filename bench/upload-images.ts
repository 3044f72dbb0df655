import { request } from 'node:http';
import { parentPort, workerData } from 'node:worker_threads';
import type { Uploads } from './uploads.ts';

/** The end users of `uploads`: each sends the next picture as soon as the one before was taken. */
const { origin, paths, images, bytes } = workerData as Uploads;
let remaining = images;

await Promise.all(
  paths.map(async ({ path, cookie }) => {
    while (remaining > 0) {
      remaining -= 1;
      await send(path, cookie);
    }
  }),
);
parentPort?.close();

function send(path: string, cookie: string): Promise<void> {
  return new Promise((done, failed) => {
    const headers = { cookie, 'content-type': 'image/jpeg', 'content-length': bytes.length };
    const clientRequest = request(`${origin}${path}`, { method: 'POST', headers }, (answer) => {
      answer.resume().once('end', () => {
        if (answer.statusCode === 200) done();
        else failed(new Error(`an upload was answered ${answer.statusCode}`));
      });
    });
    clientRequest.once('error', failed);
    clientRequest.end(bytes);
  });
}
