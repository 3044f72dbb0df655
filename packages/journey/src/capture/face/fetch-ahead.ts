import workerUrl from './face.worker.ts?worker&url';
import { MODEL_FILES, MODEL_FOLDER } from './model-files.ts';

/**
 * Loads what finding a face needs, more than two megabytes, into the browser's cache: on a slow network somebody would
 * otherwise look into the camera for seconds before the page says anything. It starts nothing yet.
 */
export async function fetchAhead(): Promise<void> {
  const models = MODEL_FILES.filter((file) => !file.endsWith('.wasm')).map(
    (file) => `${import.meta.env.BASE_URL}${MODEL_FOLDER}${file.slice(file.lastIndexOf('/') + 1)}`,
  );
  // Loads one file after the other, after everything that is needed now.
  for (const address of [workerUrl, ...models]) {
    await (await fetch(address, { priority: 'low' } as RequestInit)).arrayBuffer();
  }
}
