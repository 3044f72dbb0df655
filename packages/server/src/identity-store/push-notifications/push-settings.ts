import type { api, Body } from '@grove/contract';
import type { TenantReads, TenantTx } from '../../db/db.ts';
import type { ProviderName, ProviderSettings } from '../../engines/push/push.ts';
import { privateKeyOf } from '../../engines/push/sign-jwt.ts';
import { type FieldFault, invalidInput } from '../../kernel/errors.ts';
import type { Vault } from '../../secrets/vault.ts';

/**
 * The provider settings of a relying party. They contain credentials, so they are sealed for the store and never shown.
 */
type SettingsInput = Body<typeof api.pushNotifications.updatePolicy>;

const VAPID_PUBLIC_BYTES = 65;
const VAPID_PRIVATE_BYTES = 32;
const BASE64URL = /^[A-Za-z0-9_-]+$/;

export function settingsOf({ apns, fcm, webPush }: SettingsInput): ProviderSettings {
  return { ...(apns && { apns }), ...(fcm && { fcm }), ...(webPush && { webPush }) };
}

export function providersOf({ apns, fcm, webPush }: ProviderSettings): ProviderName[] {
  return [
    ...(apns ? (['APNS'] as const) : []),
    ...(fcm ? (['FCM'] as const) : []),
    ...(webPush ? (['WEB_PUSH'] as const) : []),
  ];
}

/**
 * Throws if no provider can be reached with these settings. `faultOf` refuses addresses to which the server must not
 * send.
 */
export function checkSettings(settings: ProviderSettings, faultOf: (uri: string) => string | undefined): void {
  const faults = [...apnsFaults(settings, faultOf), ...fcmFaults(settings, faultOf), ...webPushFaults(settings)];
  if (faults.length > 0) throw invalidInput(...faults);
}

type FaultOf = (uri: string) => string | undefined;

function addressFault(address: string | undefined, pointer: string, faultOf: FaultOf): FieldFault[] {
  const message = address === undefined ? undefined : faultOf(address);
  return message ? [{ pointer, message }] : [];
}

function apnsFaults({ apns }: ProviderSettings, faultOf: FaultOf): FieldFault[] {
  if (!apns) return [];
  const key = privateKeyOf(apns.privateKey, 'ec');
  const faults = addressFault(apns.address, '/apns/address', faultOf);
  return key ? faults : [...faults, { pointer: '/apns/privateKey', message: 'must be a private key on P-256, in PEM' }];
}

function fcmFaults({ fcm }: ProviderSettings, faultOf: FaultOf): FieldFault[] {
  if (!fcm) return [];
  const faults = [
    ...addressFault(fcm.address, '/fcm/address', faultOf),
    ...addressFault(fcm.tokenUri, '/fcm/tokenUri', faultOf),
  ];
  const key = privateKeyOf(fcm.privateKey, 'rsa');
  return key ? faults : [...faults, { pointer: '/fcm/privateKey', message: 'must be a private key for RSA, in PEM' }];
}

function webPushFaults({ webPush }: ProviderSettings): FieldFault[] {
  if (!webPush) return [];
  const isOf = (text: string, bytes: number) => BASE64URL.test(text) && Buffer.from(text, 'base64url').length === bytes;
  const { subject, publicKey, privateKey } = webPush;
  const reachable = /^mailto:[^@\s]+@[^@\s]+$/.test(subject) || (/^https:\/\//.test(subject) && URL.canParse(subject));
  return [
    ...(reachable ? [] : [{ pointer: '/webPush/subject', message: 'must be mailto: or an https address' }]),
    ...(isOf(publicKey, VAPID_PUBLIC_BYTES)
      ? []
      : [{ pointer: '/webPush/publicKey', message: 'must be 65 bytes in base64url' }]),
    ...(isOf(privateKey, VAPID_PRIVATE_BYTES)
      ? []
      : [{ pointer: '/webPush/privateKey', message: 'must be 32 bytes in base64url' }]),
  ];
}

const subjectOf = (storeId: string) => `store:${storeId}`;
const contextOf = (rpId: string) => `push-policy:${rpId}`;

type PolicyKey = { storeId: string; rpId: string };

export function sealSettings(
  vault: Pick<Vault, 'sealFor'>,
  tx: TenantTx,
  { storeId, rpId }: PolicyKey,
  settings: ProviderSettings,
): Promise<Uint8Array> {
  return vault.sealFor(tx, subjectOf(storeId), contextOf(rpId), Buffer.from(JSON.stringify(settings)));
}

export async function openSettings(
  vault: Pick<Vault, 'openFor'>,
  db: TenantReads,
  { storeId, rpId }: PolicyKey,
  sealed: Uint8Array,
): Promise<ProviderSettings> {
  const plain = await vault.openFor(db, subjectOf(storeId), contextOf(rpId), sealed);
  return JSON.parse(plain.toString('utf8')) as ProviderSettings;
}
