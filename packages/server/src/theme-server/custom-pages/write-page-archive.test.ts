import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { unzip } from '../../../test/unzip.ts';
import { MAX_ARCHIVES_AT_ONCE, packingInTurn, writePageArchive } from './write-page-archive.ts';

describe('the archive of a custom page', () => {
  const noise = Buffer.from(Array.from({ length: 300_000 }, (_, at) => (at * 7919) % 251));
  const files = (count: number, readContent: () => Promise<Uint8Array>) =>
    Array.from({ length: count }, (_, at) => ({ path: `${at}.png`, content_type: 'image/png', readContent }));

  it('the archive of a custom page reads a file only after the previous one was sent, and no more once the client disconnects', async () => {
    let reads = 0;
    const readContent = async () => {
      reads += 1;
      return noise;
    };
    const archive = writePageArchive(files(100, readContent), 0);
    for await (const _chunk of archive) break;
    assert.ok(reads <= 2, `${reads} files were read`);
    assert.ok(archive.destroyed);
  });

  it('the archive of a custom page contains every file, also an empty one', async () => {
    const contents = [noise, Buffer.alloc(0), Buffer.from('a')];
    const archived = contents.map((content, at) => ({
      path: `${at}.css`,
      content_type: 'text/css',
      readContent: async () => content,
    }));
    const entries = await unzip(Buffer.concat(await Array.fromAsync(writePageArchive(archived, 0))));
    assert.deepEqual([...entries.values()], contents);
  });

  it(`the archive of a custom page can be downloaded ${MAX_ARCHIVES_AT_ONCE} times at once by one owner; one more is refused with 100010`, async () => {
    const pack = packingInTurn();
    const open = (owner: string) =>
      pack(
        owner,
        files(3, async () => noise),
        0,
      );
    const [first] = Array.from({ length: MAX_ARCHIVES_AT_ONCE }, () => open('acme'));
    assert.throws(() => open('acme'), { code: 100010 });
    open('other');
    first?.destroy();
    await new Promise((done) => first?.once('close', done));
    await Array.fromAsync(open('acme'));
    open('acme');
    assert.throws(() => open('acme'), { code: 100010 });
  });

  it('the archive of a custom page is aborted if a file cannot be read', async () => {
    const archive = writePageArchive(
      files(3, () => Promise.reject(new Error('gone'))),
      0,
    );
    await assert.rejects(Array.fromAsync(archive), /gone/);
  });
});
