import { type KeyObject, sign } from 'node:crypto';

/**
 * Signs documents that others keep and show: results, manifests of archives, receipts of erasures. RFC 7515 with Ed25519
 * (RFC 8037), by the key that signs bearer tokens. The type in the header keeps one kind from being accepted as another.
 */
export type DocumentType =
  | 'grove-result+jwt'
  | 'grove-erasure+jwt'
  | 'grove-person-erasure+jwt'
  | 'grove-tenant-erasure+jwt'
  | 'grove-manifest+jws';

export type SignedDocument = { readonly jws: string; readonly kid: string };

export type SignDocument = {
  /** A compact JWS, which contains the claims. */
  claims(type: DocumentType, claims: object): Promise<SignedDocument>;
  /** A detached JWS (RFC 7515, appendix F): its payload is empty, and the bytes are elsewhere. */
  bytes(type: DocumentType, bytes: Uint8Array): Promise<SignedDocument>;
};

type Key = { readonly kid: string; readonly privateKey: KeyObject };

export function documentSigner(current: () => Key): SignDocument {
  const signBytes = async (type: DocumentType, bytes: Uint8Array, detached: boolean): Promise<SignedDocument> => {
    const { kid, privateKey } = current();
    const header = base64url(Buffer.from(JSON.stringify({ alg: 'EdDSA', typ: type, kid })));
    const payload = base64url(bytes);
    const signature = await signatureOf(`${header}.${payload}`, privateKey);
    return { kid, jws: `${header}.${detached ? '' : payload}.${base64url(signature)}` };
  };
  return {
    claims: (type, claims) => signBytes(type, Buffer.from(JSON.stringify(claims)), false),
    bytes: (type, bytes) => signBytes(type, bytes, true),
  };
}

function base64url(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64url');
}

/** Signs on another thread, so that it delays no other request. */
function signatureOf(text: string, privateKey: KeyObject): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    sign(null, Buffer.from(text, 'latin1'), privateKey, (error, signature) => {
      if (error) reject(error);
      else resolve(signature);
    });
  });
}
