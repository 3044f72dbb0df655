import type { Clock } from '../../kernel/clock.ts';
import type { Http2 } from '../outbound/http2.ts';
import type { Outbound } from '../outbound/outbound.ts';
import { type ApnsSettings, openApns } from './apns.ts';
import { openBreaker } from './breaker.ts';
import { type FcmSettings, openFcm } from './fcm.ts';
import type { PushMessage, PushOutcome } from './outcome.ts';
import { readSubscription, sendWebPush, type WebPushSettings } from './web-push.ts';

/** The only way to the providers of push notifications. Each has its own protocol; outcomes are the same for all. */
export type ProviderSettings = { apns?: ApnsSettings; fcm?: FcmSettings; webPush?: WebPushSettings };
export type ProviderName = 'APNS' | 'FCM' | 'WEB_PUSH';

export type PushTarget = {
  /** Whose settings and token these are, such as the id of the store. */
  owner: string;
  provider: ProviderName;
  token: string;
  settings: ProviderSettings;
};
export type SendPush = (target: PushTarget, message: PushMessage) => Promise<PushOutcome>;

export type PushDeps = { outbound: Outbound; http2: Http2; clock: Clock };

export function openPush({ outbound, http2, clock }: PushDeps): SendPush {
  const apns = openApns({ http2, clock });
  const fcm = openFcm({ outbound, clock });
  const breaker = openBreaker(clock);

  const dispatch = ({ provider, token, settings }: PushTarget, message: PushMessage): Promise<PushOutcome> => {
    if (provider === 'APNS' && settings.apns) return apns(settings.apns, token, message);
    if (provider === 'FCM' && settings.fcm) return fcm(settings.fcm, token, message);
    if (provider === 'WEB_PUSH' && settings.webPush) {
      return sendWebPush({ outbound, now: clock.now() }, settings.webPush, token, message);
    }
    return Promise.resolve({ kind: 'FAILED', reason: 'the provider is not configured' });
  };

  return async (target, message) => {
    const service = serviceOf(target);
    // Messages to a provider that is down must not delay the others.
    if (!breaker.mayTry(service)) return { kind: 'LATER', reason: 'the provider is down' };
    const outcome = await dispatch(target, message);
    breaker.note(service, outcome.kind === 'LATER' && outcome.down === true);
    return outcome;
  };
}

/**
 * The name of a service that is up or down as a whole. Each owner has its own: otherwise, settings or tokens that lead to a
 * server which does not answer would stop the messages of others. A browser's token can lead anywhere.
 */
function serviceOf({ owner, provider, token, settings: { apns, fcm } }: PushTarget): string {
  if (provider === 'APNS') return JSON.stringify([owner, provider, apns?.address]);
  if (provider === 'FCM') return JSON.stringify([owner, provider, fcm?.address, fcm?.tokenUri]);
  const endpoint = readSubscription(token)?.endpoint ?? '';
  return JSON.stringify([owner, provider, URL.canParse(endpoint) ? new URL(endpoint).origin : '']);
}
