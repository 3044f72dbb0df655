import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { describe, it } from 'node:test';
import { baseUrlOf, ConfigError, type Environment, readConfig, VARIABLES, type VariableName } from './config.ts';

const faultsOf = (environment: Environment): readonly string[] => {
  try {
    readConfig(environment);
  } catch (error) {
    assert.ok(error instanceof ConfigError);
    return error.faults;
  }
  return [];
};

const POSTGRES = 'postgres://grove:hunter2@db.internal:5432/grove';

/** For each variable: values that are refused, and what the message says it must be. */
const BUCKET = 's3://images?region=eu-west-1';
const WRONG: Partial<Record<VariableName, { values: string[]; must: RegExp; with?: Environment }>> = {
  PORT: { values: ['65536', '-1', '80.5', 'http', '0x50', '1e3'], must: /a whole number from 0 to 65535/ },
  GROVE_REGION: { values: ['elm', 'FIR', 'fir,oak'], must: /one of fir, gum, oak/ },
  GROVE_DOMAIN: {
    values: ['https://example.com', 'example.com:443', '.example.com', 'a b', '*.example.com'],
    must: /a domain name/,
  },
  GROVE_SCHEME: { values: ['ftp', 'HTTPS', 'https://'], must: /one of http, https/ },
  GROVE_PUBLIC_PORT: { values: ['0', '65536', 'none'], must: /a whole number from 1 to 65535/ },
  GROVE_PAGES_DOMAIN: {
    values: ['-pages', 'pages..', 'a b', 'localhost'],
    must: /a domain name that the tenants do not live below/,
  },
  GROVE_TRUST_PROXY: {
    values: [
      'proxy.internal',
      '10.0.0.0/33',
      '10.0.0.0/0',
      '::1/129',
      '10.0.0',
      'dead',
      '10.0.0.1,nobody',
      '10.0.0.1/8/8',
    ],
    must: /addresses or CIDR ranges/,
  },
  DATABASE_URL: {
    values: ['mysql://grove:hunter2@db/grove', 'db.internal', 'postgres://[bad', '/var/run/postgresql'],
    must: /of the form postgres:\/\/user:password@host:port\/database/,
  },
  DATABASE_POOL: {
    values: ['0', '101', 'many'],
    must: /a whole number from 1 to 100/,
    with: { DATABASE_URL: POSTGRES },
  },
  BLOB_URL: {
    values: [
      ...['/folder', 'file://folder', 'ftp://x/y', 's3://bucket', 's3://?region=eu', 's3://b_d?region=eu', 's3://'],
      ...['s3://bucket?region=EU', 's3://bucket?region=eu&endpoint=store', 's3://bucket?region=eu&endpoint=file:///x'],
      ...['s3://bucket?region=eu&style=path', 's3://key:hunter2@bucket?region=eu'],
    ],
    must: /s3:\/\/<bucket>\/<prefix>\?region=<region>/,
    with: { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'hunter2' },
  },
  AWS_ACCESS_KEY_ID: {
    values: [''],
    must: /given for a bucket/,
    with: { BLOB_URL: BUCKET, AWS_SECRET_ACCESS_KEY: 'hunter2' },
  },
  AWS_SECRET_ACCESS_KEY: {
    values: [''],
    must: /given for a bucket/,
    with: { BLOB_URL: BUCKET, AWS_ACCESS_KEY_ID: 'id' },
  },
  GROVE_OUTBOUND_ALLOW: {
    values: ['crm.internal', '10.0.0.0/33', '10', '10.0.0.1:0', '10.0.0.1:65536', 'https://crm:443', 'a,b', '*:80'],
    must: /at most 100 of these/,
  },
  SMTP_URL: {
    values: [
      ...[
        'mail.example.com',
        'http://mail',
        'smtp://',
        'smtps://user@mail',
        'smtp://u:hunter2@mail/box',
        'smtp://%zz:x@m',
      ],
      ...['smtps://mail?tls=never', 'smtp://mail?tls=off', 'smtp://mail?pool=true', 'smtp://mail#x'],
    ],
    must: /smtps:\/\/<user>:<password>@<host>/,
    with: { MAIL_FROM: 'no-reply@example.com' },
  },
  MAIL_FROM: {
    values: ['', 'nobody', 'a@b, c@d', 'Acme no-reply@example.com', 'Acme <a@b', 'a@b>', 'A\r\nBcc: x <a@b>'],
    must: /an address, perhaps with a name before it/,
    with: { SMTP_URL: 'smtp://localhost' },
  },
  SMS_URL: {
    values: ['http://sms.example.com', 'sms', 'https://u:hunter2@sms.example.com'],
    must: /an https address, or one that/,
  },
  SMS_TOKEN: { values: ['hunter2 hunter2', 'hunter2\nx: y'], must: /a token that can stand in a header/ },
  GROVE_MESSAGES_PER_DAY: { values: ['0', 'many', '-1'], must: /a whole number from 1 to 10000000/ },
  GROVE_COUNTRY_HEADER: {
    values: ['cf-ipcountry', 'a b', 'x:'],
    must: /the name of a header, and GROVE_TRUST_PROXY set/,
  },
  GROVE_VISION: { values: ['on', 'LAZY', 'true'], must: /one of lazy, eager, off/ },
  GROVE_MASTER_KEY: {
    values: ['hunter2', '1:hunter2', '0:AAAA', ','],
    must: /of that form, one part for each version/,
  },
  GROVE_RATE_LIMIT: { values: ['0', '1000001', 'none', 'OFF', '-5'], must: /a whole number from 1 to 1000000/ },
  GROVE_METRICS_TOKEN: { values: ['hunter2', 'x'.repeat(15)], must: /at least 16 characters long/ },
  GROVE_LOG_LEVEL: { values: ['verbose', 'INFO'], must: /one of trace, debug, info, warn, error, silent/ },
  GROVE_LOG_REQUESTS: { values: ['true', '1', 'ON'], must: /one of on, off/ },
};

