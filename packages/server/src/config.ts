import { isIP } from 'node:net';
import { isAbsolute, resolve } from 'node:path';
import { blobPlace, databasePlace, type Fault, type TracePlace, tracePlace } from './config-places.ts';
import { type JobsAtOnce, jobsAtOnce, type Role, rolesOf } from './config-roles.ts';
import { SECRET, unknownVariable, VARIABLES, type VariableName } from './config-variables.ts';
import type { DbPlace } from './db/open.ts';
import type { S3Place } from './engines/blobs/s3.ts';
import { messagePlaces, type SmsPlace, type SmtpPlace } from './engines/mail/places.ts';
import { MAX_ALLOWED, parseAllowList } from './engines/outbound/allow-list.ts';
import { isVisionInstalled } from './engines/vision/installed.ts';
import { FACE_PACKS, type FacePackName, VISION_MODES, type VisionMode } from './engines/vision/modes.ts';
import { REGIONS, type Region } from './kernel/regions.ts';
import { type MasterKeySource, parseMasterKey } from './secrets/master-key.ts';

/** Configuration is by environment: it is read once, validated and frozen. */
export type Environment = { readonly [name: string]: string | undefined };

export type Config = Readonly<{
  port: number;
  host: string;
  dataFolder: string;
  region: Region;
  /** The file with the region of each tenant. */
  tenantRegions: string | undefined;
  domain: string;
  scheme: 'http' | 'https';
  /** Undefined: the port on which the server listens. Null: addresses show no port. */
  publicPort: number | null | undefined;
  /** The domain under which custom pages have their own hosts. */
  pagesDomain: string | undefined;
  trustProxy: string[];
  database: DbPlace;
  /** The folder of images, unless a bucket is configured. */
  blobFolder: string;
  s3: S3Place | undefined;
  outboundAllow: string[];
  /** FIDO's metadata of authenticators. */
  fidoMetadata: { source: string; rootFile: string | undefined; cacheFile: string } | undefined;
  /** The server for e-mails; undefined if none are sent. */
  smtp: SmtpPlace | undefined;
  sms: SmsPlace | undefined;
  messagesPerDay: number;
  /** The name of the header, in lower case. */
  countryHeader: string | undefined;
  vision: VisionMode;
  /** The kinds of work that this process does. */
  roles: readonly Role[];
  jobsAtOnce: JobsAtOnce;
  webhooksPerEndpoint: number;
  facePack: FacePackName;
  weights: string | undefined;
  masterKey: MasterKeySource;
  rateLimit: number | 'off';
  testMegabytesPerDay: number | 'off';
  /** The limit of one tenant in each environment. */
  maxProcessTokens: number;
  /** The days for which tombstones and receipts of deleted instances are stored. */
  receiptsDays: number;
  metricsToken: string | undefined;
  /** The receiver of traces, if they are on. */
  traces: TracePlace | undefined;
  logLevel: string;
  logRequests: boolean;
  fastLane: boolean;
}>;

/** All faults of the environment together, in words with which an operator can mend them. */
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
  const fault: Fault = (name, must) => {
    const currentValue = SECRET.has(name) ? '' : ` (it is ${JSON.stringify(value(name))})`;
    faults.push(`${name} must be ${must}${currentValue}. ${VARIABLES[name].about}.`);
  };
  for (const name of Object.keys(environment)) {
    if (name.startsWith('GROVE_') && !Object.hasOwn(VARIABLES, name)) faults.push(unknownVariable(name));
  }
  const config = configOf(value, fault);
  checkConfig(config, fault);
  if (faults.length > 0) throw new ConfigError(faults);
  for (const part of Object.values(config)) Object.freeze(part);
  return Object.freeze(config);
}

