import { analyseFace, embedFace } from '../faces/analyse.ts';
import { FACE_MODELS, type FaceModelKey, loadModels } from '../models.ts';
import type { Task } from './protocol.ts';

/**
 * What a worker can do. Models are loaded and run once here, before the worker says that it is ready. A new task is a
 * new row: the engine finds it by its name.
 */
export async function loadTasks(): Promise<Readonly<Record<string, Task>>> {
  const models = await loadModels(Object.keys(FACE_MODELS) as FaceModelKey[]);
  return {
    analyseFace: (input) => analyseFace(asBytes(input), models),
    embedFace: (input) => embedFace(asBytes(input), models),
  };
}

function asBytes(input: unknown): Uint8Array {
  if (!(input instanceof Uint8Array)) throw new TypeError('a picture is bytes');
  return input;
}
