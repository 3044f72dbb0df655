/// <reference lib="webworker" />

import type { FaceAnswer, FaceQuestion } from './face-question.ts';
import { openFaceFinder } from './find-face.ts';

/** Finds faces outside the page's thread, so that the picture on the page does not stutter. */
const scope = self as unknown as DedicatedWorkerGlobalScope;
const say = (answer: FaceAnswer) => scope.postMessage(answer);
let finder: ReturnType<typeof openFaceFinder> | undefined;

scope.onmessage = async ({ data }: MessageEvent<FaceQuestion>) => {
  try {
    if ('base' in data) {
      finder = openFaceFinder(data.base);
      await finder;
      return say({ ready: true });
    }
    if (!finder) throw new Error('not opened');
    const find = await finder;
    say({ id: data.id, found: await find(data.pixels) });
  } catch (error) {
    say({ fault: String(error) });
  }
};