function configOf(value: (name: VariableName) => string, fault: Fault): Config {
  const oneOf = <const T extends string>(name: VariableName, allowed: readonly T[]): T => {
    if (!(allowed as readonly string[]).includes(value(name))) fault(name, `one of ${allowed.join(', ')}`);
    return value(name) as T;
  };
  const whole = (name: VariableName, from: number, to: number): number => {
    const number = /^\d{1,9}$/.test(value(name)) ? Number(value(name)) : Number.NaN;
    if (!(number >= from && number <= to)) fault(name, `a whole number from ${from} to ${to}`);
    return number;
  };
  const wholeOrOff = (...range: Parameters<typeof whole>) => (value(range[0]) === 'off' ? 'off' : whole(...range));
  const dataFolder = resolve(value('GROVE_DATA'));
  const domain = value('GROVE_DOMAIN').toLowerCase();
  const local = domain === 'localhost';
  const outboundAllow = entriesOf(value('GROVE_OUTBOUND_ALLOW'));
  const metadata = value('GROVE_FIDO_MDS');
  const vision = oneOf('GROVE_VISION', VISION_MODES);
  const installation = { isSingleServer: !value('DATABASE_URL'), hasVision: vision !== 'off' && isVisionInstalled() };
  return {
    port: whole('PORT', 0, 65_535),
    host: value('HOST'),
    dataFolder,
    region: oneOf('GROVE_REGION', REGIONS),
    tenantRegions: value('GROVE_TENANT_REGIONS') ? resolve(value('GROVE_TENANT_REGIONS')) : undefined,
    domain,
    scheme: value('GROVE_SCHEME') ? oneOf('GROVE_SCHEME', ['http', 'https']) : local ? 'http' : 'https',
    publicPort: value('GROVE_PUBLIC_PORT') ? whole('GROVE_PUBLIC_PORT', 1, 65_535) : local ? undefined : null,
    pagesDomain: value('GROVE_PAGES_DOMAIN').toLowerCase() || undefined,
    trustProxy: entriesOf(value('GROVE_TRUST_PROXY')),
    outboundAllow,
    ...messagePlaces(value, parseAllowList(outboundAllow) ?? NOBODY, fault),
    messagesPerDay: whole('GROVE_MESSAGES_PER_DAY', 1, 10_000_000),
    countryHeader: value('GROVE_COUNTRY_HEADER').toLowerCase() || undefined,
    vision,
    roles: rolesOf(value('GROVE_ROLES'), installation, fault),
    jobsAtOnce: jobsAtOnce(value('GROVE_JOBS_AT_ONCE'), fault),
    webhooksPerEndpoint: whole('GROVE_WEBHOOKS_PER_ENDPOINT', 1, 64),
    facePack: oneOf('GROVE_FACE_PACK', FACE_PACKS),
    weights: value('GROVE_WEIGHTS') ? resolve(value('GROVE_WEIGHTS')) : undefined,
    database: databasePlace(
      { url: value('DATABASE_URL'), dataFolder, pool: () => whole('DATABASE_POOL', 1, 100) },
      fault,
    ),
    fidoMetadata: metadata
      ? {
          source: metadata,
          rootFile: value('GROVE_FIDO_MDS_ROOT') || undefined,
          cacheFile: `${dataFolder}/fido-metadata.jwt`,
        }
      : undefined,
    ...blobPlace({ url: value('BLOB_URL'), dataFolder, value }, fault),
    masterKey: value('GROVE_MASTER_KEY')
      ? { env: value('GROVE_MASTER_KEY') }
      : { file: value('GROVE_MASTER_KEY_FILE') || `${dataFolder}/master.key` },
    rateLimit: wholeOrOff('GROVE_RATE_LIMIT', 1, 1_000_000),
    testMegabytesPerDay: wholeOrOff('GROVE_TEST_MEGABYTES_A_DAY', 1, 1_000_000),
    maxProcessTokens: whole('GROVE_MAX_PROCESS_TOKENS', 1, 100_000_000),
    receiptsDays: whole('GROVE_RECEIPTS_DAYS', 1, 36_500),
    metricsToken: value('GROVE_METRICS_TOKEN') || undefined,
    traces: tracePlace(value, fault),
    logLevel: oneOf('GROVE_LOG_LEVEL', ['trace', 'debug', 'info', 'warn', 'error', 'silent']),
    logRequests: oneOf('GROVE_LOG_REQUESTS', ['on', 'off']) === 'on',
    fastLane: oneOf('GROVE_FAST_LANE', ['on', 'off']) === 'on',
  };
}

/** A list that cannot be read is reported as a separate fault. */
const NOBODY = { ranges: [], targets: new Set<string>() };
const DOMAIN = /^[a-z0-9]([a-z0-9.-]{0,200}[a-z0-9])?$/;
const HEADER = /^[a-z][a-z0-9-]{1,60}$/;
const METRICS_TOKEN_LENGTH = 16;

function checkConfig(config: Config, fault: Fault): void {
  const { domain, pagesDomain, countryHeader, metricsToken, masterKey } = config;
  if (!DOMAIN.test(domain)) fault('GROVE_DOMAIN', 'a domain name');
  if (pagesDomain !== undefined && (!DOMAIN.test(pagesDomain) || `.${domain}`.endsWith(`.${pagesDomain}`))) {
    fault('GROVE_PAGES_DOMAIN', 'a domain name that the tenants do not live below');
  }
  if (!parseAllowList(config.outboundAllow)) fault('GROVE_OUTBOUND_ALLOW', `at most ${MAX_ALLOWED} of these`);
  if (config.fidoMetadata && !isMetadataSource(config.fidoMetadata.source)) {
    fault('GROVE_FIDO_MDS', 'an absolute path, or an https address');
  }
  if (!config.trustProxy.every(isAddressRange)) fault('GROVE_TRUST_PROXY', 'addresses or CIDR ranges');
  // Without a proxy that sets the header, any caller could set it.
  if (countryHeader !== undefined && (!HEADER.test(countryHeader) || config.trustProxy.length === 0)) {
    fault('GROVE_COUNTRY_HEADER', 'the name of a header, and GROVE_TRUST_PROXY set');
  }
  if (metricsToken !== undefined && metricsToken.length < METRICS_TOKEN_LENGTH) {
    fault('GROVE_METRICS_TOKEN', `at least ${METRICS_TOKEN_LENGTH} characters long`);
  }
  if (config.facePack === 'intel-0095' && config.weights === undefined) {
    fault('GROVE_FACE_PACK', 'faceplugin, or GROVE_WEIGHTS set');
  }
  if (!('env' in masterKey)) return;
  try {
    parseMasterKey(masterKey.env, 'GROVE_MASTER_KEY');
  } catch {
    fault('GROVE_MASTER_KEY', 'of that form, one part for each version');
  }
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

/** The base address of a tenant: `https://<tenantId>.<region>.<domain>`. It is also the issuer of its tokens. */
export function baseUrlOf(config: Config, listeningPort: number): (tenantId: string, region?: Region) => string {
  const port = config.publicPort === undefined ? listeningPort : config.publicPort;
  const standard = port === null || port === (config.scheme === 'https' ? 443 : 80);
  const tail = `${config.domain}${standard ? '' : `:${port}`}`;
  return (tenantId, region = config.region) => `${config.scheme}://${tenantId}.${region}.${tail}`;
}

function isMetadataSource(source: string): boolean {
  return isAbsolute(source) || (/^https:\/\//i.test(source) && URL.canParse(source));
}
