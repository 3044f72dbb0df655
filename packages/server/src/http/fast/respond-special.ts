import type { ServerResponse } from 'node:http';
import { pipeline, type Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AnswerHeaders, SpecialAnswer } from '../../kernel/answers.ts';
import { usualHeaders } from './respond.ts';

/** Writes the answers that are not a plain body: redirects, bodies with their own headers, bytes and streams. */
export type RespondSpecial = (request: FastifyRequest, reply: FastifyReply, special: Special) => void;

export type Special = {
  status: number;
  answer: SpecialAnswer;
  serialize: ((body: unknown) => string) | undefined;
  /** Called when the head of the answer is written. */
  onSent(): void;
  /** Called with an error before that, while a problem can still be answered. */
  fail(error: unknown): void;
};

type Deps = {
  scheme: 'http' | 'https';
  /** Called with an error in the middle of a stream, when it is too late to answer a problem. */
  onBroken(request: FastifyRequest, error: unknown): void;
  /** Called when the reader of a stream has closed the connection. */
  onReaderGone(request: FastifyRequest): void;
};

export function specialResponder({ scheme, onBroken, onReaderGone }: Deps): RespondSpecial {
  const usual = usualHeaders(scheme);
  /** A handler may replace a usual header. A header is never written twice, because clients choose differently. */
  const write = (request: FastifyRequest, reply: FastifyReply, status: number, headers: AnswerHeaders) => {
    const pairs = pairsOf({ ...usual, ...headers, 'x-request-id': request.id }).flat();
    // The head comes first, because an invalid header is a fault that can still be answered.
    reply.raw.writeHead(status, [...pairs, ...(request.extraHeaders ?? [])]);
    reply.hijack();
    return reply.raw;
  };

  return (request, reply, { status, answer, serialize, onSent, fail }) => {
    if (answer.kind === 'stream') {
      const readable = answer.body as Readable;
      const onGone = () => onReaderGone(request);
      whenReady(readable, reply.raw, { fail, onGone }, () => {
        const response = write(request, reply, status, answer.headers);
        onSent();
        let isGone = false;
        response.once('close', () => {
          isGone = readable.errored === null;
        });
        pipeline(readable, response, (error) => {
          if (!error) return;
          if (isGone || error.code === 'ERR_STREAM_PREMATURE_CLOSE') onGone();
          else onBroken(request, error);
        });
      });
      return;
    }
    const { headers, bytes } = contentOf(answer, serialize);
    write(request, reply, status, { ...headers, 'content-length': String(bytes.length) }).end(bytes);
    onSent();
  };
}

type Content = { headers: AnswerHeaders; bytes: Uint8Array };

function contentOf({ kind, body, headers }: SpecialAnswer, serialize: Special['serialize']): Content {
  if (kind === 'file') return { headers, bytes: body as Uint8Array };
  const json = serialize?.(body);
  if (json === undefined) return { headers, bytes: Buffer.alloc(0) };
  return { headers: { ...headers, 'content-type': 'application/json; charset=utf-8' }, bytes: Buffer.from(json) };
}

function pairsOf(headers: AnswerHeaders): [name: string, value: string][] {
  return Object.entries(headers).flatMap(([name, values]) =>
    [values].flat().map((value): [string, string] => [name, value as string]),
  );
}

const NO_DATA = 'a stream was closed before it had any data';

/** Waits until a stream has data or ends: until then its failure can be answered as a problem. */
function whenReady(
  readable: Readable,
  response: ServerResponse,
  { fail, onGone: onReaderGone }: { fail(error: unknown): void; onGone(): void },
  ready: () => void,
): void {
  const settle = () => {
    readable.off('readable', onReady).off('error', onError).off('close', onClose);
    response.off('close', onGone);
  };
  const onReady = () => {
    settle();
    try {
      ready();
    } catch (error) {
      readable.destroy();
      fail(error);
    }
  };
  const onError = (error: unknown) => {
    settle();
    fail(error);
  };
  const onClose = () => onError(new Error(NO_DATA));
  const onGone = () => {
    settle();
    readable.on('error', () => undefined).destroy();
    onReaderGone();
  };
  // It closed while the stream was prepared.
  if (response.destroyed) {
    onGone();
    return;
  }
  // Its events may be over, so nobody would hear them.
  if (readable.destroyed) {
    readable.on('error', () => undefined);
    onError(readable.errored ?? new Error(NO_DATA));
    return;
  }
  readable.once('readable', onReady).once('error', onError).once('close', onClose);
  response.once('close', onGone);
}
