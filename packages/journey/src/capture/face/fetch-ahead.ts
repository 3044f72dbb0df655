import workerUrl from './face.worker.ts?worker&url';
import { MODEL_FILES, MODEL_FOLDER } from './model-files.ts';

/**
 * Fetches what finding a face takes, more than two megabytes, into the memory of the browser: on a slow line somebody
 * would otherwise look into the camera for seconds before anything is said to them. Nothing is started yet.
 */
export async function fetchAhead(): Promise<void> {
  const models = MODEL_FILES.filter((file) => !file.endsWith('.wasm')).map(
    (file) => `${import.meta.env.BASE_URL}${MODEL_FOLDER}${file.slice(file.lastIndexOf('/') + 1)}`,
  );
  // One after the other, and after all that is needed now.
  for (const address of [workerUrl, ...models]) {
    await (await fetch(address, { priority: 'low' } as RequestInit)).arrayBuffer();
  }
}
