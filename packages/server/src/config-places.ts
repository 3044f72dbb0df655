import { fileURLToPath } from 'node:url';
import type { VariableName } from './config-variables.ts';
import type { DbPlace } from './db/open.ts';
import { hostUrls } from './db/postgres/hosts.ts';
import type { S3Place } from './engines/blobs/s3.ts';

/** Reads the places of databases, buckets and servers from the configuration. Pure. */
export type Fault = (name: VariableName, must: string) => void;
type BucketKey = Pick<S3Place, 'accessKeyId' | 'secretAccessKey' | 'sessionToken'>;

export function blobPlace(
  { url, dataFolder, value }: { url: string; dataFolder: string; value(name: VariableName): string },
  fault: Fault,
): { blobFolder: string; s3: S3Place | undefined } {
  const blobFolder = `${dataFolder}/blobs`;
  if (!url) return { blobFolder, s3: undefined };
  if (url.startsWith('s3://')) return { blobFolder, s3: bucket(url, value, fault) };
  try {
    return { blobFolder: fileURLToPath(url), s3: undefined };
  } catch {
    fault('BLOB_URL', 'file:///<folder> or s3://<bucket>/<prefix>?region=<region>&endpoint=<https address>');
    return { blobFolder, s3: undefined };
  }
}

const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;

/** With a configured endpoint, the bucket is in the path; with Amazon's, it is in the host. */
function bucket(url: string, value: (name: VariableName) => string, fault: Fault): S3Place | undefined {
  const { hostname: name, username, pathname, searchParams } = new URL(URL.canParse(url) ? url : 's3://-');
  const region = searchParams.get('region') ?? '';
  const endpoint = searchParams.get('endpoint');
  const unknown = [...searchParams.keys()].find((each) => each !== 'region' && each !== 'endpoint');
  const isEndpoint = endpoint === null || (URL.canParse(endpoint) && /^https?:$/.test(new URL(endpoint).protocol));
  const wrong = [
    !BUCKET.test(name) && 'its bucket must have 3 to 63 small letters, digits, dots and hyphens',
    username !== '' && 'it must not carry a user name',
    unknown !== undefined && `it must not have ${unknown}`,
    !isEndpoint && 'its endpoint must be an address of http or https',
    !/^[a-z0-9-]{1,40}$/.test(region) && 'its region must have 1 to 40 small letters, digits and hyphens',
  ].filter((each) => each !== false);
  if (wrong.length > 0) {
    const form = 's3://<bucket>/<prefix>?region=<region>, with &endpoint=<address> if it is not Amazon';
    fault('BLOB_URL', `${form}: ${wrong.join(', ')}`);
    return undefined;
  }
  const prefix = decodeURIComponent(pathname).split('/').filter(Boolean).join('/');
  return {
    endpoint: endpoint ? `${endpoint.replace(/\/+$/, '')}/${name}` : `https://${name}.s3.${region}.amazonaws.com`,
    region,
    bucket: name,
    prefix: prefix && `${prefix}/`,
    ...bucketKey(value, region, fault),
  };
}

const ISSUERS = ['role', 'container', 'instance'] as const;
/** The metadata service of virtual machines. */
const METADATA_SERVICE = 'http://169.254.169.254';
/** The agent of Amazon ECS. */
const CONTAINER_AGENT = 'http://169.254.170.2';

