import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/**
 * A bucket in memory that verifies signatures: it computes the signature from the request as it arrived. A test can
 * replace each answer by a wrong one.
 */
export type S3Server = {
  endpoint: string;
  objects: Map<string, { bytes: Buffer; at: Date }>;
  /** `METHOD path` of each call that arrived, refused ones too. */
  calls: string[];
  /** Takes the place of the answers to the next calls, in order. */
  next: ((request: IncomingMessage, response: ServerResponse) => void)[];
  stop(): Promise<void>;
};

export const S3_KEY = { accessKeyId: 'AKTEST', secretAccessKey: 'a secret/with+signs' };
export const S3_REGION = 'eu-test-1';
const LIST_PAGE = 3;

export async function startS3(bucket: string, port = 0): Promise<S3Server> {
  const objects: S3Server['objects'] = new Map();
  const calls: string[] = [];
  const next: S3Server['next'] = [];
  const server = createServer(async (request, response) => {
    try {
      calls.push(`${request.method} ${request.url}`);
      const special = next.shift();
      if (special) return special(request, response);
      const body = await buffer(request);
      // Real buckets refuse this as well, also for an empty object.
      if (request.method === 'PUT' && request.headers['content-length'] === undefined) {
        return refuse(response, 411, 'MissingContentLength');
      }
      const fault = faultOf(request, body);
      if (fault) return refuse(response, 403, fault);
      const { pathname, searchParams } = new URL(request.url ?? '', 'http://s3');
      const [, name, ...rest] = pathname.split('/').map(decodeURIComponent);
      if (name !== bucket) return refuse(response, 404, 'NoSuchBucket');
      if (searchParams.has('delete')) return deleteMany(objects, request, body, response);
      if (rest.join('/') === '') return list(objects, searchParams, response);
      serve(objects, rest.join('/'), request, body, response);
    } catch {
      response.destroy();
    }
  });
  await new Promise<void>((done) => void server.listen(port, '127.0.0.1', done));
  const { port: listening } = server.address() as AddressInfo;
  return {
    objects,
    calls,
    next,
    endpoint: `http://127.0.0.1:${listening}`,
    stop: () =>
      new Promise((done) => {
        server.closeAllConnections();
        server.close(() => done());
      }),
  };
}

function serve(
  objects: S3Server['objects'],
  key: string,
  { method = '', headers }: IncomingMessage,
  body: Buffer,
  response: ServerResponse,
): void {
  const object = objects.get(key);
  const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? '') ?? [];
  if (method === 'GET' && object && first !== undefined) {
    if (Number(first) >= object.bytes.length) refuse(response, 416, 'InvalidRange');
    else response.writeHead(206).end(object.bytes.subarray(Number(first), Number(last) + 1));
    return;
  }
  if (method === 'PUT') objects.set(key, { bytes: body, at: new Date() });
  if (method === 'DELETE') objects.delete(key);
  if (method === 'GET' && !object) refuse(response, 404, 'NoSuchKey');
  else response.writeHead(method === 'DELETE' ? 204 : 200).end(method === 'GET' ? object?.bytes : undefined);
}

/** Like a real bucket, requires the checksum of the list. */
function deleteMany(
  objects: S3Server['objects'],
  { headers }: IncomingMessage,
  body: Buffer,
  response: ServerResponse,
): void {
  if (headers['content-md5'] !== createHash('md5').update(body).digest('base64')) {
    refuse(response, 400, 'BadDigest');
    return;
  }
  for (const [, key = ''] of body.toString().matchAll(/<Key>([^<]*)<\/Key>/g)) objects.delete(key);
  response.end('<?xml version="1.0"?><DeleteResult></DeleteResult>');
}

function list(objects: S3Server['objects'], query: URLSearchParams, response: ServerResponse): void {
  const after = query.get('continuation-token') ?? '';
  const keys = [...objects.keys()].sort().filter((key) => key.startsWith(query.get('prefix') ?? '') && key > after);
  const pageKeys = keys.slice(0, Math.min(LIST_PAGE, Number(query.get('max-keys'))));
  const entries = pageKeys.map(
    (key) =>
      `<Contents><Key>${key}</Key><LastModified>${objects.get(key)?.at.toISOString()}</LastModified><Size>1</Size></Contents>`,
  );
  const more = keys.length > pageKeys.length;
  const token = more ? `<NextContinuationToken>${pageKeys.at(-1)}</NextContinuationToken>` : '';
  response.end(
    `<?xml version="1.0"?><ListBucketResult><IsTruncated>${more}</IsTruncated>${token}${entries.join('')}</ListBucketResult>`,
  );
}

export function refuse(response: ServerResponse, status: number, code: string): void {
  response.writeHead(status, { 'content-type': 'application/xml' });
  response.end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>no</Message></Error>`);
}

/** Written from the specification of Signature Version 4, independently of Grove's code. */
function faultOf(request: IncomingMessage, body: Buffer): string | undefined {
  const { headers } = request;
  const authorization =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/.exec(
      headers.authorization ?? '',
    );
  if (!authorization) return 'MissingSecurityHeader';
  const [, id, day = '', region = '', signed = '', signature = ''] = authorization;
  const time = String(headers['x-amz-date']);
  const at = Date.parse(time.replace(/^(....)(..)(..)T(..)(..)(..)Z$/, '$1-$2-$3T$4:$5:$6Z'));
  if (id !== S3_KEY.accessKeyId) return 'InvalidAccessKeyId';
  if (region !== S3_REGION || !time.startsWith(day)) return 'AuthorizationHeaderMalformed';
  if (!(Math.abs(at - Date.now()) < 900_000)) return 'RequestTimeTooSkewed';
  if (!['host', 'x-amz-date', 'x-amz-content-sha256'].every((name) => signed.split(';').includes(name))) {
    return 'AccessDenied';
  }
  const hash = createHash('sha256').update(body).digest('hex');
  if (headers['x-amz-content-sha256'] !== hash) return 'XAmzContentSHA256Mismatch';
  const [path = '', query = ''] = (request.url ?? '').split('?');
  let canonical = `${request.method}\n${path}\n${query.split('&').sort().join('&')}\n`;
  for (const name of signed.split(';')) canonical += `${name}:${String(headers[name]).trim()}\n`;
  canonical += `\n${signed}\n${hash}`;
  const mac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text, 'utf8').digest();
  const key = mac(mac(mac(mac(`AWS4${S3_KEY.secretAccessKey}`, day), region), 's3'), 'aws4_request');
  const digest = createHash('sha256').update(canonical).digest('hex');
  const expected = mac(key, `AWS4-HMAC-SHA256\n${time}\n${day}/${region}/s3/aws4_request\n${digest}`);
  return timingSafeEqual(expected, Buffer.from(signature, 'hex')) ? undefined : 'SignatureDoesNotMatch';
}
