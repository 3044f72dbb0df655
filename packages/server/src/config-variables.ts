import { REGIONS } from './kernel/regions.ts';

/**
 * The environment variables of Grove. This table is complete: it is read once, validated, frozen, printed by `grove
 * help configuration` and shown in the documentation.
 */
type Variable = { readonly default: string; readonly about: string };

export const VARIABLES = {
  PORT: { default: '8080', about: 'The port to listen on; 0 picks a free one' },
  HOST: { default: 'localhost', about: 'The address to listen on; 0.0.0.0 listens on all addresses' },
  GROVE_DATA: { default: './data', about: 'The data folder: database, blobs, master key' },
  GROVE_REGION: {
    default: 'fir',
    about: `A part of the addresses of tenants, one of ${REGIONS.join(', ')}; with one server, keep the default`,
  },
  GROVE_DOMAIN: { default: 'localhost', about: 'The domain of all tenants: <tenantId>.<region>.<domain>' },
  GROVE_TENANT_REGIONS: {
    default: '',
    about:
      'For several regions: a JSON file with the region of each tenant; requests for tenants elsewhere are sent there',
  },
  GROVE_SCHEME: {
    default: '',
    about: 'http or https, as callers see it; default: https, or http if the domain is localhost',
  },
  GROVE_PUBLIC_PORT: {
    default: '',
    about: 'The port as callers see it; default: the real port on localhost, otherwise none',
  },
  GROVE_PAGES_DOMAIN: {
    default: '',
    about:
      'The domain of custom pages, each at <page>.<this domain>; without it, pages are sandboxed below the tenant’s address',
  },
  GROVE_TRUST_PROXY: {
    default: '',
    about: 'Comma-separated addresses or CIDR ranges of trusted proxies: Grove uses their X-Forwarded-For',
  },
  DATABASE_URL: {
    default: '',
    about:
      'postgres://user:password@host:port/database, several host:port for standbys; without it, SQLite in the data folder',
  },
  DATABASE_POOL: { default: '10', about: 'How many PostgreSQL connections this server opens, 1 to 100' },
  BLOB_URL: {
    default: '',
    about: 'Where images are stored: file:///folder or s3://bucket/prefix?region=…; without it, in the data folder',
  },
  AWS_ACCESS_KEY_ID: { default: '', about: 'The key that may read and write the bucket of BLOB_URL' },
  AWS_SECRET_ACCESS_KEY: { default: '', about: 'The secret of that key' },
  AWS_SESSION_TOKEN: { default: '', about: 'The session token of that key, if it is temporary' },
  GROVE_BUCKET_KEY_FROM: {
    default: '',
    about:
      'The source of temporary keys for the bucket: role, container or instance; without it, the key above is used',
  },
  AWS_ROLE_ARN: { default: '', about: 'For role: the role to assume' },
  AWS_WEB_IDENTITY_TOKEN_FILE: { default: '', about: 'For role: the file with the token of the pod' },
  AWS_CONTAINER_CREDENTIALS_FULL_URI: { default: '', about: 'For container: the address of the agent' },
  AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: {
    default: '',
    about: 'For container: the path of the agent, as Amazon ECS sets it',
  },
  AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: {
    default: '',
    about: 'For container: the file with the token for the agent',
  },
  GROVE_OUTBOUND_ALLOW: {
    default: '',
    about: 'Where requests may go besides the public internet: comma-separated CIDR ranges, addresses or host:port',
  },
  GROVE_FIDO_MDS: {
    default: '',
    about:
      'The metadata of authenticators (FIDO MDS3): a file, or https://mds3.fidoalliance.org/ to fetch it every day',
  },
  GROVE_FIDO_MDS_ROOT: {
    default: '',
    about: 'A PEM file with the root certificate of this metadata; default: that of FIDO',
  },
  SMTP_URL: {
    default: '',
    about: 'The mail server for messages to end users: smtps://user:password@host; without it, Grove sends no mail',
  },
  MAIL_FROM: { default: '', about: 'The sender of that mail: no-reply@example.com or Example <no-reply@example.com>' },
  SMS_URL: {
    default: '',
    about: 'The gateway for text messages, an https address; without it, Grove sends none',
  },
  SMS_TOKEN: { default: '', about: 'The bearer token for that gateway' },
  GROVE_MESSAGES_PER_DAY: {
    default: '2000',
    about: 'How many messages a day Grove sends to the end users of one tenant at most',
  },
  GROVE_COUNTRY_HEADER: {
    default: '',
    about: 'The header in which a trusted proxy reports the country of a caller, such as cf-ipcountry',
  },
  GROVE_VISION: {
    default: 'lazy',
    about: 'When image analysis starts: lazy (before the first picture), eager (with the server) or off',
  },
  GROVE_ROLES: {
    default: '',
    about:
      'What this process does: api (answers callers), worker (jobs, webhooks), vision (analyses pictures); default: all',
  },
  GROVE_JOBS_AT_ONCE: {
    default: '16',
    about: 'How many jobs this process runs at once, in all and of a kind: 16,process-manager.look=2',
  },
  GROVE_WEBHOOKS_PER_ENDPOINT: {
    default: '4',
    about: 'How many webhook requests one endpoint gets at a time, from all servers together',
  },
  GROVE_FACE_PACK: {
    default: 'faceplugin',
    about: 'The network that turns faces into templates: faceplugin, or intel-0095, for which you supply the weights',
  },
  GROVE_WEIGHTS: {
    default: '',
    about:
      'The folder of weights that no package contains (docs/vision.md names them); without it, only packaged weights',
  },
  GROVE_MASTER_KEY: {
    default: '',
    about: '<version>:<32 bytes in base64>, comma-separated; without it, the file below',
  },
  GROVE_MASTER_KEY_FILE: {
    default: '',
    about: 'The file of the master key; default: <data>/master.key, created at the first start',
  },
  GROVE_RATE_LIMIT: {
    default: '200',
    about: 'Requests a second for one API key (one address may send four times as many), or off',
  },
  GROVE_TEST_MEGABYTES_A_DAY: {
    default: '4096',
    about:
      'How much the test callers of a tenant may send to one server within a day, or off; live callers are not limited',
  },
  GROVE_MAX_PROCESS_TOKENS: {
    default: '1000000',
    about: 'How many process tokens a tenant may have in each environment; used-up and expired ones are removed',
  },
  GROVE_RECEIPTS_DAYS: {
    default: '1095',
    about: 'How many days tombstones and receipts of deleted instances are kept',
  },
  GROVE_METRICS_TOKEN: {
    default: '',
    about: 'The bearer token for /metrics, at least 16 characters; without it, only this machine may read /metrics',
  },
  GROVE_OTLP_URL: {
    default: '',
    about:
      'Where Grove sends traces by OTLP over HTTP, such as http://localhost:4318/v1/traces; without it, it makes none',
  },
  GROVE_OTLP_HEADERS: {
    default: '',
    about: 'Headers of those requests, such as authorization=Bearer …; comma-separated',
  },
  GROVE_TRACE_RATIO: { default: '1', about: 'The share of requests that begin a trace, from 0 to 1' },
  GROVE_LOG_LEVEL: { default: 'info', about: 'trace, debug, info, warn, error or silent' },
  GROVE_LOG_REQUESTS: { default: 'off', about: 'on logs one line for each request' },
  GROVE_FAST_LANE: {
    default: 'on',
    about: 'off answers through the framework alone: slower, for finding faults in the fast lane',
  },
} as const satisfies Record<string, Variable>;

