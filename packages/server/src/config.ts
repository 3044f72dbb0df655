import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { DbPlace } from './db/open.ts';
import type { S3Place } from './engines/blobs/s3.ts';
import { messagePlaces, type SmsPlace, type SmtpPlace } from './engines/mail/places.ts';
import { MAX_ALLOWED, parseAllowList } from './engines/outbound/allow-list.ts';
import { VISION_MODES, type VisionMode } from './engines/vision/modes.ts';
import { type MasterKeySource, parseMasterKey } from './secrets/master-key.ts';

/**
 * Configuration is by environment. The table below is all there is: it is read once, validated, frozen, printed by
 * `grove help configuration` and shown in the documentation.
 */
export const REGIONS = ['fir', 'gum', 'oak'] as const;
export type Region = (typeof REGIONS)[number];

type Variable = { readonly default: string; readonly about: string };

export const VARIABLES = {
  PORT: { default: '8080', about: 'The port to listen on; 0 picks a free one' },
  HOST: { default: 'localhost', about: 'The address to listen on; 0.0.0.0 for all of them' },
  GROVE_DATA: { default: './data', about: 'The data folder: database, blobs, master key' },
  GROVE_REGION: { default: 'fir', about: `The region this server belongs to: ${REGIONS.join(', ')}` },
  GROVE_DOMAIN: { default: 'localhost', about: 'The domain below which tenants live: <tenantId>.<region>.<domain>' },
  GROVE_SCHEME: { default: '', about: 'http or https, as callers see it; https unless the domain is localhost' },
  GROVE_PUBLIC_PORT: { default: '', about: 'The port as callers see it; the real one on localhost, else none' },
  GROVE_PAGES_DOMAIN: {
    default: '',
    about:
      'The domain of custom pages, each at <page>.<this domain>; without it, sandboxed below the address of the tenant',
  },
  GROVE_TRUST_PROXY: {
    default: '',
    about: 'Comma-separated addresses or CIDR ranges of proxies whose X-Forwarded-For is believed',
  },
  DATABASE_URL: {
    default: '',
    about: 'postgres://user:password@host:port/database; without it, SQLite in the data folder',
  },
  DATABASE_POOL: { default: '10', about: 'How many PostgreSQL connections this server keeps, 1 to 100' },
  BLOB_URL: {
    default: '',
    about: 'Where images are kept: file:///folder or s3://bucket/prefix?region=…; without it, in the data folder',
  },
  AWS_ACCESS_KEY_ID: { default: '', about: 'The key that may read and write the bucket of BLOB_URL' },
  AWS_SECRET_ACCESS_KEY: { default: '', about: 'The secret of that key' },
  GROVE_OUTBOUND_ALLOW: {
    default: '',
    about: 'Where webhooks may go beside the public internet: comma-separated CIDR ranges, addresses or host:port',
  },
  SMTP_URL: {
    default: '',
    about: 'The server that takes mail to end users: smtps://user:password@host; without it, none is sent',
  },
  MAIL_FROM: { default: '', about: 'Who that mail is from: no-reply@example.com or Example <no-reply@example.com>' },
  SMS_URL: {
    default: '',
    about: 'The gateway that takes text messages, an https address; without it, none is sent',
  },
  SMS_TOKEN: { default: '', about: 'The bearer token for that gateway' },
  GROVE_MESSAGES_PER_DAY: {
    default: '2000',
    about: 'How many messages the end users of one tenant are sent a day at most',
  },
  GROVE_COUNTRY_HEADER: {
    default: '',
    about: 'The header in which a trusted proxy says the country of an address, such as cf-ipcountry',
  },
  GROVE_VISION: {
    default: 'lazy',
    about: 'When the engine for images starts: lazy (with the first image), eager (with the server) or off',
  },
  GROVE_MASTER_KEY: {
    default: '',
    about: '<version>:<32 bytes in base64>, comma-separated; without it, the file below',
  },
  GROVE_MASTER_KEY_FILE: {
    default: '',
    about: 'The file of the master key; <data>/master.key, made at the first start',
  },
  GROVE_RATE_LIMIT: {
    default: '200',
    about: 'Requests a second for one API key (an address may do four times as many), or off',
  },
  GROVE_METRICS_TOKEN: {
    default: '',
    about: 'The bearer token for /metrics; without it, only this machine may read them',
  },
  GROVE_LOG_LEVEL: { default: 'info', about: 'trace, debug, info, warn, error or silent' },
  GROVE_LOG_REQUESTS: { default: 'off', about: 'on writes one line for each request' },
} as const satisfies Record<string, Variable>;

