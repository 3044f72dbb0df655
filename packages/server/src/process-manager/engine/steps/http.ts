import { oneOf, stringMap, Type, text } from '@grove/contract';
import { HEADER_VALUE_FAULT, headerNameFault, isHeaderValue } from '../../../engines/outbound/header-rules.ts';
import type { Check } from '../../../kernel/check.ts';
import { isBadText } from '../../../kernel/json-fault.ts';
import { hasTooManySecrets, SECRETS_FAULT, secretNames } from '../../cloud-secrets/secret-names.ts';
import type { Step } from '../definition.ts';
import { ANY, objectOf } from '../expressions/shapes.ts';
import { bodyFault, fillBody } from './fill-body.ts';
import type { StepType, WorkRequest } from './step-type.ts';

/**
 * Calls a service of the tenant. Its answer is stored like a form, so that conditions can read it. If the service cannot be
 * reached or its answer is invalid, the check is NOT_PERFORMED rather than FAILED, which the decision takes into account.
 */
type HttpStep = Step & {
  key: string;
  url: string;
  method: 'GET' | 'POST';
  headers?: Record<string, string>;
  body?: string;
  keep?: Record<string, string>;
  passes?: string;
};

const MAX_HEADERS = 20;
const MAX_KEPT = 50;
const MAX_KEPT_LENGTH = 4000;
const POINTER = '^(/([^~/]|~[01])*)+$';
/** The pauses before each request: after the last one the check is NOT_PERFORMED. */
const PAUSES_MS = [0, 1000, 4000];

const pointer = (description: string) => Type.String({ maxLength: 200, pattern: POINTER, description });

export const http: StepType = {
  type: 'http',
  about: 'Calls a service of the tenant and stores its response.',
  kind: 'server',
  callsOutside: true,
  keeps: {
    in: 'forms',
    defaultKey: 'http1',
    shape: (step) =>
      objectOf(Object.fromEntries(Object.keys((step as HttpStep).keep ?? {}).map((name) => [name, ANY]))),
  },
  settings: {
    url: Type.String({
      maxLength: 500,
      pattern: '^https?://',
      description: 'An https address; http only if the operator allows it',
    }),
    method: Type.Unsafe<string>({ ...oneOf('GET', 'POST'), default: 'POST' }),
    headers: Type.Optional({
      ...stringMap(MAX_HEADERS, 1000),
      description: '`{secret.NAME}` stands for a cloud secret',
    }),
    body: Type.Optional(
      text(
        1,
        10_000,
        'JSON with placeholders such as `{params.email}` or `{data.forms.form1.city}`; default: ids only',
      ),
    ),
    keep: Type.Optional(
      Type.Record(
        Type.String({ pattern: '^[A-Za-z][A-Za-z0-9_]{0,49}$' }),
        pointer('A JSON pointer into the response'),
        {
          maxProperties: MAX_KEPT,
          description: 'What to store of the response: each name, and a JSON pointer to its value',
        },
      ),
    ),
    passes: Type.Optional(
      pointer('A JSON pointer to `true` or `false` in the response; without it, any response passes'),
    ),
  },
  references: (step) => {
    const { headers = {}, url } = step as HttpStep;
    const secrets = Object.entries(headers).flatMap(([name, value]) =>
      secretNames(value).map((secret) => ({ kind: 'secret' as const, name: secret, url, pointer: `/headers/${name}` })),
    );
    return [{ kind: 'address' as const, name: url, pointer: '/url' }, ...secrets];
  },
  faults(step) {
    const { headers = {}, body, method } = step as HttpStep;
    const faults = Object.entries(headers).flatMap(([name, value]) => {
      const message = headerNameFault(name) ?? valueFault(value);
      return message ? [{ pointer: `/headers/${name}`, message }] : [];
    });
    if (body === undefined) return faults;
    const message = method === 'GET' ? 'is not for a request of method GET, which has no body' : bodyFault(body);
    return message ? [...faults, { pointer: '/body', message }] : faults;
  },
  async work(request) {
    const step = request.step as HttpStep;
    const { answer, fault } = await ask(step, request);
    if (fault !== undefined) return { checks: [check('NOT_PERFORMED', fault)] };
    const keptValues = Object.fromEntries(
      Object.entries(step.keep ?? {}).flatMap(([name, at]) => {
        const value = fieldValueOf(valueAt(answer, at));
        return value === undefined ? [] : [[name, value]];
      }),
    );
    const verdict = step.passes === undefined ? true : valueAt(answer, step.passes);
    const result = typeof verdict === 'boolean' ? (verdict ? check('PASSED') : check('FAILED', 'refused')) : undefined;
    return {
      checks: [result ?? check('NOT_PERFORMED', 'no_verdict')],
      data: { forms: { [step.key]: keptValues } },
    };
  },
};

function valueFault(value: string): string | undefined {
  if (!isHeaderValue(value)) return HEADER_VALUE_FAULT;
  return hasTooManySecrets(value) ? SECRETS_FAULT : undefined;
}

function check(status: Check['status'], reason?: string): Check {
  return { name: 'http', type: 'http', status, ...(reason && { reason, advice: 'final' as const }) };
}

type HttpAnswer = { answer: unknown; fault?: undefined } | { answer?: undefined; fault: string };

async function ask({ url, method, headers = {}, body }: HttpStep, request: WorkRequest): Promise<HttpAnswer> {
  const { state, callHttp, pause } = request;
  const { instanceId, environment } = request;
  const ids = { processInstanceId: instanceId, environment, step: request.step.id };
  const content = method === 'GET' ? undefined : body === undefined ? JSON.stringify(ids) : fillBody(body, ids, state);
  if (content === undefined && method === 'POST') return { fault: 'too_large' };
  let fault = 'unreachable';
  for (const ms of PAUSES_MS) {
    if (ms > 0) await pause(ms);
    const response = await callHttp({ url, method, headers, ...(content && { body: content }) });
    if (response.fault !== undefined) {
      fault = response.fault;
      if (response.lasting) break;
      continue;
    }
    const { status, text } = response;
    if (status >= 500 || status === 429 || status === 408) {
      fault = 'unreachable';
      continue;
    }
    if (status < 200 || status > 299) return { fault: 'status' };
    try {
      return { answer: text === '' ? null : JSON.parse(text) };
    } catch {
      return { fault: 'not_json' };
    }
  }
  return { fault };
}

/**
 * Texts, finite numbers and booleans; other values are not fields of a form. Nor is a text that an end user could not send:
 * two external ids of users that differ in half of a surrogate pair would be one.
 */
function fieldValueOf(value: unknown): string | number | boolean | undefined {
  if (typeof value === 'string') return isBadText(value) ? undefined : value.slice(0, MAX_KEPT_LENGTH).toWellFormed();
  return Number.isFinite(value) || typeof value === 'boolean' ? (value as number | boolean) : undefined;
}

/** The value at a JSON pointer; undefined if there is none. Only own members count. */
export function valueAt(document: unknown, pointer: string): unknown {
  let at = document;
  for (const part of pointer.split('/').slice(1)) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
    if (at === null || typeof at !== 'object' || !Object.hasOwn(at, name)) return undefined;
    at = (at as Record<string, unknown>)[name];
  }
  return at;
}
