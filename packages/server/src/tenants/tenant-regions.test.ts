import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import pg from 'pg';
import { startJourney } from '../../test/end-user.ts';
import { onBothEngines, openTestApp, type TestApp, type TestPlace } from '../../test/harness.ts';
import { fetchAtHost } from '../../test/operators.ts';
import { S3_KEY, S3_REGION, type S3Server, startS3 } from '../../test/s3-server.ts';
import { readConfig } from '../config.ts';
import { checkConfiguration } from '../doctor/configuration.ts';
import { openTenantRegions, readTenantRegions } from './tenant-regions.ts';

const folder = mkdtempSync(join(tmpdir(), 'grove-regions-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));

function fileWith(content: unknown): string {
  const file = join(mkdtempSync(join(folder, 'directory-')), 'regions.json');
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return file;
}

/** A region: a server, its database and its bucket. */
type RegionalSystem = { app: TestApp; place: TestPlace; bucket: S3Server };

onBothEngines('an installation in two regions', (engine, places) => {
  const directory = fileWith({ acme: 'fir', nordbank: 'oak' });
  let [fir, oak] = [] as unknown as [RegionalSystem, RegionalSystem];

  const openRegion = async (region: string, tenantId: string): Promise<RegionalSystem> => {
    const [place, bucket] = [await places.create(), await startS3('images')];
    const environment = {
      GROVE_REGION: region,
      GROVE_TENANT_REGIONS: directory,
      GROVE_PUBLIC_PORT: '8080',
      BLOB_URL: `s3://images?region=${S3_REGION}&endpoint=${bucket.endpoint}`,
      AWS_ACCESS_KEY_ID: S3_KEY.accessKeyId,
      AWS_SECRET_ACCESS_KEY: S3_KEY.secretAccessKey,
    };
    return { place, bucket, app: await openTestApp(place, { tenantId, environment }) };
  };
  before(async () => {
    fir = await openRegion('fir', 'acme');
    oak = await openRegion('oak', 'nordbank');
  });
  after(async () => {
    for (const { app, bucket } of [fir, oak]) {
      await app?.stop();
      await bucket?.stop();
    }
  });

  const everythingIn = async ({ place, bucket }: RegionalSystem) => ({
    stored: engine === 'sqlite' ? bytesIn(place.folder) : await rowsIn(place.environment.DATABASE_URL ?? ''),
    objects: [...bucket.objects.keys()].map((name) => name.split('/').at(-1) as string),
  });

  const HOST = 'nordbank.fir.localhost:8080';
  const HOME = 'http://nordbank.oak.localhost:8080';

  it('an installation in two regions redirects a person who opens a page in the wrong region to the right one', async () => {
    const { status, location } = await ask(fir.app, { host: HOST, path: '/web/?pi=01J&lang=de' });
    assert.deepEqual([status, location], [307, `${HOME}/web/?pi=01J&lang=de`]);
    const console = await ask(fir.app, { host: HOST, path: '//elsewhere.example/' });
    assert.equal(console.location, `${HOME}//elsewhere.example/`);
  });

  it('an installation in two regions refuses an API call in the wrong region with the right address, before its key is checked and its body is read', async () => {
    const path = '/api/arthr/apiKeys/issue';
    // The declared body never arrives, so the connection cannot be used again.
    const headers = { 'x-api-key': oak.app.apiKey, 'content-length': '99', connection: 'close' };
    const call = { host: HOST, path, method: 'POST', headers };
    const { status, body } = await ask(fir.app, call);
    assert.equal(status, 421);
    const { code, message } = JSON.parse(body) as { code: number; message: string };
    assert.equal(code, 100013);
    assert.match(message, /lives in region oak, at http:\/\/nordbank\.oak\.localhost:8080$/);
  });

  it('an installation in two regions serves tenants of the region, and hosts that name no tenant', async () => {
    const path = '/api/arthr/apiKeys/issue';
    const issue = (system: RegionalSystem, host: string) =>
      ask(system.app, { host, path, method: 'POST', headers: { 'x-api-key': system.app.apiKey } });
    assert.equal((await issue(fir, 'acme.fir.localhost:8080')).status, 200);
    assert.equal((await issue(oak, 'nordbank.oak.localhost:8080')).status, 200);
    assert.equal((await issue(oak, 'localhost')).status, 200);
    assert.equal((await issue(fir, 'acme.oak.localhost:8080')).status, 421);
  });

  it('an installation in two regions does not create a tenant outside of its region', async () => {
    await assert.rejects(fir.app.app.tenants.create({ id: 'nordbank' }), /lives in region oak/);
    assert.deepEqual(
      (await fir.app.app.tenants.list()).map(({ id }) => id),
      ['acme'],
    );
  });

  it('an installation in two regions stores nothing of a tenant in the database and the bucket of the other region', async () => {
    for (const { app } of [fir, oak]) {
      const { apiKey } = await app.app.tenants.createApiKey(app.tenantId, { name: 'Test', environment: 'test' });
      const { user } = await startJourney(app, apiKey, { parameters: { _givenName: 'Ada' } });
      await user.finish();
    }
    const [inFir, inOak] = [await everythingIn(fir), await everythingIn(oak)];
    for (const [own, ownName, other, otherName] of [
      [inFir, 'acme', inOak, 'nordbank'],
      [inOak, 'nordbank', inFir, 'acme'],
    ] as const) {
      assert.ok(own.stored.includes(ownName));
      assert.ok(!own.stored.includes(otherName));
      // Objects do not contain the names of tenants. The database says to whom they belong.
      assert.ok(own.objects.length > 0);
      assert.ok(own.objects.every((object) => own.stored.includes(object) && !other.stored.includes(object)));
    }
  });
});

type HostRequest = { host: string; path: string; method?: string; headers?: Record<string, string> };

async function ask({ baseUrl }: TestApp, { host, path, method = 'GET', headers = {} }: HostRequest) {
  const answer = await fetchAtHost(`${baseUrl}${path}`, { method, headers: { ...headers, Host: host } });
  return { status: answer.status, location: answer.headers.get('location'), body: await answer.text() };
}

/** Every byte of a data folder: the database with its log, and all other files. */
function bytesIn(place: string): string {
  const files = readdirSync(place, { recursive: true, withFileTypes: true }).filter((each) => each.isFile());
  return files.map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'latin1')).join('\n');
}

