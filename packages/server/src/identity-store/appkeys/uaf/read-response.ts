import { isObject } from '../../../kernel/is-object.ts';
import { jsonFault } from '../../../kernel/json-fault.ts';
import { Malformed } from './malformed.ts';
import { readBase64url } from './read-base64url.ts';
import { ASSERTION_SCHEME } from './registry.ts';

/**
 * The answer of a UAF client: `uafProtocolMessage` is a JSON text with a list of exactly one response, which has
 * exactly one assertion. The code here only parses it; nothing is verified yet.
 */
export type UafResponse = {
  readonly kind: 'RESPONSE';
  readonly op: 'Reg' | 'Auth';
  readonly appId: string;
  /** The text as it was sent: the authenticator signed its hash. */
  readonly fcParams: string;
  readonly final: FinalChallenge;
  readonly assertion: Buffer;
};

export type FinalChallenge = { readonly appId: string; readonly facetId: string; readonly challenge: string };

/** `NONE` and `SEVERAL` are faults with an error code of their own. */
export type ReadResponse = UafResponse | { readonly kind: 'NONE' } | { readonly kind: 'SEVERAL' };

const MAX_MESSAGE_LENGTH = 128 * 1024;
const MAX_FINAL_CHALLENGE_BYTES = 8192;
const MAX_ASSERTION_BYTES = 64 * 1024;
const MAX_APP_ID_LENGTH = 512;
export const MAX_CHALLENGE_LENGTH = 1400;
/** For the members that are read here, 1.0 and 1.1 are the same. */
const VERSIONS = new Set(['1.0', '1.1']);

export function readResponse(response: Record<string, unknown>): ReadResponse {
  const message = own(response, 'uafProtocolMessage');
  if (typeof message !== 'string') throw new Malformed('uafProtocolMessage is not a string');
  if (message.length > MAX_MESSAGE_LENGTH) throw new Malformed('uafProtocolMessage is too long');
  const list = readJson(message, 'uafProtocolMessage');
  if (!Array.isArray(list)) throw new Malformed('uafProtocolMessage is not a list');
  if (list.length === 0) return { kind: 'NONE' };
  if (list.length > 1) return { kind: 'SEVERAL' };
  const one = objectOf(list[0], 'the response');
  const header = readHeader(objectOf(own(one, 'header'), 'header'));
  const fcParams = own(one, 'fcParams');
  return {
    kind: 'RESPONSE',
    ...header,
    ...readFinalChallenge(fcParams),
    assertion: readAssertions(own(one, 'assertions')),
  };
}

function readHeader(header: Record<string, unknown>): Pick<UafResponse, 'op' | 'appId'> {
  const upv = objectOf(own(header, 'upv'), 'header.upv');
  if (!VERSIONS.has(`${own(upv, 'major')}.${own(upv, 'minor')}`))
    throw new Malformed('header.upv is neither 1.0 nor 1.1');
  const op = own(header, 'op');
  if (op !== 'Reg' && op !== 'Auth') throw new Malformed('header.op is neither Reg nor Auth');
  return { op, appId: textOf(own(header, 'appID') ?? '', 'header.appID', MAX_APP_ID_LENGTH) };
}

function readFinalChallenge(fcParams: unknown): Pick<UafResponse, 'fcParams' | 'final'> {
  const bytes = readBase64url(fcParams, 'fcParams', { max: MAX_FINAL_CHALLENGE_BYTES });
  const final = objectOf(readJson(bytes.toString('utf8'), 'fcParams'), 'fcParams');
  return {
    fcParams: fcParams as string,
    final: {
      appId: textOf(own(final, 'appID') ?? '', 'appID', MAX_APP_ID_LENGTH),
      facetId: textOf(own(final, 'facetID'), 'facetID', MAX_APP_ID_LENGTH),
      challenge: textOf(own(final, 'challenge'), 'challenge', MAX_CHALLENGE_LENGTH),
    },
  };
}

function readAssertions(assertions: unknown): Buffer {
  if (!Array.isArray(assertions)) throw new Malformed('assertions is not a list');
  if (assertions.length !== 1) throw new Malformed('there must be exactly one assertion');
  const one = objectOf(assertions[0], 'the assertion');
  if (own(one, 'assertionScheme') !== ASSERTION_SCHEME)
    throw new Malformed(`assertionScheme is not ${ASSERTION_SCHEME}`);
  return readBase64url(own(one, 'assertion'), 'assertion', { max: MAX_ASSERTION_BYTES });
}

function readJson(text: string, what: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Malformed(`${what} is not JSON`);
  }
  const fault = jsonFault(text);
  if (fault) throw new Malformed(`${what} has a member that ${fault.message}`);
  return value;
}

/** Reads own members only, never inherited ones such as `constructor`. */
function own(object: Record<string, unknown>, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

function objectOf(value: unknown, what: string): Record<string, unknown> {
  if (!isObject(value)) throw new Malformed(`${what} is not an object`);
  return value;
}

function textOf(value: unknown, what: string, most: number): string {
  if (typeof value !== 'string' || value.length > most) throw new Malformed(`${what} is not a text of at most ${most}`);
  return value;
}
