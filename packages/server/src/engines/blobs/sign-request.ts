import { createHash, createHmac } from 'node:crypto';
import type { Credentials } from './credentials.ts';

/** Signs requests with Signature Version 4 of Amazon Web Services, in their headers. */
export type RequestToSign = {
  method: string;
  host: string;
  /** Not encoded. */
  path: string;
  query?: Readonly<Record<string, string>>;
  /** All of them are signed. */
  headers?: Readonly<Record<string, string>>;
  payloadHash: string;
};

export type SigningKey = Credentials & { readonly region: string; readonly service: string };

/** Headers in lower case. */
export type SignedRequest = { path: string; headers: Record<string, string> & { authorization: string } };

const ALGORITHM = 'AWS4-HMAC-SHA256';

/** Returns the address as it was signed, and the headers to send. */
export function signRequest(request: RequestToSign, key: SigningKey, now: number): SignedRequest {
  const { method, host, path, query = {}, payloadHash } = request;
  const time = new Date(now).toISOString().replace(/[-:]|\.\d{3}/g, '');
  const day = time.slice(0, 8);
  const headers: Record<string, string> = {
    ...lowerCase(request.headers ?? {}),
    host,
    'x-amz-date': time,
    ...(key.sessionToken && { 'x-amz-security-token': key.sessionToken }),
  };
  const names = Object.keys(headers).sort();
  const encodedPath = path.split('/').map(encode).join('/');
  const encodedQuery = Object.entries(query)
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .sort()
    .join('&');
  const canonical = [
    method,
    encodedPath,
    encodedQuery,
    ...names.map((name) => `${name}:${headers[name]?.trim().replace(/ +/g, ' ')}`),
    '',
    names.join(';'),
    payloadHash,
  ].join('\n');
  const scope = `${day}/${key.region}/${key.service}/aws4_request`;
  const signature = hmac(
    [day, key.region, key.service, 'aws4_request'].reduce<Buffer | string>(hmac, `AWS4${key.secretAccessKey}`),
    [ALGORITHM, time, scope, sha256(canonical)].join('\n'),
  ).toString('hex');
  const authorization = `${ALGORITHM} Credential=${key.accessKeyId}/${scope}, SignedHeaders=${names.join(';')}, Signature=${signature}`;
  return {
    path: encodedQuery ? `${encodedPath}?${encodedQuery}` : encodedPath,
    headers: { ...headers, authorization },
  };
}

export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function hmac(key: Buffer | string, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

/** Encodes everything except what RFC 3986 leaves alone; JavaScript spares five more characters. */
function encode(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (each) => `%${each.charCodeAt(0).toString(16).toUpperCase()}`);
}

function lowerCase(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
