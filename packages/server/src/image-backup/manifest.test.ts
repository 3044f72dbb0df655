import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { openFolder } from '../engines/blobs/folder.ts';
import { keepNewest } from './image-backup.ts';
import { type ManifestHead, readManifest, writeManifest } from './manifest.ts';

describe('the manifest of a backup', () => {
  const place = mkdtempSync(join(tmpdir(), 'grove-manifest-'));
  after(() => rmSync(place, { recursive: true, force: true }));
  const folder = join(place, 'backups');
  mkdirSync(folder);

  async function* none() {}
  const write = (name: string, database: unknown) => {
    const head = { grove: 'backup', version: 1, at: '2030-01-31T03:00:00Z', database, images: 'copied' };
    return writeManifest(join(folder, name), head as ManifestHead, none());
  };

  it('the manifest of a backup may name only a database in its own folder, so that nobody who can write there has another file deleted or restored', async () => {
    const outside = join(place, 'outside.sqlite');
    writeFileSync(outside, 'of somebody else');
    await write('2.manifest', null);
    for (const file of [
      '../outside.sqlite',
      outside,
      'a/../../outside.sqlite',
      '..\\outside.sqlite',
      '',
      5,
      undefined,
    ]) {
      await write('1.manifest', { file, bytes: 16, sha256: '' });
      await assert.rejects(
        readManifest(folder, '1.manifest'),
        /names a database that is not in its folder/,
        String(file),
      );
      await assert.rejects(
        keepNewest(folder, 1, openFolder(join(folder, 'images'))),
        /not in its folder/,
        String(file),
      );
      assert.ok(existsSync(outside), String(file));
    }
    await write('1.manifest', { file: '2030-01-31T03-00-00-000Z.sqlite', bytes: 16, sha256: '' });
    assert.deepEqual(await keepNewest(folder, 1, openFolder(join(folder, 'images'))), ['1.manifest']);
  });
});
