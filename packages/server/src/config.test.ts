import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { describe, it } from 'node:test';
import { baseUrlOf, type Environment, readConfig } from './config.ts';
import { VARIABLES } from './config-variables.ts';

const POSTGRES = 'postgres://grove:hunter2@db.internal:5432/grove';
const BUCKET = 's3://images?region=eu-west-1';
const KEY = `1:${Buffer.alloc(32, 7).toString('base64')}`;

describe('the configuration', () => {
  it('the configuration of an empty environment is a server for this machine, on SQLite, with the data folder ./data', () => {
    const dataFolder = resolve('./data');
    assert.deepEqual(readConfig({}), {
      port: 8080,
      host: 'localhost',
      dataFolder,
      region: 'fir',
      tenantRegions: undefined,
      domain: 'localhost',
      scheme: 'http',
      publicPort: undefined,
      pagesDomain: undefined,
      trustProxy: [],
      database: { engine: 'sqlite', file: `${dataFolder}/grove.sqlite` },
      blobFolder: `${dataFolder}/blobs`,
      s3: undefined,
      outboundAllow: [],
      fidoMetadata: undefined,
      smtp: undefined,
      sms: undefined,
      messagesPerDay: 2000,
      maxProcessTokens: 1_000_000,
      receiptsDays: 1095,
      countryHeader: undefined,
      vision: 'lazy',
      roles: ['api', 'worker', 'vision'],
      jobsAtOnce: { all: 16, byKind: {} },
      webhooksPerEndpoint: 4,
      facePack: 'faceplugin',
      weights: undefined,
      masterKey: { file: `${dataFolder}/master.key` },
      rateLimit: 200,
      testMegabytesPerDay: 4096,
      metricsToken: undefined,
      traces: undefined,
      logLevel: 'info',
      logRequests: false,
      fastLane: true,
    });
  });

  it('the configuration reads every variable, and ignores spaces around its value', () => {
    const config = readConfig({
      PORT: ' 443 ',
      HOST: '0.0.0.0',
      GROVE_DATA: '/srv/grove',
      GROVE_REGION: 'oak',
      GROVE_DOMAIN: 'ID.Example.com',
      GROVE_TENANT_REGIONS: '/etc/grove/regions.json',
      GROVE_SCHEME: 'http',
      GROVE_PUBLIC_PORT: '8443',
      GROVE_PAGES_DOMAIN: ' Pages.Example ',
      GROVE_TRUST_PROXY: '10.0.0.0/8, ::1 ,2001:db8::/32',
      DATABASE_URL: POSTGRES,
      DATABASE_POOL: '25',
      BLOB_URL: 'file:///srv/blobs',
      GROVE_FIDO_MDS: ' https://mds.example.org/ ',
      GROVE_FIDO_MDS_ROOT: '/etc/grove/mds.pem',
      GROVE_OUTBOUND_ALLOW: '10.0.0.0/8, crm.internal:8443 ,[::1]:80,192.0.2.7',
      SMTP_URL: 'smtps://grove:p%40ss@mail.example.com',
      MAIL_FROM: 'Acme <no-reply@example.com>',
      SMS_URL: 'https://sms.example.com/send',
      SMS_TOKEN: 'token',
      GROVE_MESSAGES_PER_DAY: '50',
      GROVE_MAX_PROCESS_TOKENS: '5000',
      GROVE_RECEIPTS_DAYS: '400',
      GROVE_COUNTRY_HEADER: 'CF-IPCountry',
      GROVE_VISION: 'eager',
      GROVE_ROLES: ' vision , api ',
      GROVE_JOBS_AT_ONCE: '40, process-manager.look=3',
      GROVE_WEBHOOKS_PER_ENDPOINT: '10',
      GROVE_FACE_PACK: 'intel-0095',
      GROVE_WEIGHTS: '/srv/weights',
      GROVE_MASTER_KEY_FILE: '/run/secrets/master.key',
      GROVE_RATE_LIMIT: 'off',
      GROVE_TEST_MEGABYTES_A_DAY: ' 12 ',
      GROVE_METRICS_TOKEN: 'sixteen letters.',
      GROVE_OTLP_URL: ' http://localhost:4318/v1/traces ',
      GROVE_OTLP_HEADERS: 'authorization=Bearer x, x-scope=grove',
      GROVE_TRACE_RATIO: '0.25',
      GROVE_LOG_LEVEL: 'silent',
      GROVE_LOG_REQUESTS: 'on',
      GROVE_FAST_LANE: 'off',
    });
    assert.deepEqual(config, {
      port: 443,
      host: '0.0.0.0',
      dataFolder: '/srv/grove',
      region: 'oak',
      tenantRegions: '/etc/grove/regions.json',
      domain: 'id.example.com',
      scheme: 'http',
      publicPort: 8443,
      pagesDomain: 'pages.example',
      trustProxy: ['10.0.0.0/8', '::1', '2001:db8::/32'],
      database: { engine: 'postgres', url: POSTGRES, maxConnections: 25 },
      blobFolder: '/srv/blobs',
      s3: undefined,
      fidoMetadata: {
        source: 'https://mds.example.org/',
        rootFile: '/etc/grove/mds.pem',
        cacheFile: '/srv/grove/fido-metadata.jwt',
      },
      outboundAllow: ['10.0.0.0/8', 'crm.internal:8443', '[::1]:80', '192.0.2.7'],
      smtp: {
        host: 'mail.example.com',
        port: 465,
        secure: true,
        plain: false,
        user: 'grove',
        password: 'p@ss',
        from: { name: 'Acme', address: 'no-reply@example.com' },
      },
      sms: { url: 'https://sms.example.com/send', token: 'token' },
      messagesPerDay: 50,
      maxProcessTokens: 5000,
      receiptsDays: 400,
      countryHeader: 'cf-ipcountry',
      vision: 'eager',
      roles: ['api', 'vision'],
      jobsAtOnce: { all: 40, byKind: { 'process-manager.look': 3 } },
      webhooksPerEndpoint: 10,
      facePack: 'intel-0095',
      weights: '/srv/weights',
      masterKey: { file: '/run/secrets/master.key' },
      rateLimit: 'off',
      testMegabytesPerDay: 12,
      metricsToken: 'sixteen letters.',
      traces: {
        url: 'http://localhost:4318/v1/traces',
        headers: { authorization: 'Bearer x', 'x-scope': 'grove' },
        ratio: 0.25,
      },
      logLevel: 'silent',
      logRequests: true,
      fastLane: false,
    });
  });

  it('the configuration leaves image analysis to other servers if it is off here, unless the roles name it', () => {
    const rolesOf = (environment: Environment) => readConfig({ GROVE_VISION: 'off', ...environment }).roles;
    assert.deepEqual(rolesOf({ DATABASE_URL: POSTGRES }), ['api', 'worker']);
    assert.deepEqual(rolesOf({ DATABASE_URL: POSTGRES, GROVE_ROLES: 'worker,vision' }), ['worker', 'vision']);
    assert.deepEqual(rolesOf({}), ['api', 'worker', 'vision']);
  });

  it('the configuration prefers a master key from the environment to one from a file', () => {
    assert.deepEqual(readConfig({ GROVE_MASTER_KEY: KEY, GROVE_MASTER_KEY_FILE: '/file' }).masterKey, { env: KEY });
  });

  it('the configuration treats an empty variable as not set', () => {
    const empty = Object.fromEntries(Object.keys(VARIABLES).map((name) => [name, ' ']));
    assert.deepEqual(readConfig(empty), readConfig({}));
  });

  it('the configuration accepts every form of address that PostgreSQL documents, also that of a local socket', () => {
    for (const url of [
      POSTGRES,
      'postgresql://db/grove',
      'postgres://grove@/grove?host=/var/run/postgresql',
      'postgres:///grove',
      'postgres://grove:secret@one:5432,two:5433/grove',
      'postgres://grove@one,two/grove?sslmode=require&target_session_attrs=read-write',
    ]) {
      assert.deepEqual(readConfig({ DATABASE_URL: url }).database, { engine: 'postgres', url, maxConnections: 10 });
    }
  });

  it('the configuration stores images in a bucket of Amazon or of a compatible service, with or without a prefix', () => {
    const key = { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret' };
    const place = { region: 'eu-west-1', bucket: 'images', accessKeyId: 'id', secretAccessKey: 'secret' };
    const placeOf = (url: string) => readConfig({ ...key, BLOB_URL: url }).s3;
    assert.deepEqual(placeOf(BUCKET), { ...place, endpoint: 'https://images.s3.eu-west-1.amazonaws.com', prefix: '' });
    const endpoint = encodeURIComponent('https://store.internal:9000/');
    assert.deepEqual(placeOf(`s3://images/grove//live/?region=eu-west-1&endpoint=${endpoint}`), {
      ...place,
      endpoint: 'https://store.internal:9000/images',
      prefix: 'grove/live/',
    });
    assert.equal(readConfig({ ...key, BLOB_URL: BUCKET, AWS_SESSION_TOKEN: 't' }).s3?.sessionToken, 't');
    const issuerOf = (own: Record<string, string>) => readConfig({ BLOB_URL: BUCKET, ...own }).s3?.issuer;
    assert.deepEqual(issuerOf({ GROVE_BUCKET_KEY_FROM: 'instance' }), {
      from: 'instance',
      endpoint: 'http://169.254.169.254',
    });
    const role = { AWS_ROLE_ARN: 'arn:aws:iam::1:role/grove', AWS_WEB_IDENTITY_TOKEN_FILE: '/token' };
    assert.deepEqual(issuerOf({ GROVE_BUCKET_KEY_FROM: 'role', ...role }), {
      from: 'tokenService',
      endpoint: 'https://sts.eu-west-1.amazonaws.com/',
      roleArn: 'arn:aws:iam::1:role/grove',
      tokenFile: '/token',
    });
    const path = { GROVE_BUCKET_KEY_FROM: 'container', AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: '/v2/key' };
    assert.deepEqual(issuerOf(path), { from: 'container', url: 'http://169.254.170.2/v2/key' });
    assert.equal(placeOf(`${BUCKET}&endpoint=http://127.0.0.1:9000`)?.endpoint, 'http://127.0.0.1:9000/images');
  });

  it('the configuration is frozen with all its parts', () => {
    const config = readConfig({ GROVE_TRUST_PROXY: '::1' });
    assert.throws(() => Object.assign(config, { port: 1 }), TypeError);
    assert.throws(() => config.trustProxy.push('0.0.0.0/1'), TypeError);
    assert.throws(() => Object.assign(config.database, { file: 'elsewhere' }), TypeError);
    assert.throws(() => Object.assign(config.masterKey, { file: 'elsewhere' }), TypeError);
  });

  it('the configuration ignores variables that are not of Grove', () => {
    assert.deepEqual(readConfig({ PATH: '/bin', GROVER: '1', DATABASE: 'x' }), readConfig({}));
  });
});

describe('the address of a tenant', () => {
  const addressOf = (environment: Environment, port = 8080) => baseUrlOf(readConfig(environment), port)('acme');

  it('the address of a tenant on this machine has the port of the server', () => {
    assert.equal(addressOf({}), 'http://acme.fir.localhost:8080');
    assert.equal(addressOf({ PORT: '0' }, 49_152), 'http://acme.fir.localhost:49152');
    assert.equal(addressOf({}, 80), 'http://acme.fir.localhost');
  });

  it('the address of a tenant under a domain is https and has no port, whatever the port behind the proxy', () => {
    assert.equal(addressOf({ GROVE_DOMAIN: 'example.com', GROVE_REGION: 'oak' }), 'https://acme.oak.example.com');
  });

  it('the address of a tenant has the scheme and port that callers see, and leaves out the default port', () => {
    const domain = { GROVE_DOMAIN: 'example.com' };
    assert.equal(addressOf({ ...domain, GROVE_SCHEME: 'http' }), 'http://acme.fir.example.com');
    assert.equal(addressOf({ ...domain, GROVE_PUBLIC_PORT: '8443' }), 'https://acme.fir.example.com:8443');
    assert.equal(addressOf({ ...domain, GROVE_PUBLIC_PORT: '443' }), 'https://acme.fir.example.com');
    assert.equal(
      addressOf({ ...domain, GROVE_SCHEME: 'http', GROVE_PUBLIC_PORT: '443' }),
      'http://acme.fir.example.com:443',
    );
    assert.equal(addressOf({ GROVE_SCHEME: 'https', GROVE_PUBLIC_PORT: '443' }), 'https://acme.fir.localhost');
  });
});
