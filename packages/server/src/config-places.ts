import { fileURLToPath } from 'node:url';
import type { VariableName } from './config-variables.ts';
import type { DbPlace } from './db/open.ts';
import { hostUrls } from './db/postgres/hosts.ts';
import type { S3Place } from './engines/blobs/s3.ts';

/** Where everything is kept, read from what the operator configured. Pure. */
export type Fault = (name: VariableName, must: string) => void;
type BucketKey = Pick<S3Place, 'accessKeyId' | 'secretAccessKey'>;

export function blobPlace(
  { url, dataFolder, key }: { url: string; dataFolder: string; key: BucketKey },
  fault: Fault,
): { blobFolder: string; s3: S3Place | undefined } {
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
 * Whether other servers of the installation could not read the images: they are in the data folder of this machine, because
 * BLOB_URL says nothing else. Whoever names a folder knows whether it is shared.
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
  const given = value('GROVE_OTLP_HEADERS')
    .split(',')
    .map((each) => each.trim())
    .filter(Boolean);
  const pairs = given.map((each) => HEADER.exec(each));
  if (pairs.some((pair) => pair === null)) fault('GROVE_OTLP_HEADERS', 'name=value, comma-separated');
  if (!url) return undefined;
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    fault('GROVE_OTLP_URL', 'an http or https address, with its path');
  }
  return { url, headers: Object.fromEntries(pairs.map((pair) => [pair?.[1] ?? '', pair?.[2] ?? ''])), ratio };
}
