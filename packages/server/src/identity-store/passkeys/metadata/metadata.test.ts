import assert from 'node:assert/strict';
import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { authority, intermediate } from '../../../../test/authenticator/authority.ts';
import { type Edition, entryOf, metadataService } from '../../../../test/authenticator/metadata.ts';
import { testClock } from '../../../../test/harness.ts';
import { rsaKeys } from '../../../../test/rsa-keys.ts';
import { checkMetadata } from '../../../doctor/metadata.ts';
import { readCertificate } from '../attestation/read-certificate.ts';
import { Malformed } from '../malformed.ts';
import { openMetadata, trustOf } from './open-metadata.ts';
import { nameOfKey, readBlob } from './read-blob.ts';

const service = metadataService();
const AAGUID = '01020304-0506-0708-090a-0b0c0d0e0f10';
const MODEL = Buffer.from(AAGUID.replaceAll('-', ''), 'hex');
const trust = { roots: [new X509Certificate(service.root)], hostName: undefined, now: Date.now() };
const DAY = 24 * 3600 * 1000;

describe('a BLOB of the FIDO metadata', () => {
  it('a BLOB of the FIDO metadata is read if its signature leads to the root, with its number, its date and its models', () => {
    const entries = [entryOf(AAGUID, []), { aaid: '4e4e#4001' }];
    const { no, nextUpdate, models } = readBlob(service.blob({ no: 7, entries }), trust);
    assert.deepEqual(
      [no, nextUpdate, [...models.keys()]],
      [7, Date.parse('2099-01-01'), [`model:${MODEL.toString('hex')}`]],
    );
  });

  it('a BLOB of the FIDO metadata identifies an authenticator older than FIDO2 by the key of its certificate', () => {
    const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const leaf = readCertificate(authority().issue({ key: publicKey }));
    const key = nameOfKey(leaf);
    assert.match(key, /^key:[0-9a-f]{40}$/);
    const entry = { attestationCertificateKeyIdentifiers: [key.slice(4)], metadataStatement: {}, statusReports: [] };
    assert.ok(readBlob(service.blob({ entries: [entry] }), trust).models.get(key));
  });

  it('a BLOB of the FIDO metadata is refused if it was changed, is signed by somebody untrusted, or names another algorithm', () => {
    const stranger = metadataService();
    const wrong: Edition[] = [
      { payload: (json) => json.replace('"no":1', '"no":2') },
      { alg: 'none' },
      { alg: 'HS256' },
      { alg: 'RS256' },
      { x5c: () => [] },
      { x5c: () => [Buffer.from('nonsense').toString('base64')] },
      { x5c: (chain) => [...chain, intermediate(authority()).certificate.toString('base64')] },
      { header: { x5c: undefined } },
    ];
    for (const edition of wrong)
      assert.throws(() => readBlob(service.blob(edition), trust), Malformed, JSON.stringify(edition));
    assert.throws(() => readBlob(stranger.blob(), trust), Malformed);
    for (const text of ['', 'a.b', 'a.b.c', `${service.blob()}.x`])
      assert.throws(() => readBlob(text, trust), Malformed);
  });

  it('a BLOB of the FIDO metadata is refused before its header is read if that is larger than any chain of certificates', () => {
    const header = { x5c: [Buffer.alloc(200_000).toString('base64')] };
    assert.throws(() => readBlob(service.blob({ header }), trust), /the header of the BLOB is too large/);
  });

  it('a BLOB of the FIDO metadata may be signed with RSA of 2,048 bits or more, and with no shorter key', () => {
    for (const alg of ['RS256', 'PS256']) {
      const strong = metadataService(authority(), 'mds.example.org', rsaKeys());
      const roots = [new X509Certificate(strong.root)];
      assert.equal(readBlob(strong.blob({ no: 3, alg }), { ...trust, roots }).no, 3, alg);
      const short = generateKeyPairSync('rsa', { modulusLength: 1024 });
      const weak = metadataService(authority(), 'mds.example.org', short);
      const weakTrust = { ...trust, roots: [new X509Certificate(weak.root)] };
      assert.throws(() => readBlob(weak.blob({ alg }), weakTrust), /an algorithm that is not supported/, alg);
    }
  });

  it('a BLOB of the FIDO metadata is refused if its certificate is not valid, or not that of the service', () => {
    assert.throws(() => readBlob(service.blob(), { ...trust, now: Date.now() + 800 * DAY }), Malformed);
    assert.ok(readBlob(service.blob(), { ...trust, hostName: 'mds.example.org' }));
    assert.throws(() => readBlob(service.blob(), { ...trust, hostName: 'mds.fidoalliance.org' }), /not that of/);
  });

  it('a BLOB of the FIDO metadata must come from FIDO: with one root that Node knows, and the name of the service', async () => {
    const { roots, hostName } = await trustOf(undefined);
    assert.deepEqual([roots.length, hostName], [1, 'mds.fidoalliance.org']);
    assert.match(roots[0]?.subject ?? '', /GlobalSign Root CA - R3/);
  });
});