export type VariableName = keyof typeof VARIABLES;
export type Environment = { readonly [name: string]: string | undefined };

export type Config = Readonly<{
  port: number;
  host: string;
  dataFolder: string;
  region: Region;
  domain: string;
  scheme: 'http' | 'https';
  /** Undefined: the port that is listened on. Null: none is shown. */
  publicPort: number | null | undefined;
  /** Where custom pages have hosts of their own. */
  pagesDomain: string | undefined;
  trustProxy: string[];
  database: DbPlace;
  /** Where images are kept, unless there is a bucket. */
  blobFolder: string;
  s3: S3Place | undefined;
  outboundAllow: string[];
  /** Where messages to end users are handed over; undefined: none are. */
  smtp: SmtpPlace | undefined;
  sms: SmsPlace | undefined;
  messagesPerDay: number;
  /** In small letters. */
  countryHeader: string | undefined;
  vision: VisionMode;
  masterKey: MasterKeySource;
  rateLimit: number | 'off';
  metricsToken: string | undefined;
  logLevel: string;
  logRequests: boolean;
}>;

/** Every fault of the environment at once, in words an operator can act on. */
export class ConfigError extends Error {
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(
      `The configuration has ${faults.length === 1 ? 'a fault' : `${faults.length} faults`}:\n- ${faults.join('\n- ')}`,
    );
    this.name = 'ConfigError';
    this.faults = faults;
  }
}

