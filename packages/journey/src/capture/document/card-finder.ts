import type { Pixels } from '../pixels.ts';
import type { CardLook } from './judge-card.ts';
import type { Frame } from './measure-card.ts';

export type CardQuestion = { pixels: Pixels; frame: Frame; at: number };
export type CardAnswer = { look: CardLook } | { fault: string };

/** Measures pictures, one at a time. */
export type CardGuide = { look(question: CardQuestion): Promise<CardLook>; close(): void };

const LOOK_MS = 5_000;
/** The first look waits until the worker is loaded and compiled, which takes long on a slow phone. */
const FIRST_LOOK_MS = 20_000;

/** Resolves to `null` if the browser cannot: then the shutter is there at once, and the server checks the picture. */
export async function openCardGuide(): Promise<CardGuide | null> {
  if (typeof WebAssembly === 'undefined') return null;
  try {
    return typeof Worker !== 'undefined' && typeof OffscreenCanvas !== 'undefined' ? inWorker() : await inPage();
  } catch {
    return null;
  }
}

function inWorker(): CardGuide {
  const worker = new Worker(new URL('./card.worker.ts', import.meta.url), { type: 'module' });
  let withinMs = FIRST_LOOK_MS;
  const look = async (question: CardQuestion) => {
    const answer = await ask(worker, question, withinMs);
    withinMs = LOOK_MS;
    return answer;
  };
  return { look, close: () => worker.terminate() };
}

/** Older Safari has no canvas in workers. */
async function inPage(): Promise<CardGuide> {
  const { openCardFinder } = await import('./find-corners.ts');
  const find = await openCardFinder();
  return { look: ({ pixels, frame, at }) => find(pixels, frame, at), close: () => {} };
}

function ask(worker: Worker, question: CardQuestion, withinMs: number): Promise<CardLook> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('too slow')), withinMs);
    worker.onmessage = ({ data }: MessageEvent<CardAnswer>) => {
      clearTimeout(timer);
      if ('look' in data) resolve(data.look);
      else reject(new Error(data.fault));
    };
    worker.onerror = () => {
      clearTimeout(timer);
      reject(new Error('the worker did not start'));
    };
    worker.postMessage(question, [question.pixels.data.buffer as ArrayBuffer]);
  });
}
