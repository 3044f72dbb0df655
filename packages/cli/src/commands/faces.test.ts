import assert from 'node:assert/strict';
import { test } from 'node:test';
import { grove, groveJson, temporaryFolder } from '../../test/grove.ts';

test('re-enrol names the algorithm of stored faces, and starts no engine if there is nothing to do', async (t) => {
  const env = { GROVE_DATA: temporaryFolder(t) };
  await groveJson(['tenant', 'create', 'acme'], env);
  const pack = { GROVE_FACE_PACK: 'intel-0095', GROVE_WEIGHTS: '/nowhere' };
  assert.deepEqual(await groveJson(['faces', 're-enrol'], { ...env, ...pack }), {
    algorithm: 'GROVE_FACE_INTEL_0095_1',
    tenants: [{ tenantId: 'acme', done: 0, withoutImage: 0, withoutFace: 0 }],
  });
  const { code, stderr } = await grove(['faces', 're-enrol', '--tenant', 'nobody'], env);
  assert.deepEqual([code, /There is no tenant nobody/.test(stderr)], [1, true]);
});