/** Any text may be right: whether it is shows when the server listens, makes the folder or opens the key. */
const ANY_TEXT: VariableName[] = ['HOST', 'GROVE_DATA', 'GROVE_MASTER_KEY_FILE'];
const KEY = `1:${Buffer.alloc(32, 7).toString('base64')}`;
const SECRETS: VariableName[] = [
  ...(['DATABASE_URL', 'GROVE_MASTER_KEY', 'GROVE_METRICS_TOKEN'] as const),
  ...(['BLOB_URL', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'SMTP_URL', 'SMS_URL', 'SMS_TOKEN'] as const),
];

describe('the configuration', () => {
  it('of an empty environment is a server for this machine, on SQLite, in a folder beside', () => {
    const dataFolder = resolve('./data');
    assert.deepEqual(readConfig({}), {
      port: 8080,
      host: 'localhost',
      dataFolder,
      region: 'fir',
      domain: 'localhost',
      scheme: 'http',
      publicPort: undefined,
      pagesDomain: undefined,
      trustProxy: [],
      database: { engine: 'sqlite', file: `${dataFolder}/grove.sqlite` },
      blobFolder: `${dataFolder}/blobs`,
      s3: undefined,
      outboundAllow: [],
      smtp: undefined,
      sms: undefined,
      messagesPerDay: 2000,
      countryHeader: undefined,
      vision: 'lazy',
      masterKey: { file: `${dataFolder}/master.key` },
      rateLimit: 200,
      metricsToken: undefined,
      logLevel: 'info',
      logRequests: false,
    });
  });

  it('takes every variable, with room around it', () => {
    const config = readConfig({
      PORT: ' 443 ',
      HOST: '0.0.0.0',
      GROVE_DATA: '/srv/grove',
      GROVE_REGION: 'oak',
      GROVE_DOMAIN: 'ID.Example.com',
      GROVE_SCHEME: 'http',
      GROVE_PUBLIC_PORT: '8443',
      GROVE_PAGES_DOMAIN: ' Pages.Example ',
      GROVE_TRUST_PROXY: '10.0.0.0/8, ::1 ,2001:db8::/32',
      DATABASE_URL: POSTGRES,
      DATABASE_POOL: '25',
      BLOB_URL: 'file:///srv/blobs',
      GROVE_OUTBOUND_ALLOW: '10.0.0.0/8, crm.internal:8443 ,[::1]:80,192.0.2.7',
      SMTP_URL: 'smtps://grove:p%40ss@mail.example.com',
      MAIL_FROM: 'Acme <no-reply@example.com>',
      SMS_URL: 'https://sms.example.com/send',
      SMS_TOKEN: 'token',
      GROVE_MESSAGES_PER_DAY: '50',
      GROVE_COUNTRY_HEADER: 'CF-IPCountry',
      GROVE_VISION: 'eager',
      GROVE_MASTER_KEY_FILE: '/run/secrets/master.key',
      GROVE_RATE_LIMIT: 'off',
      GROVE_METRICS_TOKEN: 'sixteen letters.',
      GROVE_LOG_LEVEL: 'silent',
      GROVE_LOG_REQUESTS: 'on',
    });
    assert.deepEqual(config, {
      port: 443,
      host: '0.0.0.0',
      dataFolder: '/srv/grove',
      region: 'oak',
      domain: 'id.example.com',
      scheme: 'http',
      publicPort: 8443,
      pagesDomain: 'pages.example',
      trustProxy: ['10.0.0.0/8', '::1', '2001:db8::/32'],
      database: { engine: 'postgres', url: POSTGRES, maxConnections: 25 },
      blobFolder: '/srv/blobs',
      s3: undefined,
      outboundAllow: ['10.0.0.0/8', 'crm.internal:8443', '[::1]:80', '192.0.2.7'],
      smtp: {
        ...{ host: 'mail.example.com', port: 465, secure: true, plain: false, user: 'grove', password: 'p@ss' },
        from: { name: 'Acme', address: 'no-reply@example.com' },
      },
      sms: { url: 'https://sms.example.com/send', token: 'token' },
      messagesPerDay: 50,
      countryHeader: 'cf-ipcountry',
      vision: 'eager',
      masterKey: { file: '/run/secrets/master.key' },
      rateLimit: 'off',
      metricsToken: 'sixteen letters.',
      logLevel: 'silent',
      logRequests: true,
    });
  });

  it('takes a master key from the environment before one from a file', () => {
    assert.deepEqual(readConfig({ GROVE_MASTER_KEY: KEY, GROVE_MASTER_KEY_FILE: '/file' }).masterKey, { env: KEY });
  });

  it('takes a variable that is empty for one that is not set', () => {
    const empty = Object.fromEntries(Object.keys(VARIABLES).map((name) => [name, ' ']));
    assert.deepEqual(readConfig(empty), readConfig({}));
  });

  it('takes every form of address that PostgreSQL documents, also of a local socket', () => {
    for (const url of [
      POSTGRES,
      'postgresql://db/grove',
      'postgres://grove@/grove?host=/var/run/postgresql',
      'postgres:///grove',
    ]) {
      assert.deepEqual(readConfig({ DATABASE_URL: url }).database, { engine: 'postgres', url, maxConnections: 10 });
    }
  });

  it('keeps images in a bucket of Amazon, or of whoever speaks like it, below a prefix or not', () => {
    const key = { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret' };
    const place = { region: 'eu-west-1', bucket: 'images', accessKeyId: 'id', secretAccessKey: 'secret' };
    const placeOf = (url: string) => readConfig({ ...key, BLOB_URL: url }).s3;
    assert.deepEqual(placeOf(BUCKET), { ...place, endpoint: 'https://images.s3.eu-west-1.amazonaws.com', prefix: '' });
    const endpoint = encodeURIComponent('https://store.internal:9000/');
    assert.deepEqual(placeOf(`s3://images/grove//live/?region=eu-west-1&endpoint=${endpoint}`), {
      ...{ ...place, endpoint: 'https://store.internal:9000/images', prefix: 'grove/live/' },
    });
    assert.equal(placeOf(`${BUCKET}&endpoint=http://127.0.0.1:9000`)?.endpoint, 'http://127.0.0.1:9000/images');
  });

  it('cannot be changed afterwards, nor can its parts', () => {
    const config = readConfig({ GROVE_TRUST_PROXY: '::1' });
    assert.throws(() => Object.assign(config, { port: 1 }), TypeError);
    assert.throws(() => config.trustProxy.push('0.0.0.0/1'), TypeError);
    assert.throws(() => Object.assign(config.database, { file: 'elsewhere' }), TypeError);
    assert.throws(() => Object.assign(config.masterKey, { file: 'elsewhere' }), TypeError);
  });

  it('ignores variables that are not ours', () => {
    assert.deepEqual(readConfig({ PATH: '/bin', GROVER: '1', DATABASE: 'x' }), readConfig({}));
  });
});

describe('a fault of the configuration', () => {
  it('names the variable and what it must be, shows the value unless it is a secret, and says what it is for', () => {
    for (const [name, { values, must, with: more }] of Object.entries(WRONG)) {
      for (const value of values) {
        const faults = faultsOf({ ...more, [name]: value });
        assert.equal(faults.length, 1, `${name}=${value}: ${faults}`);
        const [fault = ''] = faults;
        assert.ok(fault.startsWith(`${name} must be `), fault);
        assert.match(fault, must);
        assert.ok(fault.endsWith(`${VARIABLES[name as VariableName].about}.`), fault);
        assert.equal(
          fault.includes(`(it is ${JSON.stringify(value)})`),
          !SECRETS.includes(name as VariableName),
          fault,
        );
      }
    }
  });

  it('is known for every variable that can have one', () => {
    assert.deepEqual([...Object.keys(WRONG), ...ANY_TEXT].sort(), Object.keys(VARIABLES).sort());
  });

  it('never shows a secret, not even when something else is wrong', () => {
    const secrets = {
      DATABASE_URL: 'mysql://grove:hunter2@db/grove',
      GROVE_MASTER_KEY: '1:hunter2hunter2',
      GROVE_METRICS_TOKEN: 'hunter2',
      GROVE_METRICS_TOKN: 'hunter2',
    };
    try {
      readConfig({ ...secrets, PORT: 'wrong' });
      assert.fail('it was taken');
    } catch (error) {
      assert.ok(error instanceof ConfigError);
      assert.doesNotMatch(`${error.stack} ${JSON.stringify(error)}`, /hunter2/);
    }
  });

  it('comes with all others at once, in one message', () => {
    const environment = { PORT: 'x', GROVE_REGION: 'elm', GROVE_LOG_LEVEL: 'loud' };
    assert.equal(faultsOf(environment).length, 3);
    assert.throws(
      () => readConfig(environment),
      /has 3 faults:\n- PORT must.*\n- GROVE_REGION must.*\n- GROVE_LOG_LEVEL must/s,
    );
    assert.throws(() => readConfig({ PORT: 'x' }), /has a fault:\n- PORT must/);
  });

  it('is a GROVE_ variable that nobody knows, with the one that was probably meant', () => {
    const meant: Record<string, string> = {
      GROVE_PORT: '',
      GROVE_DOMAN: 'GROVE_DOMAIN',
      GROVE_DATTA: 'GROVE_DATA',
      GROVE_MASTERKEY: 'GROVE_MASTER_KEY',
      GROVE_MASTER_KEYFILE: 'GROVE_MASTER_KEY_FILE',
      GROVE_RATELIMIT: 'GROVE_RATE_LIMIT',
      GROVE_TRUSTED_PROXY: 'GROVE_TRUST_PROXY',
      GROVE_SOMETHING_ELSE: '',
    };
    for (const [name, near] of Object.entries(meant)) {
      assert.deepEqual(faultsOf({ [name]: 'x' }), [
        `${name} is not a variable Grove knows${near && `; did you mean ${near}?`}`,
      ]);
    }
  });
});

describe('the address of a tenant', () => {
  const addressOf = (environment: Environment, port = 8080) => baseUrlOf(readConfig(environment), port)('acme');

  it('on this machine has the port that is listened on', () => {
    assert.equal(addressOf({}), 'http://acme.fir.localhost:8080');
    assert.equal(addressOf({ PORT: '0' }, 49_152), 'http://acme.fir.localhost:49152');
    assert.equal(addressOf({}, 80), 'http://acme.fir.localhost');
  });

  it('of a domain is https and has no port, whatever is listened on behind the proxy', () => {
    assert.equal(addressOf({ GROVE_DOMAIN: 'example.com', GROVE_REGION: 'oak' }), 'https://acme.oak.example.com');
  });

  it('has the scheme and port that callers see, and leaves out the port that goes without saying', () => {
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
