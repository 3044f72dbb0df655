import { constants, generateKeyPairSync, sign } from 'node:crypto';
import type { Keys } from '../rsa-keys.ts';
import { type Authority, authority } from './authority.ts';
import { sequence } from './write-der.ts';

/** A metadata service like FIDO's, with a root of its own. */
export type MetadataService = ReturnType<typeof metadataService>;
export type Edition = {
  no?: number;
  nextUpdate?: string;
  entries?: readonly object[];
  alg?: string;
  x5c?: (x5c: string[]) => string[];
  header?: object;
  payload?: (json: string) => string;
};

/** FIDO signs with RSA; this service uses an elliptic curve, unless a test passes other keys. */
export function metadataService(
  from: Authority = authority(),
  hostName = 'mds.example.org',
  { privateKey, publicKey }: Keys = generateKeyPairSync('ec', { namedCurve: 'P-256' }),
) {
  // subjectAltName: a dNSName, which is [2] IMPLICIT IA5String.
  const name = Buffer.concat([Buffer.of(0x82, hostName.length), Buffer.from(hostName)]);
  const extensions = { '2.5.29.17': { value: sequence(name) } };
  const leaf = from.issue({ key: publicKey, subject: { '2.5.4.3': hostName }, extensions });
  const base64url = (text: string) => Buffer.from(text).toString('base64url');
  return {
    root: from.root,
    blob({
      no = 1,
      nextUpdate = '2099-01-01',
      entries = [],
      alg = 'ES256',
      x5c,
      header,
      payload,
    }: Edition = {}): string {
      const chain = [leaf.toString('base64')];
      const head = base64url(JSON.stringify({ alg, typ: 'JWT', x5c: x5c?.(chain) ?? chain, ...header }));
      const json = JSON.stringify({ legalHeader: 'Test', no, nextUpdate, entries });
      const body = base64url(json);
      const pss = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 };
      const signing = { key: privateKey, dsaEncoding: 'ieee-p1363', ...(alg === 'PS256' && pss) } as const;
      const signature = sign('sha256', Buffer.from(`${head}.${body}`), signing);
      const payloadText = payload ? base64url(payload(json)) : body;
      return `${head}.${payloadText}.${signature.toString('base64url')}`;
    },
  };
}

export type Report = { status: string; effectiveDate?: string; certificate?: string };

export function entryOf(aaguid: string, roots: readonly Buffer[], ...statusReports: Report[]): object {
  const attestationRootCertificates = roots.map((root) => root.toString('base64'));
  return {
    aaguid,
    metadataStatement: { description: 'A model', attestationRootCertificates },
    statusReports: [{ status: 'FIDO_CERTIFIED_L1' }, ...statusReports],
    timeOfLastStatusChange: '2026-01-01',
  };
}