export function readConfig(environment: Environment): Config {
  const faults: string[] = [];
  const value = (name: VariableName) => environment[name]?.trim() || VARIABLES[name].default;
  const fault = (name: VariableName, must: string) => {
    const shown = SECRET.has(name) ? '' : ` (it is ${JSON.stringify(value(name))})`;
    faults.push(`${name} must be ${must}${shown}. ${VARIABLES[name].about}.`);
  };
  const oneOf = <const T extends string>(name: VariableName, allowed: readonly T[]): T => {
    if (!(allowed as readonly string[]).includes(value(name))) fault(name, `one of ${allowed.join(', ')}`);
    return value(name) as T;
  };
  const whole = (name: VariableName, from: number, to: number): number => {
    const number = /^\d{1,9}$/.test(value(name)) ? Number(value(name)) : Number.NaN;
    if (!(number >= from && number <= to)) fault(name, `a whole number from ${from} to ${to}`);
    return number;
  };
  for (const name of Object.keys(environment)) {
    if (name.startsWith('GROVE_') && !Object.hasOwn(VARIABLES, name)) faults.push(unknown(name));
  }

  const dataFolder = resolve(value('GROVE_DATA'));
  const domain = value('GROVE_DOMAIN').toLowerCase();
  if (!DOMAIN.test(domain)) fault('GROVE_DOMAIN', 'a domain name');
  const pagesDomain = value('GROVE_PAGES_DOMAIN').toLowerCase() || undefined;
  if (pagesDomain !== undefined && (!DOMAIN.test(pagesDomain) || `.${domain}`.endsWith(`.${pagesDomain}`))) {
    fault('GROVE_PAGES_DOMAIN', 'a domain name that the tenants do not live below');
  }
  const local = domain === 'localhost';
  const rateLimit = value('GROVE_RATE_LIMIT') === 'off' ? 'off' : whole('GROVE_RATE_LIMIT', 1, 1_000_000);
  const config: Config = {
    port: whole('PORT', 0, 65_535),
    host: value('HOST'),
    dataFolder,
    region: oneOf('GROVE_REGION', REGIONS),
    domain,
    scheme: value('GROVE_SCHEME') ? oneOf('GROVE_SCHEME', ['http', 'https']) : local ? 'http' : 'https',
    publicPort: value('GROVE_PUBLIC_PORT') ? whole('GROVE_PUBLIC_PORT', 1, 65_535) : local ? undefined : null,
    pagesDomain,
    trustProxy: entriesOf(value('GROVE_TRUST_PROXY')),
    outboundAllow: entriesOf(value('GROVE_OUTBOUND_ALLOW')),
    ...messagePlaces(value, parseAllowList(entriesOf(value('GROVE_OUTBOUND_ALLOW'))) ?? NOBODY, fault),
    messagesPerDay: whole('GROVE_MESSAGES_PER_DAY', 1, 10_000_000),
    countryHeader: value('GROVE_COUNTRY_HEADER').toLowerCase() || undefined,
    vision: oneOf('GROVE_VISION', VISION_MODES),
    database: database(
      value('DATABASE_URL'),
      dataFolder,
      () => whole('DATABASE_POOL', 1, 100),
      (must) => fault('DATABASE_URL', must),
    ),
    ...blobPlace(
      value('BLOB_URL'),
      dataFolder,
      { accessKeyId: value('AWS_ACCESS_KEY_ID'), secretAccessKey: value('AWS_SECRET_ACCESS_KEY') },
      fault,
    ),
    masterKey: value('GROVE_MASTER_KEY')
      ? { env: value('GROVE_MASTER_KEY') }
      : { file: value('GROVE_MASTER_KEY_FILE') || `${dataFolder}/master.key` },
    rateLimit,
    metricsToken: value('GROVE_METRICS_TOKEN') || undefined,
    logLevel: oneOf('GROVE_LOG_LEVEL', ['trace', 'debug', 'info', 'warn', 'error', 'silent']),
    logRequests: oneOf('GROVE_LOG_REQUESTS', ['on', 'off']) === 'on',
  };
  if (!parseAllowList(config.outboundAllow)) fault('GROVE_OUTBOUND_ALLOW', `at most ${MAX_ALLOWED} of these`);
  if (!config.trustProxy.every(isAddressRange)) fault('GROVE_TRUST_PROXY', 'addresses or CIDR ranges');
  if (
    config.countryHeader &&
    (!/^[a-z][a-z0-9-]{1,60}$/.test(config.countryHeader) || config.trustProxy.length === 0)
  ) {
    // Without a proxy that sets it, whoever calls could.
    fault('GROVE_COUNTRY_HEADER', 'the name of a header, and GROVE_TRUST_PROXY set');
  }
  if (config.metricsToken && config.metricsToken.length < 16)
    fault('GROVE_METRICS_TOKEN', 'at least 16 characters long');
  if ('env' in config.masterKey) {
    try {
      parseMasterKey(config.masterKey.env, 'GROVE_MASTER_KEY');
    } catch {
      fault('GROVE_MASTER_KEY', 'of that form, one part for each version');
    }
  }
  if (faults.length > 0) throw new ConfigError(faults);
  for (const part of Object.values(config)) Object.freeze(part);
  return Object.freeze(config);
}

/** A list that cannot be read is a fault of its own. */
const NOBODY = { ranges: [], targets: new Set<string>() };
const DOMAIN = /^[a-z0-9]([a-z0-9.-]{0,200}[a-z0-9])?$/;

type Fault = (name: VariableName, must: string) => void;
type BucketKey = Pick<S3Place, 'accessKeyId' | 'secretAccessKey'>;

