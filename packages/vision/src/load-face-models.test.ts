import assert from 'node:assert/strict';
import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { AUDREY, FRANCK, FRANCK_TURNED, picture } from '../test/pictures.ts';
import { analyseFace } from './faces/analyse.ts';
import { matchTemplates } from './faces/match.ts';
import { facePack } from './faces/packs.ts';
import { loadEmbedder, loadFaceModels } from './load-face-models.ts';
import { SUPPLIED_MODELS, WEIGHTS } from './model-names.ts';

/** The folder of the models that no package carries, if there is one. */
const SUPPLIED = process.env.TEST_WEIGHTS;

describe('weights that the operator supplies', () => {
  const packaged = dirname(createRequire(import.meta.url).resolve(`${WEIGHTS}/package.json`));
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'grove-weights-'));
  });
  after(() => rmSync(folder, { recursive: true }));

  test('supplied weights are not needed: passive liveness has a network of the package', async () => {
    for (const weights of [undefined, folder]) {
      const { passive, embedder } = await loadFaceModels({ ...(weights !== undefined && { weights }) });
      assert.deepEqual([passive?.model.name, embedder.pack.name], ['fr_liveness', 'faceplugin']);
    }
  });

  test('missing weights that a pack needs are named', async () => {
    await assert.rejects(loadEmbedder(facePack('intel-0095')), /intel-0095 needs GROVE_WEIGHTS/);
    await assert.rejects(loadEmbedder(facePack('intel-0095'), folder), /has no file face_reid_0095.onnx/);
  });

  test('supplied weights with other answers than the measured ones are refused', async () => {
    copyFileSync(join(packaged, 'model/fr_liveness.onnx'), join(folder, SUPPLIED_MODELS.reid0095.file));
    await assert.rejects(loadEmbedder(facePack('intel-0095'), folder));
    copyFileSync(join(packaged, 'model/fr_feature.onnx'), join(folder, SUPPLIED_MODELS.minifasV1se.file));
    await assert.rejects(loadFaceModels({ weights: folder }), /has no file minifasnet_v2.onnx/, 'half of a pair');
  });
});

describe('the supplied weights themselves', { skip: SUPPLIED === undefined && 'TEST_WEIGHTS names no folder' }, () => {
  test('supplied weights recognise people, in vectors of their own', async () => {
    const weights = SUPPLIED as string;
    assert.ok(existsSync(weights));
    const models = await loadFaceModels({ pack: facePack('intel-0095'), weights });
    const [one, same, other] = await Promise.all(
      [FRANCK, FRANCK_TURNED, AUDREY].map(async (name) => {
        const { face } = await analyseFace(picture(name), models);
        assert.equal(face?.liveness?.model.name, 'minifasnet_v2+v1se');
        assert.ok(face?.template);
        return face.template;
      }),
    );
    assert.ok(one && same && other);
    assert.equal(one.vector.length, 256);
    assert.ok(matchTemplates(one, same).match);
    assert.ok(!matchTemplates(one, other).match);
  });
});
