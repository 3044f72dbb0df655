import { stepTypeOf } from '../process-manager/engine/steps/registry.ts';
import type { InstanceData, InstanceImage } from '../process-manager/runtime/instance-data.ts';

/** An item of user data that can be read by its path. */
export type Item = {
  readonly path: string;
  readonly kind: 'documents' | 'faces';
  readonly key: string;
  readonly image: InstanceImage;
};

/**
 * The images of each step's last attempt, by the paths under which they are read. A path is looked up here and never
 * leads to a file.
 */
export function listItems({ definition, images }: InstanceData): Item[] {
  return definition.steps.flatMap((step) => {
    const dataKind = stepTypeOf(step.type).keeps?.in;
    if (dataKind !== 'documents' && dataKind !== 'faces') return [];
    const ofStep = images.filter((image) => image.step === step.id);
    const last = Math.max(...ofStep.map(({ attempt }) => attempt));
    const key = step.key as string;
    return ofStep
      .filter(({ attempt }) => attempt === last)
      .map((image) => ({ kind: dataKind, key, image, path: pathOf(dataKind, key, image.name) }));
  });
}

/** `front` is the whole picture as the end user took it; `front.cropped` is its part with the document alone. */
function pathOf(kind: Item['kind'], key: string, name: string): string {
  if (kind !== 'documents' || name === 'portrait') return `${kind}/${key}/${name}`;
  return `documents/${key}/${name.endsWith('.cropped') ? name.replace('.', '/') : `${name}/uncropped`}`;
}