export type VariableName = keyof typeof VARIABLES;

/** The variables whose values are never shown. */
export const SECRET: ReadonlySet<VariableName> = new Set([
  'DATABASE_URL',
  'GROVE_MASTER_KEY',
  'GROVE_METRICS_TOKEN',
  'BLOB_URL',
  'AWS_ACCESS_KEY_ID',
  'AWS_SECRET_ACCESS_KEY',
  'AWS_SESSION_TOKEN',
  'SMTP_URL',
  'SMS_URL',
  'SMS_TOKEN',
  'GROVE_OTLP_URL',
  'GROVE_OTLP_HEADERS',
]);

/** The message for a misspelt variable, which would otherwise silently keep its default. */
export function unknownVariable(name: string): string {
  const bare = name.replace(/^GROVE_/, '');
  // Variables without the prefix are compared without it.
  const slips = (candidate: string) => distance(candidate, candidate.startsWith('GROVE_') ? name : bare);
  const isNear = (candidate: string) => slips(candidate) <= Math.min(3, Math.floor(bare.length / 3));
  const [near] = Object.keys(VARIABLES)
    .filter(isNear)
    .sort((one, other) => slips(one) - slips(other));
  return `${name} is not a variable Grove knows${near ? `; did you mean ${near}?` : ''}`;
}

function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let i = 1; i <= one.length; i++) {
    const next = [i];
    for (let j = 1; j <= other.length; j++) {
      const replaced = (row[j - 1] as number) + (one[i - 1] === other[j - 1] ? 0 : 1);
      next[j] = Math.min((row[j] as number) + 1, (next[j - 1] as number) + 1, replaced);
    }
    row = next;
  }
  return row[other.length] as number;
}
