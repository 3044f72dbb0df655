import { boundedMap } from '../../kernel/bounded-map.ts';
import { type Clock, MINUTE } from '../../kernel/clock.ts';
import type { Outbound } from '../outbound/outbound.ts';
import { outcomeOfStatus, PUSH_TIMEOUT_MS, type PushMessage, type PushOutcome } from './outcome.ts';
import { privateKeyOf, signJwt } from './sign-jwt.ts';

/** Firebase Cloud Messaging, HTTP v1: a service account's signature gets an access token, which sends the message. */
export type FcmSettings = {
  projectId: string;
  clientEmail: string;
  /** PEM of PKCS #8, as it is in the file of the service account. */
  privateKey: string;
  tokenUri?: string;
  /** The address of the service; Google's own by default. */
  address?: string;
};

const ADDRESS = 'https://fcm.googleapis.com';
const TOKEN_URI = 'https://oauth2.googleapis.com/token';
const SCOPE = 'https://www.googleapis.com/auth/firebase.messaging';
const ASSERTION_LIFE_SECONDS = 3600;
/** A token is replaced this long before it expires, so that none expires on its way. */
const EARLY_MS = 5 * MINUTE;
const MAX_TOKENS = 500;
const MAX_ANSWER_BYTES = 16 * 1024;
const DEAD: ReadonlySet<string> = new Set(['UNREGISTERED', 'SENDER_ID_MISMATCH']);

type Access = { token: string } | { outcome: PushOutcome };

export function openFcm({ outbound, clock }: { outbound: Outbound; clock: Clock }) {
  const tokens = boundedMap<string, { token: string; until: number }>(MAX_TOKENS);
  const asking = new Map<string, Promise<Access>>();
  const nameOf = ({ clientEmail, privateKey, tokenUri }: FcmSettings) =>
    JSON.stringify([clientEmail, privateKey, tokenUri]);

  const askForAccess = async (settings: FcmSettings): Promise<Access> => {
    const key = privateKeyOf(settings.privateKey, 'rsa');
    if (!key) return { outcome: { kind: 'FAILED', reason: 'the private key cannot be used' } };
    const now = clock.now();
    const iat = Math.floor(now / 1000);
    const { tokenUri = TOKEN_URI, clientEmail } = settings;
    const claims = { iss: clientEmail, scope: SCOPE, aud: tokenUri, iat, exp: iat + ASSERTION_LIFE_SECONDS };
    const form = new URLSearchParams({
      grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
      assertion: signJwt(key, { alg: 'RS256' }, claims),
    });
    const answer = await outbound.send({
      method: 'POST',
      url: tokenUri,
      body: form.toString(),
      timeoutMs: PUSH_TIMEOUT_MS,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      wantBody: true,
      maxAnswerBytes: MAX_ANSWER_BYTES,
    });
    if (answer.fault !== undefined) return { outcome: { kind: 'LATER', reason: `FCM: ${answer.fault}`, down: true } };
    const { access_token: token, expires_in: seconds } = readJson(answer.body);
    if (answer.status !== 200 || typeof token !== 'string') return { outcome: failure(outcomeOfStatus(answer.status)) };
    const lifeMs = (typeof seconds === 'number' ? seconds : 0) * 1000;
    tokens.set(nameOf(settings), { token, until: now + lifeMs - EARLY_MS });
    return { token };
  };

  /** Messages that need an access token at the same time share one request for it. */
  const accessOf = (settings: FcmSettings): Promise<Access> => {
    const name = nameOf(settings);
    const cached = tokens.get(name);
    if (cached && clock.now() < cached.until) return Promise.resolve({ token: cached.token });
    const request = asking.get(name) ?? askForAccess(settings).finally(() => asking.delete(name));
    asking.set(name, request);
    return request;
  };

  return async (settings: FcmSettings, deviceToken: string, message: PushMessage): Promise<PushOutcome> => {
    const access = await accessOf(settings);
    if ('outcome' in access) return access.outcome;
    const { address = ADDRESS, projectId } = settings;
    const answer = await outbound.send({
      method: 'POST',
      url: new URL(`/v1/projects/${encodeURIComponent(projectId)}/messages:send`, address).href,
      headers: { authorization: `Bearer ${access.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ message: bodyOf(deviceToken, message, clock.now()) }),
      timeoutMs: PUSH_TIMEOUT_MS,
      maxAnswerBytes: MAX_ANSWER_BYTES,
      wantBody: true,
    });
    if (answer.fault !== undefined) return { kind: 'LATER', reason: `FCM: ${answer.fault}`, down: true };
    const word = errorCodeOf(answer.body);
    if (DEAD.has(word)) return { kind: 'DEAD_TOKEN', reason: word };
    if (answer.status === 401) {
      tokens.delete(nameOf(settings));
      return { kind: 'LATER', reason: 'the access token was refused' };
    }
    const outcome = outcomeOfStatus(answer.status);
    return outcome.kind === 'FAILED' && word ? { ...outcome, reason: word } : outcome;
  };
}

/** A success without an access token is a failure. */
function failure(outcome: PushOutcome): PushOutcome {
  return outcome.kind === 'SENT' ? { kind: 'FAILED', reason: 'there is no access token in the answer' } : outcome;
}

function bodyOf(token: string, { title, message, data, expiresAt }: PushMessage, now: number) {
  const seconds = Math.max(0, Math.floor((expiresAt - now) / 1000));
  const notification = { ...(title !== undefined && { title }), ...(message !== undefined && { body: message }) };
  return { token, notification, data, android: { priority: 'HIGH', ttl: `${seconds}s` } };
}

function readJson(body: Buffer | undefined): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(body?.toString('utf8') ?? '');
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

/** Returns the error code only if it is one word, so that nothing else of the answer reaches a log. */
function errorCodeOf(body: Buffer | undefined): string {
  const { error } = readJson(body) as { error?: { details?: unknown } };
  const details = Array.isArray(error?.details) ? (error.details as { errorCode?: unknown }[]) : [];
  const word = details.map((each) => each?.errorCode).find((each) => typeof each === 'string');
  return typeof word === 'string' && /^[A-Z_]{1,60}$/.test(word) ? word : '';
}
