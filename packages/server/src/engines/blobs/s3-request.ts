import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { setTimeout as wait } from 'node:timers/promises';
import { BlobError, type BlobPart } from './blobs.ts';
import { type CredentialIssuer, type Credentials, temporaryCredentials } from './credentials.ts';
import { sha256, signRequest } from './sign-request.ts';

export type S3Place = Credentials & {
  /** The address of the bucket, with its name in the path unless it is in the host. */
  readonly endpoint: string;
  readonly region: string;
  readonly bucket: string;
  /** Empty, or ends with a slash. */
  readonly prefix: string;
  /** Issues temporary credentials instead of those that were configured. */
  readonly issuer?: CredentialIssuer | undefined;
};

export type S3Options = {
  now(): number;
  /** The pause before the second attempt. Each further pause is twice as long. */
  backoffMs?: number;
  /** The longest time without a byte in either direction. */
  idleMs?: number;
  /** The longest time until the response begins. */
  answerMs?: number;
  /** How many objects a page of a list has. */
  listSize?: number;
};

export type S3Call = {
  method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  /** The path below the bucket. */
  path?: string;
  query?: Record<string, string>;
  body?: S3Body;
  /** The part of the requested object. */
  part?: BlobPart;
};

export type S3Body = {
  readonly sha256: string;
  /** For requests that stores refuse without it. */
  readonly md5?: string;
  readonly size: number;
  readonly chunks: readonly Uint8Array[];
};

/** Returns a successful response whose body is still to be read; undefined for an object that is not there. */
export type S3Request = (call: S3Call) => Promise<IncomingMessage | undefined>;

const TRIES = 4;
const BACKOFF_MS = 200;
const IDLE_MS = 30_000;
const ANSWER_MS = 60_000;
const MAX_SOCKETS = 32;
const MAX_ERROR_BYTES = 8 * 1024;
const NO_BODY: S3Body = { sha256: sha256(''), size: 0, chunks: [] };

/** Every call can be repeated: it puts, gets or deletes the same thing each time. */
export function s3Requests(bucket: S3Place, options: S3Options): S3Request {
  const { backoffMs = BACKOFF_MS } = options;
  const url = new URL(bucket.endpoint);
  const secure = url.protocol === 'https:';
  const agent = new (secure ? HttpsAgent : HttpAgent)({ keepAlive: true, maxSockets: MAX_SOCKETS, scheduling: 'lifo' });
  const { region, issuer } = bucket;
  const credentials = issuer ? temporaryCredentials(issuer, options.now) : async () => bucket;
  const send = async (call: S3Call): Promise<IncomingMessage> => {
    const { method, path = '', query = {}, body = NO_BODY, part } = call;
    const signed = signRequest(
      {
        method,
        host: url.host,
        path: `${url.pathname.replace(/\/$/, '')}/${path}`,
        query,
        headers: {
          'x-amz-content-sha256': body.sha256,
          ...((method === 'PUT' || method === 'POST') && { 'content-length': `${body.size}` }),
          ...(part && { range: `bytes=${part.offset}-${part.offset + part.size - 1}` }),
          ...(body.md5 !== undefined && { 'content-md5': body.md5 }),
        },
        payloadHash: body.sha256,
      },
      { ...(await credentials()), region, service: 's3' },
      options.now(),
    );
    const target = {
      agent,
      method,
      hostname: url.hostname,
      port: url.port,
      path: signed.path,
      headers: signed.headers,
    };
    return exchange((secure ? httpsRequest : httpRequest)(target), body, options);
  };

  return async (call) => {
    for (let tries = 1; ; tries++) {
      const outcome = await send(call).then(judge, (error: Error) => ({ retry: new Fault(error.message, error) }));
      if ('answer' in outcome) return outcome.answer;
      if (tries === TRIES)
        throw new BlobError('unavailable', `the blob store: ${outcome.retry.message}`, outcome.retry);
      await wait(backoffMs * 2 ** (tries - 1) * (0.5 + Math.random() / 2));
    }
  };
}

class Fault extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'Fault';
  }
}

type Outcome = { answer: IncomingMessage | undefined } | { retry: Fault };

/** Retries what another attempt may fix, but not a full store or a refusal. */
async function judge(answer: IncomingMessage): Promise<Outcome> {
  const status = answer.statusCode ?? 0;
  if (status >= 200 && status < 300) return { answer };
  const word = /<Code>(\w{1,64})<\/Code>/.exec(await textOf(answer, MAX_ERROR_BYTES))?.[1] ?? '';
  // 416: the object ends before the part begins.
  if ((status === 404 && word !== 'NoSuchBucket') || status === 416) return { answer: undefined };
  const answerText = `it answered ${status} ${word}`.trim();
  if (status === 507 || /quota|storagefull|insufficientstorage/i.test(word)) {
    throw new BlobError('full', `the blob store is full: ${answerText}`);
  }
  if (status >= 500 || status === 429 || status === 408) return { retry: new Fault(answerText) };
  throw new BlobError('unavailable', `the blob store refuses: ${answerText}`);
}

function exchange(
  request: ReturnType<typeof httpRequest>,
  body: S3Body,
  { idleMs = IDLE_MS, answerMs = ANSWER_MS }: S3Options,
): Promise<IncomingMessage> {
  return new Promise((done, failed) => {
    const tooLong = () => request.destroy(new Error('it took too long to answer'));
    const timer = setTimeout(tooLong, answerMs);
    request.setTimeout(idleMs, tooLong);
    request.once('response', (answer) => {
      clearTimeout(timer);
      done(answer);
    });
    request.once('close', () => clearTimeout(timer));
    request.on('error', failed);
    for (const chunk of body.chunks) request.write(chunk);
    request.end();
  });
}

/** Reads the body of a response that should be short, and no more than that. */
export async function textOf(answer: IncomingMessage, maxBytes: number): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of answer as AsyncIterable<Buffer>) {
    parts.push(part);
    size += part.length;
    if (size > maxBytes) break;
  }
  return Buffer.concat(parts).toString('utf8', 0, maxBytes);
}
