import assert from 'node:assert/strict';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, it } from 'node:test';
import { SHARDS } from '../../../server/src/engines/blobs/blobs.ts';
import { openFolder } from '../../../server/src/engines/blobs/folder.ts';
import { openErased } from '../../../server/src/engines/blobs/open.ts';
import { dayOf } from '../../../server/src/kernel/clock.ts';
import { newId } from '../../../server/src/kernel/ids.ts';
import { databaseOf } from '../../../server/test/database.ts';
import { openTestApp, type TestPlace, testPlaces } from '../../../server/test/harness.ts';
import { S3_KEY, S3_REGION, type S3Server, startS3 } from '../../../server/test/s3-server.ts';
import { grove, groveJson, keysSeenBy, startGrove } from '../../test/grove.ts';
import { progressLine } from '../progress.ts';

type Backup = { manifest: string; images: number; copied: number; erasedMeanwhile: number; removed: string[] };
type Verified = { backups: { images: number; faults: string[] }[] };

describe('backups with images, and a move with images', () => {
  const places = testPlaces('sqlite');
  const postgres = testPlaces('postgres');
  let place: TestPlace;
  let env: Record<string, string | undefined>;
  let apiKey: string;
  let instanceId: string;
  let bucket: S3Server;
  const keys = Array.from({ length: 5 }, () => newId(Date.now()));

  const addImage = async (key: string) => {
    await openFolder(join(place.folder, 'blobs')).put(key, Buffer.from(`sealed ${key}`));
    const database = new DatabaseSync(`${place.folder}/grove.sqlite`);
    database
      .prepare(`INSERT INTO instance_images (tenant_id, instance_id, step, attempt, name, blob_key, content_type, bytes,
        sha256, created_at) VALUES ('acme', ?, 'document', 1, ?, ?, 'image/jpeg', 7, 'x', 1)`)
      .run(instanceId, key, key);
    database.close();
  };

  before(async () => {
    place = await places.create();
    env = { ...place.environment };
    const app = await openTestApp(place);
    apiKey = app.apiKey;
    const { id } = await app.client.processTokens.create({ body: { name: 'One', processDefnName: 'document-only' } });
    instanceId = (await app.client.processInstances.create({ query: { pt: id } })).processInstanceId;
    await app.stop();
    for (const key of keys) await addImage(key);
    const erased = openErased({ blobFolder: join(place.folder, 'blobs'), s3: undefined }, { now: Date.now });
    // An entry is stored under the shard of its day; entries of other days expire.
    const today = SHARDS[dayOf(Date.now()) % SHARDS.length] as string;
    await erased.put(newId(Date.now()).slice(0, -2) + today, Buffer.from('an entry'));
    bucket = await startS3('images');
  });
  after(() => bucket.stop());

  it('a second backup copies only new images, its manifest names all, and verify finds damaged and missing ones', async () => {
    const folder = `${place.folder}-backups`;
    const first = await groveJson<Backup>(['backup', folder, '--images'], env);
    assert.deepEqual([first.images, first.copied], [5, 5]);
    await addImage(newId(Date.now()));
    const second = await groveJson<Backup>(['backup', folder, '--images'], env);
    assert.deepEqual([second.images, second.copied], [6, 1]);
    const good = await groveJson<Verified>(['backup', 'verify', folder], env);
    assert.deepEqual(
      good.backups.map(({ images, faults }) => [images, faults.length]),
      [
        [5, 0],
        [6, 0],
      ],
    );

    const [one = '', other = ''] = keys;
    const fileOf = (key: string) => join(folder, 'images', key.slice(-2), key.slice(-4, -2), key);
    writeFileSync(fileOf(one), 'damaged');
    rmSync(fileOf(other));
    const bad = await grove(['backup', 'verify', folder, '--newest'], env);
    assert.equal(bad.code, 1);
    assert.match(bad.stdout, new RegExp(`the image ${one} is damaged`));
    assert.match(bad.stdout, new RegExp(`the image ${other} is missing`));
    const manifest = readFileSync(second.manifest, 'utf8');
    writeFileSync(second.manifest, manifest.replace(`"key":"${one}"`, `"key":"${newId(1)}"`));
    assert.match((await grove(['backup', 'verify', folder], env)).stderr, /manifest is damaged/);
    rmSync(folder, { recursive: true });
  });

  it('a restore into an empty folder brings back the database, the images and the list of erasures', async (t) => {
    const folder = `${place.folder}-kept`;
    for (let round = 0; round < 3; round++) await groveJson<Backup>(['backup', folder, '--images', '--keep', '2'], env);
    assert.equal(readdirSync(folder).filter((name) => name.endsWith('.manifest')).length, 2);
    assert.equal(readdirSync(folder).filter((name) => name.endsWith('.sqlite')).length, 2);
    const data = `${place.folder}-restored`;
    mkdirSync(data);
    cpSync(`${place.folder}/master.key`, `${data}/master.key`);
    const restored = await groveJson<{ restored: number; images: number }>(['restore', folder, '--ignore-erasures'], {
      GROVE_DATA: data,
    });
    assert.equal(restored.restored, restored.images);
    const [key = ''] = keys;
    assert.equal(readFileSync(join(data, 'blobs', key.slice(-2), key.slice(-4, -2), key), 'utf8'), `sealed ${key}`);
    assert.ok(existsSync(join(data, 'blobs/erased')));
    const server = await startGrove(t, { GROVE_DATA: data }, '--force');
    assert.equal((await keysSeenBy(server.url, apiKey)).length, 1);
    await server.stop();
    for (const each of [folder, data]) rmSync(each, { recursive: true });
  });

  it('a missing image that the database names fails the backup, which then leaves no manifest', async () => {
    const folder = `${place.folder}-lost`;
    const [key = ''] = keys;
    const blobs = openFolder(join(place.folder, 'blobs'));
    await blobs.delete(key);
    const { code, stderr } = await grove(['backup', folder, '--images'], env);
    assert.equal(code, 1);
    assert.match(stderr, new RegExp(`names an image that is not in its place: ${key}`));
    assert.deepEqual(
      readdirSync(folder).filter((name) => name.endsWith('.manifest')),
      [],
    );
    await blobs.put(key, Buffer.from(`sealed ${key}`));
    rmSync(folder, { recursive: true });
  });

  it('an installation moves to PostgreSQL with its images in a bucket, and backs these up by a manifest', async (t) => {
    const target = await postgres.createEmpty();
    const url = target.environment.DATABASE_URL as string;
    const s3 = {
      AWS_ACCESS_KEY_ID: S3_KEY.accessKeyId,
      AWS_SECRET_ACCESS_KEY: S3_KEY.secretAccessKey,
    };
    const imagesTo = `s3://images/grove?region=${S3_REGION}&endpoint=${encodeURIComponent(bucket.endpoint.replace(/\/images$/, ''))}`;
    const data = `${place.folder}-moving`;
    cpSync(place.folder, data, { recursive: true });
    const moving = { GROVE_DATA: data, ...s3 };
    const args = ['move', '--to', url, '--images-to', imagesTo];
    const running = await startGrove(t, { GROVE_DATA: data }, '--force');
    assert.match((await grove(args, moving)).stderr, /Another server is using the data folder/);
    await running.stop();
    const moved = await groveJson<{ rows: number; images: { present: number; erasures: number }; kept: string }>(
      args,
      moving,
    );
    assert.equal(moved.images.present, readKeys(data));
    assert.deepEqual([moved.images.erasures, moved.rows > 10, existsSync(moved.kept)], [1, true, true]);
    assert.ok(!existsSync(`${data}/grove.sqlite`));
    const after = { ...moving, DATABASE_URL: url, BLOB_URL: imagesTo };
    const server = await startGrove(t, after, '--force');
    assert.equal((await keysSeenBy(server.url, apiKey)).length, 1);
    await server.stop();
    assert.match((await grove(['start'], moving)).stderr, /was moved to PostgreSQL/);

    const folder = `${place.folder}-listed`;
    const listed = await groveJson<Backup>(['backup', folder, '--images', '--list-images'], after);
    assert.equal(listed.images, moved.images.present);
    assert.equal((await grove(['backup', 'verify', folder], after)).code, 0);
    const [path = ''] = [...bucket.objects.keys()].filter((each) => each.endsWith(keys[0] ?? '-'));
    bucket.objects.delete(path);
    assert.match((await grove(['backup', 'verify', folder], after)).stdout, new RegExp(`image ${keys[0]} is missing`));
    for (const each of [folder, data]) rmSync(each, { recursive: true });
  });

  it('move refuses an address that is not PostgreSQL, an installation that already is, and a folder without a database', async () => {
    assert.equal((await grove(['move', '--to', 'mysql://x'], env)).code, 2);
    const url = databaseOf(await postgres.createEmpty());
    const onPostgres = { GROVE_DATA: `${place.folder}-none`, DATABASE_URL: 'url' in url ? url.url : '' };
    assert.match((await grove(['move', '--to', onPostgres.DATABASE_URL], onPostgres)).stderr, /on PostgreSQL already/);
    const empty = { GROVE_DATA: `${place.folder}-none` };
    assert.match((await grove(['move', '--to', onPostgres.DATABASE_URL], empty)).stderr, /no SQLite database/);
  });
});

function readKeys(data: string): number {
  const files = readdirSync(`${data}/blobs`, { recursive: true }) as string[];
  return files.filter((name) => /^[0-9A-Z]{2}\/.*[0-9A-Z]{26}$/.test(name)).length;
}

describe('progress of a long command', () => {
  const outputOf = (isTTY: boolean) => {
    let now = 0;
    let text = '';
    const line = progressLine(
      {
        isTTY,
        write: (more) => {
          text += more;
        },
      },
      () => now,
    );
    for (let done = 0; done <= 10; done++) {
      line.show('Rows copied', done * 1000, 10_000);
      now += 2000;
    }
    line.end();
    return text;
  };

  it('progress is one line with the remaining time at a terminal, and occasional plain lines elsewhere', () => {
    assert.ok(outputOf(true).includes('\r\u001b[KRows copied: 50 % (5,000 of 10,000), 10 s left'));
    const plain = outputOf(false).split('\n');
    assert.ok(plain.length >= 3 && plain.length <= 6);
    assert.match(plain[0] ?? '', /^Rows copied: \d+ % \([\d,]+ of 10,000\), \d+ s left$/);
    assert.ok(!outputOf(false).includes('\u001b'));
  });
});
