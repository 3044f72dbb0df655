import { type KeyObject, sign } from 'node:crypto';

/**
 * Signs what others keep and show: results, manifests of archives, receipts of erasures. RFC 7515 with Ed25519 (RFC 8037),
 * by the key that signs bearer tokens; the type in the header tells them apart, so that none is ever taken for another.
 */
export type DocumentType =
  | 'grove-result+jwt'
  | 'grove-erasure+jwt'
  | 'grove-person-erasure+jwt'
  | 'grove-tenant-erasure+jwt'
  | 'grove-manifest+jws';

export type SignedDocument = { readonly jws: string; readonly kid: string };

export type SignDocument = {
  /** Compact: the claims are part of it. */
  claims(type: DocumentType, claims: object): Promise<SignedDocument>;
  /** Detached (RFC 7515, appendix F): the bytes stand elsewhere, and the middle of it is empty. */
  bytes(type: DocumentType, bytes: Uint8Array): Promise<SignedDocument>;
};

type Key = { readonly kid: string; readonly privateKey: KeyObject };

export function documentSigner(current: () => Key): SignDocument {
  const signed = async (type: DocumentType, bytes: Uint8Array, detached: boolean): Promise<SignedDocument> => {
    const { kid, privateKey } = current();
    const header = base64url(Buffer.from(JSON.stringify({ alg: 'EdDSA', typ: type, kid })));
    const payload = base64url(bytes);
    const signature = await signatureOf(`${header}.${payload}`, privateKey);
    return { kid, jws: `${header}.${detached ? '' : payload}.${base64url(signature)}` };
  };
  return {
    claims: (type, claims) => signed(type, Buffer.from(JSON.stringify(claims)), false),
    bytes: (type, bytes) => signed(type, bytes, true),
  };
}

function base64url(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64url');
}

/** On another thread: the requests of others go on meanwhile. */
function signatureOf(text: string, privateKey: KeyObject): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    sign(null, Buffer.from(text, 'latin1'), privateKey, (error, signature) => {
      if (error) reject(error);
      else resolve(signature);
    });
  });
}
