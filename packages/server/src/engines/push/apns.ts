import { boundedMap } from '../../kernel/bounded-map.ts';
import { type Clock, MINUTE } from '../../kernel/clock.ts';
import type { Http2 } from '../outbound/http2.ts';
import { outcomeOfStatus, PUSH_TIMEOUT_MS, type PushMessage, type PushOutcome } from './outcome.ts';
import { privateKeyOf, signJwt } from './sign-jwt.ts';

/** Apple's push service: HTTP/2, with a token that is signed with the relying party's key. */
export type ApnsSettings = {
  teamId: string;
  keyId: string;
  /** PEM of PKCS #8, as Apple issues it. */
  privateKey: string;
  bundleId: string;
  environment?: 'PRODUCTION' | 'SANDBOX';
  /** The address of the service; Apple's own by default. */
  address?: string;
};

const ADDRESSES = { PRODUCTION: 'https://api.push.apple.com', SANDBOX: 'https://api.sandbox.push.apple.com' } as const;
/** Apple requires that a token is used for at least twenty minutes and at most an hour. */
const TOKEN_LIFE_MS = 40 * MINUTE;
const MAX_TOKENS = 500;
const DEVICE_TOKEN = /^[0-9A-Fa-f]{32,400}$/;
const DEAD: ReadonlySet<string> = new Set(['Unregistered', 'BadDeviceToken', 'DeviceTokenNotForTopic', 'ExpiredToken']);
const EXPIRED_TOKEN = 'ExpiredProviderToken';

export function openApns({ http2, clock }: { http2: Http2; clock: Clock }) {
  const tokens = boundedMap<string, { token: string; until: number }>(MAX_TOKENS);

  const tokenOf = ({ teamId, keyId, privateKey }: ApnsSettings): string | undefined => {
    const name = JSON.stringify([teamId, keyId, privateKey]);
    const now = clock.now();
    const cached = tokens.get(name);
    if (cached && now < cached.until && now > cached.until - 2 * TOKEN_LIFE_MS) return cached.token;
    const key = privateKeyOf(privateKey, 'ec');
    if (!key) return undefined;
    const claims = { iss: teamId, iat: Math.floor(now / 1000) };
    const token = signJwt(key, { alg: 'ES256', kid: keyId }, claims);
    tokens.set(name, { token, until: now + TOKEN_LIFE_MS });
    return token;
  };

  return async (settings: ApnsSettings, deviceToken: string, message: PushMessage): Promise<PushOutcome> => {
    // The token becomes part of the URL, so it must not hold other characters.
    if (!DEVICE_TOKEN.test(deviceToken)) return { kind: 'DEAD_TOKEN', reason: 'it is not a device token' };
    const token = tokenOf(settings);
    if (!token) return { kind: 'FAILED', reason: 'the private key cannot be used' };
    const { address = ADDRESSES[settings.environment ?? 'PRODUCTION'] } = settings;
    const answer = await http2.send({
      url: new URL(`/3/device/${deviceToken}`, address).href,
      headers: {
        authorization: `bearer ${token}`,
        'apns-topic': settings.bundleId,
        'apns-push-type': 'alert',
        'apns-priority': '10',
        'apns-expiration': String(Math.floor(message.expiresAt / 1000)),
        'apns-collapse-id': message.id,
        'content-type': 'application/json',
      },
      body: bodyOf(message),
      timeoutMs: PUSH_TIMEOUT_MS,
    });
    if (answer.fault !== undefined) return { kind: 'LATER', reason: `APNs: ${answer.fault}`, down: true };
    const reason = reasonOf(answer.body);
    if (answer.status === 410 || DEAD.has(reason)) return { kind: 'DEAD_TOKEN', reason };
    if (reason === EXPIRED_TOKEN) {
      tokens.delete(JSON.stringify([settings.teamId, settings.keyId, settings.privateKey]));
      return { kind: 'LATER', reason };
    }
    const outcome = outcomeOfStatus(answer.status);
    return outcome.kind === 'FAILED' && reason ? { ...outcome, reason } : outcome;
  };
}

function bodyOf({ title, message, data }: PushMessage): string {
  const alert = { ...(title !== undefined && { title }), ...(message !== undefined && { body: message }) };
  return JSON.stringify({ ...data, aps: { alert, sound: 'default' } });
}

/** Returns the reason only if it is one word, so that nothing else of the answer reaches a log. */
function reasonOf(body: Buffer): string {
  try {
    const { reason } = JSON.parse(body.toString('utf8')) as { reason?: unknown };
    return typeof reason === 'string' && /^[A-Za-z]{1,60}$/.test(reason) ? reason : '';
  } catch {
    return '';
  }
}
