import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { openTestApp, testPlaces } from '../test/harness.ts';
import { checkPages } from './doctor/pages.ts';

const places = testPlaces();

it('100135: a server without the built pages of end users is not ready, and doctor says so, until they are built', async () => {
  const webFolder = mkdtempSync(join(tmpdir(), 'grove-pages-'));
  const grove = await openTestApp(await places.create(), { webFolder });
  try {
    const ready = () => grove.call('/health/ready', { token: null });
    const { status, body, headers } = await ready();
    assert.deepEqual([status, body.code, headers.get('retry-after')], [503, 100135, '10']);
    // API calls are served without the pages.
    assert.equal((await grove.call('/api/arthr/apiKeys')).status, 200);
    assert.equal((await checkPages(webFolder)).state, 'fault');
    writeFileSync(join(webFolder, 'index.html'), '<!doctype html>');
    assert.equal((await ready()).status, 200);
    assert.equal((await checkPages(webFolder)).state, 'ok');
  } finally {
    await grove.stop();
    rmSync(webFolder, { recursive: true });
  }
});
