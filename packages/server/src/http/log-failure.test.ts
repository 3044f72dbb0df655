import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { FastifyRequest } from 'fastify';
import { ApiError } from '../kernel/errors.ts';
import { failureLog } from './log-failure.ts';

it('a request refused because the server is busy is one log line without a stack, and a fault of the server is one line each', () => {
  type Line = { level: string; fields: Record<string, unknown>; text: string };
  const lines: Line[] = [];
  const note = (level: string) => (fields: Record<string, unknown>, text: string) =>
    void lines.push({ level, fields, text });
  const failed = failureLog({ warn: note('warn'), error: note('error') } as never);
  const request = { id: 'r1' } as FastifyRequest;
  const busy = () => new ApiError(100010, { detail: 'too many images are waiting', retryAfterSeconds: 5 });
  for (let times = 0; times < 40; times++) failed(request, 'journey.uploadImage', busy());
  const fields = { requestId: 'r1', operation: 'journey.uploadImage', code: 100010 };
  assert.deepEqual<Line[]>(lines, [
    {
      level: 'warn',
      fields: { ...fields, reason: 'too many images are waiting', requests: 1 },
      text: 'request refused, because the server is busy',
    },
  ]);
  const broken = () => new ApiError(100010, { cause: new Error('the decoder died') });
  for (let times = 0; times < 2; times++) failed(request, 'journey.uploadImage', broken());
  assert.deepEqual(
    lines.slice(1).map((line: Line) => [line.level, (line.fields.err as Error).message]),
    [
      ['error', 'the decoder died'],
      ['error', 'the decoder died'],
    ],
  );
});

it('a request for pages that are not built yet is one log line without a stack', () => {
  const lines: [string, unknown, string][] = [];
  const note = (level: string) => (fields: unknown, text: string) => void lines.push([level, fields, text]);
  const failed = failureLog({ warn: note('warn'), error: note('error') } as never);
  for (let times = 0; times < 40; times++) {
    failed({ id: 'r1' } as FastifyRequest, 'other', new ApiError(100135, { retryAfterSeconds: 10 }));
  }
  assert.deepEqual(lines, [
    [
      'warn',
      { requestId: 'r1', operation: 'other', code: 100135, requests: 1 },
      'The pages of the journey have not been built',
    ],
  ]);
});