/** The configured key of a bucket, or the issuer of temporary ones. */
function bucketKey(
  value: (name: VariableName) => string,
  region: string,
  fault: Fault,
): BucketKey & Pick<S3Place, 'issuer'> {
  const requireValue = (name: VariableName, why: string) => {
    if (!value(name)) fault(name, `given for ${why}`);
    return value(name);
  };
  const from = value('GROVE_BUCKET_KEY_FROM');
  if (!from) {
    const accessKeyId = requireValue('AWS_ACCESS_KEY_ID', 'a bucket');
    const secretAccessKey = requireValue('AWS_SECRET_ACCESS_KEY', 'a bucket');
    const sessionToken = value('AWS_SESSION_TOKEN');
    return { accessKeyId, secretAccessKey, ...(sessionToken && { sessionToken }) };
  }
  if (!(ISSUERS as readonly string[]).includes(from)) fault('GROVE_BUCKET_KEY_FROM', `one of ${ISSUERS.join(', ')}`);
  const nobody = { accessKeyId: '', secretAccessKey: '' };
  if (from === 'role') {
    const roleArn = requireValue('AWS_ROLE_ARN', 'GROVE_BUCKET_KEY_FROM=role');
    const tokenFile = requireValue('AWS_WEB_IDENTITY_TOKEN_FILE', 'GROVE_BUCKET_KEY_FROM=role');
    const endpoint = `https://sts.${region}.amazonaws.com/`;
    return { ...nobody, issuer: { from: 'tokenService', endpoint, roleArn, tokenFile } };
  }
  if (from === 'container') {
    const relative = value('AWS_CONTAINER_CREDENTIALS_RELATIVE_URI');
    const url = relative
      ? `${CONTAINER_AGENT}${relative}`
      : requireValue('AWS_CONTAINER_CREDENTIALS_FULL_URI', 'GROVE_BUCKET_KEY_FROM=container');
    if (url && !isAgentUrl(url))
      fault('AWS_CONTAINER_CREDENTIALS_FULL_URI', 'https, or of this machine or its network');
    const tokenFile = value('AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE');
    return { ...nobody, issuer: { from: 'container', url, ...(tokenFile && { tokenFile }) } };
  }
  return { ...nobody, issuer: { from: 'instance', endpoint: METADATA_SERVICE } };
}

/** Over plain HTTP a token is only sent to this machine, or to the link-local addresses of agents. */
function isAgentUrl(url: string): boolean {
  const { protocol, hostname } = new URL(URL.canParse(url) ? url : 'none:');
  if (protocol === 'https:') return true;
  return protocol === 'http:' && /^(localhost|127\.|169\.254\.|\[::1\]|\[fd00:ec2::23\])/.test(hostname);
}

export const sqliteFile = (dataFolder: string) => `${dataFolder}/grove.sqlite`;

export function databasePlace(
  { url, dataFolder, pool }: { url: string; dataFolder: string; pool(): number },
  fault: Fault,
): DbPlace {
  if (!url) return { engine: 'sqlite', file: sqliteFile(dataFolder) };
  if (!hostUrls(url)) fault('DATABASE_URL', 'of the form postgres://user:password@host:port/database');
  return { engine: 'postgres', url, maxConnections: pool() };
}

/**
 * Whether other servers of the installation could not read the images, because BLOB_URL is missing and they are in the
 * data folder of this machine. An operator who names a folder knows whether it is shared.
 */
export function areImagesOfOneMachine(config: {
  readonly database: DbPlace;
  readonly s3?: S3Place | undefined;
  readonly blobFolder: string;
  readonly dataFolder: string;
}): boolean {
  const { database, s3, blobFolder, dataFolder } = config;
  return !('file' in database) && !s3 && blobFolder === `${dataFolder}/blobs`;
}

export type TracePlace = { url: string; headers: Readonly<Record<string, string>>; ratio: number };

const HEADER = /^([A-Za-z0-9-]{1,64})=([\x20-\x7e]{1,2000})$/;

export function tracePlace(value: (name: VariableName) => string, fault: Fault): TracePlace | undefined {
  const url = value('GROVE_OTLP_URL');
  const ratio = Number(value('GROVE_TRACE_RATIO'));
  if (!(ratio >= 0 && ratio <= 1)) fault('GROVE_TRACE_RATIO', 'a number from 0 to 1');
  const entries = value('GROVE_OTLP_HEADERS')
    .split(',')
    .map((each) => each.trim())
    .filter(Boolean);
  const pairs = entries.map((each) => HEADER.exec(each));
  if (pairs.some((pair) => pair === null)) fault('GROVE_OTLP_HEADERS', 'name=value, comma-separated');
  if (!url) return undefined;
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    fault('GROVE_OTLP_URL', 'an http or https address, with its path');
  }
  return { url, headers: Object.fromEntries(pairs.map((pair) => [pair?.[1] ?? '', pair?.[2] ?? ''])), ratio };
}
