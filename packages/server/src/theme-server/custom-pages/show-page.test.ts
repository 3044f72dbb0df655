import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { onBothEngines, openTestApp, type TestApp } from '../../../test/harness.ts';
import { pageZip } from '../../../test/zips.ts';
import { asTenantId } from '../../kernel/ids.ts';
import { pageFileFinder } from './show-page.ts';

const BASE = '/api/theme-server/customPages';
const LONG = randomBytes(128 * 1024).toString('hex');

onBothEngines('a long file of a custom page', (_engine, places) => {
  let app: TestApp;
  let label: string;
  before(async () => {
    app = await openTestApp(await places.create());
    const body = new Uint8Array(pageZip([{ name: 'long.js', content: LONG }]));
    const headers = { 'Content-Type': 'application/zip' };
    const { id } = (await app.call(`${BASE}/heavy/versions`, { method: 'POST', body, headers })).body;
    await app.call(`${BASE}/${id}/deploy`, { method: 'POST' });
    const { url } = (await app.call(`${BASE}/${id}`)).body;
    label = new URL(url).pathname.split('/')[2] as string;
  });
  after(() => app.stop());

  it('a long file of a custom page is read after earlier ones of its tenant, and others are served in between', async () => {
    const find = pageFileFinder({ db: app.app.db, clock: app.clock });
    const files = await Promise.all(Array.from({ length: 5 }, () => find(label, 'long.js')));
    let turns = 0;
    const readAt: number[] = [];
    const reading = Promise.all(
      files.map(async (file) => {
        assert.equal((await file?.readContent())?.length, LONG.length);
        readAt.push(turns);
      }),
    );
    let isRead = false;
    reading.then(() => {
      isRead = true;
    });
    for (; !isRead; turns += 1) await nextTurn();
    await reading;
    assert.equal(new Set(readAt).size, files.length, `read in the turns ${readAt}`);
  });

  it('a long file of a custom page is not read for a browser that has it, and for HEAD', async () => {
    const url = `${app.baseUrl}/pages/${label}/long.js`;
    const first = await fetch(url);
    assert.equal((await first.arrayBuffer()).byteLength, LONG.length);
    // Its content is gone, so reading it would be a 404.
    await app.app.db
      .of(asTenantId('acme'))
      .write((tx) => tx.run({ text: 'DELETE FROM custom_page_contents WHERE tenant_id = $1' }, ['acme']));
    const again = await fetch(url, { headers: { 'If-None-Match': first.headers.get('etag') ?? '' } });
    assert.deepEqual([again.status, (await fetch(url, { method: 'HEAD' })).status], [304, 200]);
    assert.equal((await fetch(url)).status, 404);
  });
});