function blobPlace(url: string, dataFolder: string, key: BucketKey, fault: Fault): Pick<Config, 'blobFolder' | 's3'> {
  const blobFolder = `${dataFolder}/blobs`;
  if (!url) return { blobFolder, s3: undefined };
  if (url.startsWith('s3://')) return { blobFolder, s3: bucket(url, key, fault) };
  try {
    return { blobFolder: fileURLToPath(url), s3: undefined };
  } catch {
    fault('BLOB_URL', 'file:///<folder> or s3://<bucket>/<prefix>?region=<region>&endpoint=<https address>');
    return { blobFolder, s3: undefined };
  }
}

const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;

/** With an endpoint of its own the bucket is in the path; Amazon has it in the host. */
function bucket(url: string, key: BucketKey, fault: Fault): S3Place | undefined {
  const { hostname: name, username, pathname, searchParams } = new URL(URL.canParse(url) ? url : 's3://-');
  const region = searchParams.get('region') ?? '';
  const endpoint = searchParams.get('endpoint');
  const known = [...searchParams.keys()].every((each) => each === 'region' || each === 'endpoint');
  const isEndpoint = endpoint === null || (URL.canParse(endpoint) && /^https?:$/.test(new URL(endpoint).protocol));
  if (!BUCKET.test(name) || username || !known || !isEndpoint || !/^[a-z0-9-]{1,40}$/.test(region)) {
    fault('BLOB_URL', 's3://<bucket>/<prefix>?region=<region>, with &endpoint=<https address> if it is not Amazon');
    return undefined;
  }
  if (!key.accessKeyId) fault('AWS_ACCESS_KEY_ID', 'given for a bucket');
  if (!key.secretAccessKey) fault('AWS_SECRET_ACCESS_KEY', 'given for a bucket');
  const prefix = decodeURIComponent(pathname).split('/').filter(Boolean).join('/');
  return {
    endpoint: endpoint ? `${endpoint.replace(/\/+$/, '')}/${name}` : `https://${name}.s3.${region}.amazonaws.com`,
    ...{ region, bucket: name, prefix: prefix && `${prefix}/`, ...key },
  };
}

const SECRET: ReadonlySet<string> = new Set([
  'DATABASE_URL',
  'GROVE_MASTER_KEY',
  'GROVE_METRICS_TOKEN',
  'BLOB_URL',
  'AWS_ACCESS_KEY_ID',
  'AWS_SECRET_ACCESS_KEY',
  'SMTP_URL',
  'SMS_URL',
  'SMS_TOKEN',
]);

function database(url: string, dataFolder: string, pool: () => number, fault: (must: string) => void): DbPlace {
  if (!url) return { engine: 'sqlite', file: `${dataFolder}/grove.sqlite` };
  // A database behind a local socket has no host: postgres://user@/database?host=/folder.
  if (!/^postgres(ql)?:\/\//.test(url) || !URL.canParse(url.replace('@/', '@localhost/')))
    fault('of the form postgres://user:password@host:port/database');
  return { engine: 'postgres', url, maxConnections: pool() };
}

function entriesOf(list: string): string[] {
  return list
    .split(',')
    .map((each) => each.trim())
    .filter(Boolean);
}

function isAddressRange(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/');
  const family = isIP(address);
  if (family === 0 || rest.length > 0) return false;
  return bits === undefined || (/^[1-9]\d{0,2}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128));
}

/** A variable that is misspelt would silently keep its default. */
function unknown(name: string): string {
  const [near] = Object.keys(VARIABLES)
    .filter((known) => distance(known, name) <= 3)
    .sort((one, other) => distance(one, name) - distance(other, name));
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

/** Where callers find a tenant: `https://<tenantId>.<region>.<domain>`. It is also the issuer of its tokens. */
export function baseUrlOf(config: Config, listeningPort: number): (tenantId: string) => string {
  const port = config.publicPort === undefined ? listeningPort : config.publicPort;
  const standard = port === null || port === (config.scheme === 'https' ? 443 : 80);
  const tail = `${config.region}.${config.domain}${standard ? '' : `:${port}`}`;
  return (tenantId) => `${config.scheme}://${tenantId}.${tail}`;
}
