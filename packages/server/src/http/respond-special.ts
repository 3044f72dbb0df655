import type { ServerResponse } from 'node:http';
import { pipeline, type Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AnswerHeaders, SpecialAnswer } from '../kernel/answers.ts';
import { addHeader, type Respond, usualHeaders } from './respond.ts';

/** Writes the answers that are not a plain body: redirects, bodies with headers of their own, bytes and streams. */
export type RespondSpecial = (request: FastifyRequest, reply: FastifyReply, special: Special) => void;

export type Special = {
  status: number;
  answer: SpecialAnswer;
  serialize: ((body: unknown) => string) | undefined;
  /** Told when the head of the answer is written. */
  sent(): void;
  /** Told what went wrong before that, while a problem can still be answered. */
  fail(error: unknown): void;
};

type Deps = {
  scheme: 'http' | 'https';
  respond: Respond;
  /** Told what went wrong in the middle of a stream, when nobody can be answered any more. */
  broke(request: FastifyRequest, error: unknown): void;
};

export function specialResponder({ scheme, respond, broke }: Deps): RespondSpecial {
  const usual = usualHeaders(scheme);
  /** A handler may replace a usual header; a name that is written twice would leave it to the client which counts. */
  const headersOf = (request: FastifyRequest, { headers }: SpecialAnswer): string[] => [
    ...pairsOf({ ...usual, ...headers, 'x-request-id': request.id }).flat(),
    ...(request.extraHeaders ?? []),
  ];

  return (request, reply, { status, answer, serialize, sent, fail }) => {
    const { kind, body } = answer;
    switch (kind) {
      case 'redirect':
      case 'json': {
        const json = serialize?.(body);
        for (const [name, value] of pairsOf(answer.headers)) addHeader(request, name, value);
        respond(request, reply, status, json);
        return sent();
      }
      case 'file': {
        const bytes = body as Uint8Array;
        reply.raw.writeHead(status, [...headersOf(request, answer), 'content-length', String(bytes.length)]);
        reply.hijack();
        reply.raw.end(bytes);
        return sent();
      }
      case 'stream': {
        const readable = body as Readable;
        return whenReady(readable, reply.raw, fail, () => {
          reply.raw.writeHead(status, headersOf(request, answer));
          reply.hijack();
          sent();
          pipeline(readable, reply.raw, (error) => {
            if (error && error.code !== 'ERR_STREAM_PREMATURE_CLOSE') broke(request, error);
          });
        });
      }
    }
  };
}

function pairsOf(headers: AnswerHeaders): [name: string, value: string][] {
  return Object.entries(headers).flatMap(([name, values]) =>
    [values].flat().map((value): [string, string] => [name, value as string]),
  );
}

/** Waits until a stream has something to give, or has ended: until then its failure is an answer like any other. */
function whenReady(
  readable: Readable,
  response: ServerResponse,
  fail: (error: unknown) => void,
  ready: () => void,
): void {
  const settle = () => {
    readable.off('readable', onReady).off('error', onError).off('close', onClose);
    response.off('close', onGone);
  };
  const onReady = () => {
    settle();
    ready();
  };
  const onError = (error: unknown) => {
    settle();
    fail(error);
  };
  const onClose = () => onError(new Error('a stream was closed before it gave anything'));
  const onGone = () => {
    settle();
    readable.on('error', () => undefined).destroy();
  };
  readable.once('readable', onReady).once('error', onError).once('close', onClose);
  response.once('close', onGone);
}