describe('the metadata of a server', () => {
  const folder = mkdtempSync(join(tmpdir(), 'grove-mds-'));
  after(() => rmSync(folder, { recursive: true }));
  const rootFile = join(folder, 'root.pem');
  writeFileSync(rootFile, service.root);
  const errors: object[] = [];
  const log = { info: () => undefined, error: (details: object) => void errors.push(details) };
  const nobody = { send: async () => ({ fault: 'connection', milliseconds: 0 }) as const };

  it('the metadata of a server is read from its file at the start, and again when the file has changed; an older edition is refused', async () => {
    const source = join(folder, 'blob.jwt');
    const metadata = openMetadata({
      metadataPlace: { source, rootFile, cacheFile: join(folder, 'unused') },
      outbound: nobody,
      clock: testClock(),
      log,
    });
    await metadata.load();
    assert.equal(metadata.current(), undefined, 'there is no file yet');
    assert.equal(errors.length, 1);
    writeFileSync(source, service.blob({ no: 5, entries: [entryOf(AAGUID, [])] }));
    await metadata.refresh();
    assert.equal(metadata.current()?.no, 5);
    assert.equal(metadata.find(MODEL, undefined)?.description, 'A model');
    assert.equal(metadata.find(Buffer.alloc(16, 9), undefined), undefined);
    writeFileSync(source, service.blob({ no: 4 }));
    await metadata.refresh();
    assert.equal(metadata.current()?.no, 5, 'an older edition would bring back what was revoked');
    writeFileSync(source, `${service.blob({ no: 6, entries: [] })}x`);
    await metadata.refresh();
    assert.equal(metadata.current()?.no, 5);
    writeFileSync(source, service.blob({ no: 16 }));
    await metadata.refresh();
    assert.equal(metadata.current()?.no, 16);
    const faults = errors.length;
    writeFileSync(source, service.blob({ no: 116, nextUpdate: '2020-01-01' }));
    await metadata.refresh();
    assert.deepEqual([metadata.current()?.no, errors.slice(faults)], [116, [{ no: 116 }]], 'overdue, used and logged');
    metadata.stop();
    writeFileSync(source, service.blob({ no: 16 }));
    const state = async (place: string, now = Date.now()) =>
      (await checkMetadata({ fidoMetadata: { source: place, rootFile, cacheFile: join(folder, 'none') } }, now))[0]
        ?.state;
    assert.deepEqual(await checkMetadata({ fidoMetadata: undefined }, 0), []);
    assert.deepEqual(
      [await state(source), await state(rootFile), await state('https://mds.example.org/')],
      ['ok', 'fault', 'warning'],
    );
    writeFileSync(source, service.blob({ no: 17, nextUpdate: '2020-01-01' }));
    assert.equal(await state(source), 'warning');
  });

  it('the metadata of a server is looked up by the key of a certificate only for an authenticator without an AAGUID', async () => {
    const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const leaf = readCertificate(authority().issue({ key: publicKey }));
    const attestationCertificateKeyIdentifiers = [nameOfKey(leaf).slice('key:'.length)];
    const metadataStatement = { description: 'A key of before' };
    const entry = { attestationCertificateKeyIdentifiers, metadataStatement, statusReports: [] };
    const source = join(folder, 'old-keys.jwt');
    writeFileSync(source, service.blob({ entries: [entry] }));
    const metadataPlace = { source, rootFile, cacheFile: join(folder, 'unused') };
    const metadata = openMetadata({ metadataPlace, outbound: nobody, clock: testClock(), log });
    await metadata.load();
    const NO_AAGUID = Buffer.alloc(16);
    assert.equal(metadata.find(NO_AAGUID, leaf)?.description, 'A key of before');
    assert.equal(metadata.find(NO_AAGUID, undefined), undefined);
    assert.equal(metadata.find(MODEL, leaf), undefined, 'a model that FIDO does not list');
  });

  it('the metadata of a server is fetched from its address when due, stored for the next start, and kept while the service is unavailable', async () => {
    const clock = testClock();
    const cacheFile = join(folder, 'cache.jwt');
    let fetches = 0;
    let text = service.blob({ no: 1, nextUpdate: new Date(clock.now() + 30 * DAY).toISOString() });
    const outbound = {
      async send() {
        fetches += 1;
        if (text === '') return { fault: 'connection', milliseconds: 0 } as const;
        return { status: 200, body: Buffer.from(text), milliseconds: 0 } as const;
      },
    };
    const deps = { metadataPlace: { source: 'https://mds.example.org/', rootFile, cacheFile }, outbound, clock, log };
    const metadata = openMetadata(deps);
    await metadata.load();
    assert.equal(fetches, 0);
    await metadata.refresh();
    await metadata.refresh();
    assert.deepEqual([fetches, metadata.current()?.no], [1, 1]);
    assert.equal(statSync(cacheFile).mode & 0o777, 0o600);
    assert.ok(!existsSync(`${cacheFile}.new`));
    clock.advance(DAY);
    text = service.blob({ no: 2, nextUpdate: new Date(clock.now() + 30 * DAY).toISOString() });
    await metadata.refresh();
    assert.deepEqual([fetches, metadata.current()?.no], [2, 2]);
    clock.advance(DAY);
    text = '';
    await metadata.refresh();
    assert.deepEqual([fetches, metadata.current()?.no], [3, 2]);
    const soon = openMetadata({
      ...deps,
      metadataPlace: { ...deps.metadataPlace, cacheFile: join(folder, 'soon.jwt') },
    });
    text = service.blob({ no: 3, nextUpdate: new Date(clock.now() + DAY / 2).toISOString() });
    await soon.refresh();
    clock.advance(DAY / 2);
    text = service.blob({ no: 4 });
    await soon.refresh();
    assert.deepEqual(
      [fetches, soon.current()?.no],
      [5, 4],
      'an edition that is over is not used for the rest of the day',
    );
    soon.stop();
    fetches = 3;
    const next = openMetadata(deps);
    await next.load();
    assert.deepEqual([fetches, next.current()?.no], [3, 2], 'the next start has it without the network');
    metadata.stop();
    next.stop();
  });

  it('the metadata of a server is empty if the operator has configured none', async () => {
    const metadata = openMetadata({ metadataPlace: undefined, outbound: nobody, clock: testClock(), log });
    await metadata.load();
    metadata.start();
    assert.equal(metadata.find(MODEL, undefined), undefined);
    metadata.stop();
  });
});