/** Every row of every table, of all tenants. */
async function rowsIn(url: string): Promise<string> {
  const client = new pg.Client({ connectionString: url.replace(/\/\/\w+@/, '//admin@') });
  await client.connect();
  try {
    const tables = await client.query(`SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
      WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`);
    assert.ok(tables.rows.length > 30);
    const texts: string[] = [];
    for (const { name } of tables.rows) {
      const { rows } = await client.query(`SELECT t::text AS line FROM ${name} t`);
      texts.push(...rows.map(({ line }) => line));
    }
    return texts.join('\n');
  } finally {
    await client.end();
  }
}

describe('the directory of regions', () => {
  it('the directory of regions is a JSON object of tenants and regions; every fault is reported', () => {
    assert.deepEqual(
      [...readTenantRegions(fileWith({ acme: 'fir', nordbank: 'oak' }))],
      [
        ['acme', 'fir'],
        ['nordbank', 'oak'],
      ],
    );
    assert.throws(() => readTenantRegions(fileWith({ 'No Id': 'fir', acme: 'elm', nordbank: 'oak' })), {
      message: /"No Id" is no tenant id\.\n.*the region of acme must be one of fir, gum, oak\./,
    });
    for (const content of ['', '[]', 'null', '{"acme": "fir"', '"fir"']) {
      assert.throws(() => readTenantRegions(fileWith(content)), { message: /must be a JSON object such as/ });
    }
    assert.throws(() => readTenantRegions(join(folder, 'nowhere.json')), { message: /nowhere\.json.*ENOENT/ });
  });

  it('the directory of regions is read again when it changes; with a fault, the last correct one stays in use and the fault is logged', async () => {
    const file = fileWith({ acme: 'oak' });
    const faults: unknown[] = [];
    const regions = openTenantRegions({ tenantRegions: file, region: 'fir' }, (error) => faults.push(error), 20);
    try {
      assert.equal(regions.elsewhere('acme'), 'oak');
      writeFileSync(file, '{ "acme": "elm" }');
      while (faults.length === 0) await new Promise((later) => setTimeout(later, 50));
      assert.equal(regions.elsewhere('acme'), 'oak');
      writeFileSync(file, '{ "acme": "fir", "nordbank": "gum" }');
      while (regions.elsewhere('nordbank') !== 'gum') await new Promise((later) => setTimeout(later, 50));
      assert.equal(regions.elsewhere('acme'), undefined);
    } finally {
      regions.close();
    }
  });

  it('the directory of regions is checked by doctor', () => {
    const { checks } = checkConfiguration({ GROVE_DATA: folder, GROVE_TENANT_REGIONS: fileWith({ acme: 'elm' }) });
    assert.deepEqual(
      checks.map(({ state }) => state),
      ['fault'],
    );
    assert.equal(readConfig({ GROVE_DATA: folder }).tenantRegions, undefined);
  });
});
