import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { toUnit } from './embed.ts';
import { matchTemplates } from './match.ts';
import { facePack } from './packs.ts';
import { decodeTemplate, encodeTemplate, newTemplate, TEMPLATE_BYTES, TemplateFault } from './template.ts';

const template = newTemplate(toUnit(Float32Array.from({ length: 512 }, (_, at) => Math.sin(at))));

function isFault(reason: string) {
  return (error: unknown) => error instanceof TemplateFault && error.reason === reason;
}

describe('a stored template', () => {
  test('a stored template is restored bit by bit', () => {
    const bytes = encodeTemplate(template);
    assert.equal(bytes.length, TEMPLATE_BYTES);
    assert.deepEqual(decodeTemplate(bytes), template);
  });

  test('a stored template of another algorithm or other weights is refused, not compared', () => {
    const renamed = encodeTemplate({ ...template, algorithm: 'GROVE_FACE_512_0' });
    assert.throws(() => decodeTemplate(renamed), isFault('algorithm_not_supported'));
    const retrained = encodeTemplate({ ...template, model: { name: 'fr_feature', version: '000000000000' } });
    assert.throws(() => decodeTemplate(retrained), isFault('algorithm_not_supported'));
  });

  test('a stored template of any pack is restored, whichever is in use', () => {
    const intel = facePack('intel-0095');
    const other = newTemplate(toUnit(Float32Array.from({ length: 256 }, (_, at) => Math.cos(at))), intel);
    const bytes = encodeTemplate(other);
    assert.deepEqual([bytes.length, decodeTemplate(bytes)], [48 + 256 * 4, other]);
    assert.throws(() => matchTemplates(template, other), isFault('algorithm_not_supported'));
    assert.throws(() => decodeTemplate(bytes.subarray(0, -4)), isFault('malformed'));
  });

  test('a stored template that is cut, foreign or no unit vector is refused', () => {
    const bytes = encodeTemplate(template);
    assert.throws(() => decodeTemplate(bytes.subarray(0, 100)), isFault('malformed'));
    assert.throws(() => decodeTemplate(Buffer.alloc(TEMPLATE_BYTES)), isFault('malformed'));
    const long = encodeTemplate({ ...template, vector: template.vector.map((value) => value * 2) });
    assert.throws(() => decodeTemplate(long), isFault('malformed'));
    const broken = encodeTemplate({ ...template, vector: template.vector.map(() => Number.NaN) });
    assert.throws(() => decodeTemplate(broken), isFault('malformed'));
  });
});
