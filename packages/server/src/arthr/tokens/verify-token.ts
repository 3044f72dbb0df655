import { type KeyObject, verify } from 'node:crypto';
import type { ErrorCode } from '@grove/contract';
import { ApiError } from '../../kernel/errors.ts';
import { jsonFault } from '../../kernel/json-fault.ts';
import {
  CLOCK_SKEW_SECONDS,
  TOKEN_ALG,
  TOKEN_AUDIENCE,
  TOKEN_TTL_SECONDS,
  TOKEN_TYPE,
  type TokenClaims,
} from './token-claims.ts';

/**
 * Reads a bearer token in two pure steps: `readTokenHeader` finds out which of our keys must have signed it, and
 * `verifyToken` checks the signature before it reads anything else. The header can choose neither the algorithm nor a
 * foreign key.
 */
const SEGMENTS = /^([A-Za-z0-9_-]*)\.([A-Za-z0-9_-]*)\.([A-Za-z0-9_-]*)$/;
const MAX_TOKEN_LENGTH = 16_384;

const HEADER = new Set(['alg', 'typ', 'kid']);

type TokenParts = { kid: string; signed: string; payload: string; signature: Buffer };

export function readTokenHeader(token: string): TokenParts {
  const match = token.length <= MAX_TOKEN_LENGTH ? SEGMENTS.exec(token) : null;
  if (!match) throw refusal(274, 'it is not three base64url parts joined by dots');
  const [, headerPart = '', payload = '', signaturePart = ''] = match;
  if (headerPart === '') throw refusal(221);
  if (payload === '') throw refusal(224);
  const header = parseObject(headerPart, 'header');
  if (!Object.hasOwn(header, 'alg')) throw refusal(223);
  if (!Object.hasOwn(header, 'kid')) throw refusal(222);
  if (header.alg !== TOKEN_ALG) throw refusal(277, `alg must be ${TOKEN_ALG}`);
  if (header.typ !== TOKEN_TYPE) throw refusal(277, `typ must be ${TOKEN_TYPE}`);
  // `b64`, `zip`, `crit` and a key in the header would change how the token is read, so they are refused.
  if (typeof header.kid !== 'string' || !Object.keys(header).every((name) => HEADER.has(name)))
    throw refusal(277, 'its header is not one of ours');
  const signature = strictBase64url(signaturePart);
  if (!signature) throw refusal(274, 'its signature is not canonical base64url');
  return { kid: header.kid, signed: `${headerPart}.${payload}`, payload, signature };
}

export type VerifyOptions = { publicKey: KeyObject | undefined; nowMs: number; issuerOf(tenantId: string): string };

export function verifyToken(parts: TokenParts, { publicKey, nowMs, issuerOf }: VerifyOptions): TokenClaims {
  const genuine =
    publicKey !== undefined && verify(null, Buffer.from(parts.signed, 'latin1'), publicKey, parts.signature);
  if (!genuine) throw refusal(276);
  const claims = parseObject(parts.payload, 'body');
  for (const [name, type] of CLAIM_TYPES) {
    if (!Object.hasOwn(claims, name)) throw refusal(282, name);
    if (!hasType(claims[name], type)) throw refusal(275, name);
  }
  const { iss, aud, iat, nbf, exp, tenantId } = claims as TokenClaims;
  const now = nowMs / 1000;
  if (aud !== TOKEN_AUDIENCE) throw refusal(281, 'aud');
  if (iss !== issuerOf(tenantId)) throw refusal(225);
  if (exp <= iat || exp - iat > TOKEN_TTL_SECONDS) throw refusal(278, 'exp');
  if (exp <= now) throw refusal(279);
  if (nbf > now + CLOCK_SKEW_SECONDS || iat > now + CLOCK_SKEW_SECONDS) throw refusal(280);
  return claims as TokenClaims;
}

const CLAIM_TYPES = [
  ['iss', 'string'],
  ['sub', 'string'],
  ['aud', 'string'],
  ['iat', 'number'],
  ['nbf', 'number'],
  ['exp', 'number'],
  ['jti', 'string'],
  ['tenantId', 'string'],
  ['permissions', 'strings'],
] as const;

function hasType(value: unknown, type: 'string' | 'number' | 'strings'): boolean {
  if (type === 'strings') return Array.isArray(value) && value.every((each) => typeof each === 'string');
  if (type === 'number') return Number.isSafeInteger(value);
  return typeof value === 'string';
}

function parseObject(segment: string, what: string): Record<string, unknown> {
  const text = strictBase64url(segment)?.toString('utf8');
  let value: unknown;
  try {
    value = text && JSON.parse(text);
  } catch {
    value = undefined;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw refusal(220, `its ${what} is not a JSON object in base64url`);
  }
  // Two readers of a duplicate member may see different values.
  const fault = jsonFault(text as string);
  if (fault) throw refusal(220, `a member of its ${what} ${fault.message}`);
  return value as Record<string, unknown>;
}

/** Node also decodes other spellings. A token has exactly one, so that nobody can vary it. */
function strictBase64url(segment: string): Buffer | undefined {
  const bytes = Buffer.from(segment, 'base64url');
  return bytes.toString('base64url') === segment ? bytes : undefined;
}

function refusal(code: ErrorCode, detail?: string): ApiError {
  return new ApiError(code, detail ? { detail } : {});
}
