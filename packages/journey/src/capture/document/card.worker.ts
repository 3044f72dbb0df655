/// <reference lib="webworker" />
import type { CardAnswer, CardQuestion } from './card-finder.ts';
import { openCardFinder } from './find-corners.ts';

const scope = self as unknown as DedicatedWorkerGlobalScope;
const say = (answer: CardAnswer) => scope.postMessage(answer);
const finder = openCardFinder();

scope.onmessage = async ({ data: { pixels, frame, at } }: MessageEvent<CardQuestion>) => {
  try {
    say({ look: await (await finder)(pixels, frame, at) });
  } catch (error) {
    say({ fault: String(error) });
  }
};
