import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ConfigError, type Environment, readConfig } from './config.ts';
import { VARIABLES, type VariableName } from './config-variables.ts';

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

const BUCKET = 's3://images?region=eu-west-1';

/** For each variable: values that are refused, and how the message describes a correct value. */
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
    values: [
      'mysql://grove:hunter2@db/grove',
      'db.internal',
      'postgres://[bad',
      '/var/run/postgresql',
      'postgres://grove@one,/grove',
      'postgres://grove@one:5432,two:x/grove',
      `postgres://${'db,'.repeat(8)}db/grove`,
      'postgres://grove@one,two/grove?target_session_attrs=read-only',
    ],
    must: /of the form postgres:\/\/user:password@host:port\/database/,
  },
  DATABASE_POOL: {
    values: ['0', '101', 'many'],
    must: /a whole number from 1 to 100/,
    with: { DATABASE_URL: POSTGRES },
  },
  BLOB_URL: {
    values: [
      '/folder',
      'file://folder',
      'ftp://x/y',
      's3://bucket',
      's3://?region=eu',
      's3://b_d?region=eu',
      's3://',
      's3://bucket?region=EU',
      's3://bucket?region=eu&endpoint=store',
      's3://bucket?region=eu&endpoint=file:///x',
      's3://bucket?region=eu&style=path',
      's3://key:hunter2@bucket?region=eu',
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
  GROVE_BUCKET_KEY_FROM: {
    values: ['ec2', 'Instance'],
    must: /one of role, container, instance/,
    with: { BLOB_URL: BUCKET },
  },
  AWS_ROLE_ARN: {
    values: [''],
    must: /given for GROVE_BUCKET_KEY_FROM=role/,
    with: { BLOB_URL: BUCKET, GROVE_BUCKET_KEY_FROM: 'role', AWS_WEB_IDENTITY_TOKEN_FILE: '/token' },
  },
  AWS_WEB_IDENTITY_TOKEN_FILE: {
    values: [''],
    must: /given for GROVE_BUCKET_KEY_FROM=role/,
    with: { BLOB_URL: BUCKET, GROVE_BUCKET_KEY_FROM: 'role', AWS_ROLE_ARN: 'arn:aws:iam::1:role/grove' },
  },
  AWS_CONTAINER_CREDENTIALS_FULL_URI: {
    values: ['', 'http://agent.example.com/key', 'agent'],
    must: /given for GROVE_BUCKET_KEY_FROM=container|https, or of this machine/,
    with: { BLOB_URL: BUCKET, GROVE_BUCKET_KEY_FROM: 'container' },
  },
  GROVE_OUTBOUND_ALLOW: {
    values: ['crm.internal', '10.0.0.0/33', '10', '10.0.0.1:0', '10.0.0.1:65536', 'https://crm:443', 'a,b', '*:80'],
    must: /at most 100 of these/,
  },
  SMTP_URL: {
    values: [
      'mail.example.com',
      'http://mail',
      'smtp://',
      'smtps://user@mail',
      'smtp://u:hunter2@mail/box',
      'smtp://%zz:x@m',
      'smtps://mail?tls=never',
      'smtp://mail?tls=off',
      'smtp://mail?pool=true',
      'smtp://mail#x',
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
  GROVE_FACE_PACK: { values: ['intel', 'intel-0095'], must: /one of faceplugin, intel-0095|or GROVE_WEIGHTS set/ },
  GROVE_VISION: { values: ['on', 'LAZY', 'true'], must: /one of lazy, eager, off/ },
  GROVE_ROLES: {
    values: ['all', 'api,', 'api,api', 'vision worker', 'api,jobs'],
    must: /a list of api, worker, vision, each at most once/,
    with: { DATABASE_URL: POSTGRES },
  },
  GROVE_JOBS_AT_ONCE: {
    values: ['0', '257', 'many', '16,look', '16,process-manager.look=0', '16,process-manager.look=1000', '16,'],
    must: /a whole number from 1 to 256, then <kind>=<number> for single kinds/,
  },
  GROVE_WEBHOOKS_PER_ENDPOINT: { values: ['0', '65', 'many'], must: /a whole number from 1 to 64/ },
  GROVE_MASTER_KEY: {
    values: ['hunter2', '1:hunter2', '0:AAAA', ','],
    must: /of that form, one part for each version/,
  },
  GROVE_RATE_LIMIT: { values: ['0', '1000001', 'none', 'OFF', '-5'], must: /a whole number from 1 to 1000000/ },
  GROVE_TEST_MEGABYTES_A_DAY: {
    values: ['0', '1000001', 'none', 'OFF', '1.5'],
    must: /a whole number from 1 to 1000000/,
  },
  GROVE_MAX_PROCESS_TOKENS: { values: ['0', '100000001', 'none', '-5'], must: /a whole number from 1 to 100000000/ },
  GROVE_RECEIPTS_DAYS: { values: ['0', '36501', 'never', '-5'], must: /a whole number from 1 to 36500/ },
  GROVE_OTLP_URL: { values: ['localhost:4318', 'grpc://x:4317', '/v1/traces'], must: /an http or https address/ },
  GROVE_OTLP_HEADERS: { values: ['authorization', 'a b=c', '=x'], must: /name=value, comma-separated/ },
  GROVE_TRACE_RATIO: { values: ['2', '-1', 'all'], must: /a number from 0 to 1/ },
  GROVE_METRICS_TOKEN: { values: ['hunter2', 'x'.repeat(15)], must: /at least 16 characters long/ },
  GROVE_FIDO_MDS: {
    values: ['mds.jwt', 'http://mds.example.org/', 'https://'],
    must: /an absolute path, or an https address/,
  },
  GROVE_LOG_LEVEL: { values: ['verbose', 'INFO'], must: /one of trace, debug, info, warn, error, silent/ },
  GROVE_LOG_REQUESTS: { values: ['true', '1', 'ON'], must: /one of on, off/ },
  GROVE_FAST_LANE: { values: ['false', '0', 'OFF'], must: /one of on, off/ },
};

/**
 * Any text is accepted here. Whether it is right shows when the server listens, creates the folder or opens the key.
 */
const ANY_TEXT: VariableName[] = [
  'HOST',
  'AWS_SESSION_TOKEN',
  'AWS_CONTAINER_CREDENTIALS_RELATIVE_URI',
  'AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE',
  'GROVE_DATA',
  'GROVE_TENANT_REGIONS',
  'GROVE_WEIGHTS',
  'GROVE_MASTER_KEY_FILE',
  'GROVE_FIDO_MDS_ROOT',
];
const SECRETS: VariableName[] = [
  'DATABASE_URL',
  'GROVE_MASTER_KEY',
  'GROVE_METRICS_TOKEN',
  'GROVE_OTLP_URL',
  'GROVE_OTLP_HEADERS',
  'BLOB_URL',
  'AWS_ACCESS_KEY_ID',
  'AWS_SECRET_ACCESS_KEY',
  'AWS_SESSION_TOKEN',
  'SMTP_URL',
  'SMS_URL',
  'SMS_TOKEN',
];

describe('a fault of the configuration', () => {
  it('a fault of the configuration names the variable and what it must be, shows the value unless it is secret, and says what it is for', () => {
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

  it('the faults of the configuration are tested for every variable that can have one', () => {
    assert.deepEqual([...Object.keys(WRONG), ...ANY_TEXT].sort(), Object.keys(VARIABLES).sort());
  });

  it('a fault of the configuration never shows a secret, not even when something else is wrong', () => {
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

  it('all faults of the configuration are reported together, in one message', () => {
    const environment = { PORT: 'x', GROVE_REGION: 'elm', GROVE_LOG_LEVEL: 'loud' };
    assert.equal(faultsOf(environment).length, 3);
    assert.throws(
      () => readConfig(environment),
      /has 3 faults:\n- PORT must.*\n- GROVE_REGION must.*\n- GROVE_LOG_LEVEL must/s,
    );
    assert.throws(() => readConfig({ PORT: 'x' }), /has a fault:\n- PORT must/);
  });

  it('a fault of the configuration of a bucket says which part of its address is wrong', () => {
    const keys = { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret' };
    for (const [url, wrong] of [
      ['s3://b/p?region=x&endpoint=http://store', /its bucket must have 3 to 63/],
      ['s3://bucket?region=EU', /its region must/],
      ['s3://bucket?region=eu&endpoint=store', /its endpoint must/],
      ['s3://bucket?region=eu&style=path', /it must not have style/],
    ] as const) {
      const faults = faultsOf({ ...keys, BLOB_URL: url });
      assert.equal(faults.length, 1);
      assert.match(faults[0] ?? '', wrong);
    }
  });

  it('an unknown GROVE_ variable is a fault of the configuration, which suggests the known one that was probably meant', () => {
    const suggestions: Record<string, string> = {
      GROVE_PORT: 'PORT',
      GROVE_PRT: 'PORT',
      GROVE_HOSTT: 'HOST',
      GROVE_XY: '',
      GROVE_DOMAN: 'GROVE_DOMAIN',
      GROVE_DATTA: 'GROVE_DATA',
      GROVE_MASTERKEY: 'GROVE_MASTER_KEY',
      GROVE_MASTER_KEYFILE: 'GROVE_MASTER_KEY_FILE',
      GROVE_RATELIMIT: 'GROVE_RATE_LIMIT',
      GROVE_TRUSTED_PROXY: 'GROVE_TRUST_PROXY',
      GROVE_SOMETHING_ELSE: '',
    };
    for (const [name, near] of Object.entries(suggestions)) {
      assert.deepEqual(faultsOf({ [name]: 'x' }), [
        `${name} is not a variable Grove knows${near && `; did you mean ${near}?`}`,
      ]);
    }
  });
});
