import type { TenantDb } from '../../db/db.ts';
import type { Outbound } from '../../engines/outbound/outbound.ts';
import { fillHeaders } from '../cloud-secrets/fill-headers.ts';
import type { FindSecret, SecretUse } from '../cloud-secrets/find-secret.ts';
import type { HttpAnswer, HttpCall } from '../engine/steps/step-type.ts';

export type CallHttp = (db: TenantDb, call: HttpCall & SecretUse, signal: AbortSignal) => Promise<HttpAnswer>;

const TIMEOUT_MS = 10_000;
const MAX_ANSWER_BYTES = 64 * 1024;

/** Faults that a retry does not change. Every other fault may be temporary. */
const LASTING = ['refused_address', 'bad_answer'];

/** Calls a service of the tenant for a step. Secrets are filled in here and never reach the step. */
export function httpCaller(deps: { outbound: Pick<Outbound, 'send'>; findSecret: FindSecret }): CallHttp {
  const failed = (fault: string, lasting: boolean): HttpAnswer => ({ status: 0, text: '', fault, lasting });
  return async (db, { method, url, headers, body, environment, actor }, signal) => {
    const use = { environment, actor, url };
    const filled = await fillHeaders(db, headers, (reads, name) => deps.findSecret(reads, name, use));
    if (filled.fault) return failed(filled.fault, true);
    const answer = await deps.outbound.send({
      method,
      url,
      signal,
      timeoutMs: TIMEOUT_MS,
      maxAnswerBytes: MAX_ANSWER_BYTES,
      wantBody: true,
      headers: {
        'user-agent': 'Grove-Steps/1',
        accept: 'application/json',
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...filled.headers,
      },
      ...(body !== undefined && { body }),
    });
    // When the server stops, another one continues the work.
    signal.throwIfAborted();
    if (answer.fault !== undefined) {
      return LASTING.includes(answer.fault) ? failed(answer.fault, true) : failed('unreachable', false);
    }
    return { status: answer.status, text: (answer.body ?? Buffer.alloc(0)).toString() };
  };
}
