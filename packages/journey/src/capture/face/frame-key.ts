import { hashOf } from '../../upload-once.ts';

/** The key of one challenge. Its private half is not extractable, not even by this page. */
export type FrameKey = {
  readonly publicKey: { kty: 'EC'; crv: 'P-256'; x: string; y: string };
  sign(challengeId: string, token: string, frame: Blob): Promise<string>;
};

const CURVE = { name: 'ECDSA', namedCurve: 'P-256' } as const;
const SIGNATURE = { name: 'ECDSA', hash: 'SHA-256' } as const;

export async function createFrameKey(): Promise<FrameKey> {
  const pair = await crypto.subtle.generateKey(CURVE, false, ['sign']);
  const { x = '', y = '' } = await crypto.subtle.exportKey('jwk', pair.publicKey);
  return {
    publicKey: { kty: 'EC', crv: 'P-256', x, y },
    async sign(challengeId, token, frame) {
      const text = new TextEncoder().encode(`${challengeId}.${token}.${await hashOf(frame)}`);
      return base64url(await crypto.subtle.sign(SIGNATURE, pair.privateKey, text));
    },
  };
}

function base64url(bytes: ArrayBuffer): string {
  const text = btoa(String.fromCharCode(...new Uint8Array(bytes)));
  return text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}
