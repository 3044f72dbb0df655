import type { Pixels } from '../pixels.ts';
import workerUrl from './face.worker.ts?worker&url';
import type { FaceAnswer, FaceQuestion } from './face-question.ts';
import type { FoundFace } from './find-face.ts';
import { MODEL_FOLDER } from './model-files.ts';

/** Finds the face in a picture, one picture at a time. */
export type FaceFinder = { find(pixels: Pixels): Promise<FoundFace>; close(): void };

/** Any phone that can guide at all is ready before this. */
const READY_MS = 20_000;
const LOOK_MS = 4_000;

/** Resolves to `null` if this browser cannot, for whatever reason: then only the server checks. */
export async function openFaceFinder(signal: AbortSignal): Promise<FaceFinder | null> {
  if (typeof WebAssembly === 'undefined' || typeof Worker === 'undefined') return null;
  try {
    const worker = new Worker(workerUrl, { type: 'module' });
    const close = () => worker.terminate();
    signal.addEventListener('abort', close, { once: true });
    const base = new URL(`${import.meta.env.BASE_URL}${MODEL_FOLDER}`, location.href).href;
    try {
      await ask(worker, { base }, READY_MS);
    } catch (error) {
      close();
      throw error;
    }
    let next = 0;
    return {
      async find(pixels) {
        next += 1;
        const answer = await ask(worker, { id: next, pixels }, LOOK_MS);
        if (!('found' in answer)) throw new Error('no answer');
        return answer.found;
      },
      close,
    };
  } catch {
    return null;
  }
}

function ask(worker: Worker, question: FaceQuestion, patienceMs: number): Promise<FaceAnswer> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('too slow')), patienceMs);
    worker.onmessage = ({ data }: MessageEvent<FaceAnswer>) => {
      clearTimeout(timer);
      if ('fault' in data) reject(new Error(data.fault));
      else resolve(data);
    };
    worker.onerror = () => {
      clearTimeout(timer);
      reject(new Error('the worker did not start'));
    };
    const moved = 'pixels' in question ? [question.pixels.data.buffer as ArrayBuffer] : [];
    worker.postMessage(question, moved);
  });
}
