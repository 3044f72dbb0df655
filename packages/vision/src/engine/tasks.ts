import { type DocumentOptions, type FaceBox, readDocument } from '../documents/read-document.ts';
import { analyseFace, embedFace, type FaceOptions } from '../faces/analyse.ts';
import { findPortrait } from '../faces/find-portrait.ts';
import type { Raster } from '../images/raster.ts';
import { measureNovelty, type RestPicture } from '../liveness/measure-novelty.ts';
import { observeFace } from '../liveness/observe.ts';
import type { WantedFrame } from '../liveness/roles.ts';
import { type FaceModelOptions, loadFaceModels } from '../load-face-models.ts';
import { ocrModels } from '../ocr/models.ts';
import type { Task } from './protocol.ts';

/**
 * The tasks of a worker. Models are loaded and run once here, before the worker is ready. A new task is a new row: the
 * engine finds it by its name.
 */
export async function loadTasks(options: FaceModelOptions): Promise<Readonly<Record<string, Task>>> {
  const models = await loadFaceModels(options);
  await ocrModels();
  const findFace = (image: Raster): Promise<FaceBox | undefined> => findPortrait(image, models.detect);
  return {
    analyseFace: (input) => {
      const { bytes, options } = input as { bytes: unknown; options?: FaceOptions };
      return analyseFace(asBytes(bytes), models, options);
    },
    embedFace: (input) => embedFace(asBytes(input), models),
    observeFace: (input) => {
      const { bytes, wantedFrame } = input as { bytes: unknown; wantedFrame?: WantedFrame };
      return observeFace(asBytes(bytes), models, wantedFrame);
    },
    measureNovelty: (input) => measureNovelty(input as RestPicture[]),
    readDocument: (input) => {
      const { bytes, options } = input as { bytes: unknown; options: Omit<DocumentOptions, 'findFace'> };
      return readDocument(asBytes(bytes), { ...options, findFace });
    },
  };
}

function asBytes(input: unknown): Uint8Array {
  if (!(input instanceof Uint8Array)) throw new TypeError('a picture must be bytes');
  return input;
}
