import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { openTestApp, type TestApp, testPlaces } from '../../packages/server/test/harness.ts';
import type { DocumentKindName } from './document-kinds.ts';
import { openMaterial } from './document-material.ts';
import { openDocumentTrial } from './document-trial.ts';

/** The short form of `npm run attacks:documents`. The rules that stop the other kinds have tests of their own. */
const CAUGHT: readonly (readonly [DocumentKindName, sign: RegExp])[] = [
  ['photocopy', /documentAuthenticity photocopy/],
  ['printEdited', /documentConsistency mrz_mismatch/],
];

describe('documents that are presented to a real server', () => {
  const places = testPlaces();
  let app: TestApp;
  let trial: ReturnType<typeof openDocumentTrial>;

  before(async () => {
    app = await openTestApp(await places.create(), { environment: { GROVE_VISION: 'eager' } });
    const order = { today: new Date(app.clock.now()).toISOString().slice(0, 10), seed: 1 };
    trial = openDocumentTrial(app, { ...order, definition: 'document-only', material: await openMaterial(order) });
  });
  after(() => app?.stop());

  it('documents that are presented to a real server are accepted if they are genuine and in order', async () => {
    assert.deepEqual(await trial.run('genuine', 0), { outcome: 'accepted', signs: [], alarm: false });
  });

  for (const [kind, sign] of CAUGHT) {
    it(`documents that are presented to a real server are not accepted without a human: ${kind}`, async () => {
      const result = await trial.run(kind, 0);
      assert.ok(result);
      assert.notEqual(result.outcome, 'accepted');
      assert.match(result.signs.join(), sign);
    });
  }
});
