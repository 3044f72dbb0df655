import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { after, before, it } from 'node:test';
import { onBothEngines } from '../../test/harness.ts';
import { JPEG, PNG, picture, WEBP } from '../../test/images.ts';
import { type Browser, DECIDE, DOCUMENT, openTestJourney, type TestJourney } from '../../test/journey.ts';
import { PDF } from '../../test/pdfs.ts';
import { BlobError } from '../engines/blobs/blobs.ts';
import { readStream } from '../engines/blobs/read-stream.ts';
import type { Step } from '../process-manager/engine/definition.ts';
import { readImage } from '../process-manager/images/read-image.ts';

const bytesOf = (text: string) => new Uint8Array(Buffer.from(text));

onBothEngines('images of a journey', (_engine, places) => {
  let grove: TestJourney;
  before(async () => {
    grove = await openTestJourney(await places.create());
  });
  after(() => grove.stop());

  const atDocument = async (environment: 'live' | 'test' = 'live'): Promise<Browser> => {
    const { code } = await grove.instance({ environment });
    const browser = grove.browser();
    await browser.open({ code });
    await browser.submit('consent', { accepted: true });
    return browser;
  };
  type Row = { name: string; instance_id: string; blob_key: string; content_type: string; bytes: number };
  const rowsOf = (browser: Browser) =>
    grove.acme.all<Row>({ text: 'SELECT * FROM instance_images WHERE tenant_id = $1 AND instance_id = $2' }, [
      'acme',
      browser.instanceId,
    ]);
  const read = (row: Row) =>
    readImage(
      { vault: grove.deps.vault, blobs: { get: async (key) => readStream(Readable.from([grove.blobs.get(key)])) } },
      grove.acme,
      row,
    );
  const codeOf = async (answer: ReturnType<Browser['upload']>) => (await answer).body.code;

  it('an image of a journey is stored sealed, under a random key, and opens only for its instance', async () => {
    const browser = await atDocument();
    const { status, body } = await browser.upload('document', 'front', PNG);
    const sha256 = createHash('sha256').update(PNG).digest('hex');
    assert.deepEqual([status, body], [200, { name: 'front', sha256, bytes: PNG.length }]);
    const [row] = await rowsOf(browser);
    assert.ok(row);
    const sealed = grove.blobs.get(row.blob_key) as Uint8Array;
    assert.ok(!Buffer.from(sealed).includes(Buffer.from(PNG)));
    const image = await read(row);
    assert.deepEqual([image.length, image.subarray(0, 3)], [row.bytes, Buffer.from([0xff, 0xd8, 0xff])]);
    const other = await atDocument();
    await other.upload('document', 'front', PNG);
    await assert.rejects(read({ ...row, instance_id: other.instanceId }));
  });

  it('an image of a journey is analysed ahead once it is stored, only in live, and not if it is refused', async () => {
    const browser = await atDocument();
    const inSandbox = await atDocument('test');
    grove.toldVision.length = 0;
    await browser.upload('document', 'front', JPEG, 'image/jpeg');
    await browser.upload('document', 'front', bytesOf('nothing'), 'image/jpeg');
    await inSandbox.upload('document', 'front', JPEG, 'image/jpeg');
    assert.deepEqual(grove.toldVision, ['document kept']);
  });

  it('an image of a journey may be a JPEG, PNG or WebP; the optional side too', async () => {
    const browser = await atDocument();
    assert.equal((await browser.upload('document', 'front', JPEG, 'image/jpeg')).status, 200);
    assert.equal((await browser.upload('document', 'back', WEBP, 'image/webp')).status, 200);
    assert.deepEqual((await browser.get()).body.step.images.sort(), ['back', 'front']);
  });

  it('100059: an image of a document may be a PDF, of which the first page is used; a live image may not', async () => {
    const at = async (step: Step): Promise<Browser> => {
      const browser = grove.browser();
      await browser.open({ code: (await grove.instance({ steps: [step, DECIDE] })).code });
      return browser;
    };
    const browser = await at(DOCUMENT);
    const { status, body } = await browser.upload('document', 'front', PDF, 'application/pdf');
    assert.deepEqual([status, body.pages, body.bytes], [200, 1, PDF.length]);
    const [row] = await rowsOf(browser);
    assert.deepEqual(
      [row?.content_type, (await read(row as Row)).subarray(0, 3)],
      ['image/jpeg', Buffer.from([0xff, 0xd8, 0xff])],
    );
    const face: Step = { id: 'selfie', type: 'face', key: 'face1', liveness: 'passive', maxAttempts: 3 };
    const refusals: [Step, string, Uint8Array, RegExp][] = [
      [face, 'image', PDF, /not a JPEG, PNG or WebP/],
      [{ ...DOCUMENT, requireLiveCapture: true }, 'front', PDF, /not a JPEG, PNG or WebP/],
      [DOCUMENT, 'front', JPEG, /not a PDF/],
      [DOCUMENT, 'front', PDF.subarray(0, 200), /its end is missing/],
    ];
    for (const [step, name, bytes, reason] of refusals) {
      const { body } = await (await at(step)).upload(step.id, name, new Uint8Array(bytes), 'application/pdf');
      assert.equal(body.code, 100059);
      assert.match(body.message, reason);
    }
  });

  it('100059: an image is refused if it is empty, not an image, or of another type than declared', async () => {
    const browser = await atDocument();
    const { blobs } = grove;
    const before = blobs.size;
    const refusals: [Uint8Array, string, RegExp][] = [
      [new Uint8Array(0), 'image/png', /it is empty/],
      [bytesOf('<svg onload=alert(1)>'), 'image/png', /it is not a JPEG, PNG or WebP image/],
      [PNG, 'image/jpeg', /it is image\/png and not image\/jpeg/],
      [bytesOf('{"documentType":"PASSPORT"}'), 'application/json', /only in the sandbox/],
    ];
    for (const [bytes, type, reason] of refusals) {
      const { status, body } = await browser.upload('document', 'front', bytes, type);
      assert.deepEqual([status, body.code], [400, 100059]);
      assert.match(body.message, reason);
    }
    assert.deepEqual([await rowsOf(browser), blobs.size], [[], before]);
  });

  it('100059: an image that no decoder can read to its end is not stored', async () => {
    const browser = await atDocument();
    const before = grove.blobs.size;
    const cut = new Uint8Array(await picture(300, 300).jpeg().toBuffer()).slice(0, 700);
    const { status, body } = await browser.upload('document', 'front', cut, 'image/jpeg');
    assert.deepEqual([status, body.code], [400, 100059]);
    assert.match(body.message, /its end is missing/);
    assert.deepEqual([await rowsOf(browser), grove.blobs.size], [[], before]);
  });

  it('an image that was changed, truncated or exchanged in the store is refused when it is read', async () => {
    const browser = await atDocument();
    await browser.upload('document', 'front', PNG);
    await browser.upload('document', 'back', PNG);
    const [one, two] = (await rowsOf(browser)) as [Row, Row];
    const stored = Buffer.from(grove.blobs.get(one.blob_key) as Uint8Array);
    const changed = Buffer.from(stored);
    changed[100] = (changed[100] as number) ^ 1;
    for (const bytes of [changed, stored.subarray(0, -1), Buffer.alloc(0), grove.blobs.get(two.blob_key) as Buffer]) {
      grove.blobs.set(one.blob_key, bytes);
      await assert.rejects(read(one));
    }
    grove.blobs.set(one.blob_key, stored);
    assert.equal((await read(one)).length, one.bytes);
  });

  it('100059: a JSON object is accepted in place of an image only in the sandbox, and no other JSON is', async () => {
    const browser = await atDocument('test');
    const send = (text: string) => browser.upload('document', 'front', bytesOf(text), 'application/json');
    for (const text of ['[]', '"text"', 'null', '{', `{"a":"${'x'.repeat(64 * 1024)}"}`]) {
      assert.equal(await codeOf(send(text)), 100059, text.slice(0, 20));
    }
    assert.equal((await send('{"documentType":"PASSPORT"}')).status, 200);
    assert.deepEqual(
      (await rowsOf(browser)).map(({ content_type }) => content_type),
      ['application/json'],
    );
    assert.equal((await browser.upload('document', 'back', PNG)).status, 200);
  });

  it('an image with a name that the step does not have is refused as bad input', async () => {
    const browser = await atDocument();
    const { status, body } = await browser.upload('document', 'selfie', PNG);
    assert.deepEqual(
      [status, body.code, body.errors],
      [400, 100001, [{ pointer: '/params/imageName', message: 'must be one of front, back' }]],
    );
  });

  it('a second image of the same name replaces the first, whose bytes are deleted', async () => {
    const browser = await atDocument();
    await browser.upload('document', 'front', PNG);
    const [first] = await rowsOf(browser);
    await browser.upload('document', 'front', JPEG, 'image/jpeg');
    const rows = await rowsOf(browser);
    assert.equal(rows.length, 1);
    assert.deepEqual(grove.deleted.slice(-1), [first?.blob_key]);
    assert.ok(!grove.deleted.includes(rows[0]?.blob_key as string));
  });

  it('100056: an image for a step that is not current is refused', async () => {
    const browser = await atDocument();
    assert.equal(await codeOf(browser.upload('consent', 'front', PNG)), 100056);
    await browser.upload('document', 'front', PNG);
    await browser.submit('document');
    assert.equal(await codeOf(browser.upload('document', 'front', PNG)), 100056);
  });

  it('100056: an image whose step ends while it is stored is not recorded, and its bytes are deleted', async () => {
    const browser = await atDocument();
    await browser.upload('document', 'front', PNG);
    const before = grove.blobs.size;
    const { put } = grove.deps.blobs;
    grove.deps.blobs.put = async (key, bytes) => {
      grove.deps.blobs.put = put;
      await put(key, bytes);
      assert.equal((await browser.submit('document')).status, 200);
    };
    assert.equal(await codeOf(browser.upload('document', 'back', PNG)), 100056);
    assert.deepEqual(
      (await rowsOf(browser)).map(({ name }) => name),
      ['front'],
    );
    assert.equal(grove.blobs.size, before);
  });

  it('100020: an image that could not be stored is not recorded, so no row lacks its bytes', async () => {
    const browser = await atDocument();
    const { put } = grove.deps.blobs;
    grove.deps.blobs.put = async () => {
      grove.deps.blobs.put = put;
      throw new BlobError('full', 'the disk is full');
    };
    const refusal = await browser.upload('document', 'front', PNG);
    assert.deepEqual([refusal.status, refusal.body.code], [507, 100020]);
    assert.deepEqual(await rowsOf(browser), []);
    assert.deepEqual((await browser.get()).body.step.images, []);
  });
});
