import { ensure } from '../ensure.ts';
import {
  type Der,
  expect,
  INTEGER,
  inContext,
  OCTET_STRING,
  readDer,
  SEQUENCE,
  SET,
  toNumber,
  valuesIn,
} from './read-der.ts';
import { type Attestation, certificatesOf, ensureMembers, ensureSigned, type TrustPath } from './statement.ts';

const KEY_DESCRIPTION = '1.3.6.1.4.1.11129.2.1.17';
const CHALLENGE_AT = 4;
const SOFTWARE_ENFORCED_AT = 6;
const HARDWARE_ENFORCED_AT = 7;

/** The tags of the fields in Android's authorization list. */
const PURPOSE = 1;
const ALL_APPLICATIONS = 600;
const ORIGIN = 702;

const PURPOSE_SIGN = 2;
const ORIGIN_GENERATED = 0;

/** WebAuthn 8.4: the certificate of Android's key store describes the new key. */
export function verifyAndroidKey({ statement, authData, clientDataHash, key }: Attestation): TrustPath {
  ensureMembers(statement, 'alg', 'sig', 'x5c');
  const path = certificatesOf(statement);
  const [first] = path;
  ensureSigned(statement, first.key, Buffer.concat([authData, clientDataHash]));
  ensure(first.key.equals(key.key), 100093, 'the certificate is of another credential');
  const extension = first.extensions.get(KEY_DESCRIPTION);
  ensure(extension, 100093, 'the certificate does not describe its key');
  const description = valuesIn(expect(readDer(extension.value), SEQUENCE));
  const challenge = expect(description[CHALLENGE_AT], OCTET_STRING).contents;
  ensure(challenge.equals(clientDataHash), 100093, 'the certificate is of another ceremony');
  const lists = [description[SOFTWARE_ENFORCED_AT], description[HARDWARE_ENFORCED_AT]].map((list) =>
    valuesIn(expect(list, SEQUENCE)),
  );
  ensure(!lists.some((list) => inContext(list, ALL_APPLICATIONS)), 100093, 'the key is open to every application');
  const fields = lists.flat();
  ensure(originOf(fields) === ORIGIN_GENERATED, 100093, 'the key was not made on the device');
  ensure(purposesOf(fields).includes(PURPOSE_SIGN), 100093, 'the key is not for signing');
  return path;
}

function originOf(fields: readonly Der[]): number | undefined {
  const field = inContext(fields, ORIGIN);
  return field && toNumber(readDer(field.contents), INTEGER);
}

function purposesOf(fields: readonly Der[]): number[] {
  const field = inContext(fields, PURPOSE);
  if (!field) return [];
  return valuesIn(expect(readDer(field.contents), SET)).map((purpose) => toNumber(purpose, INTEGER));
}
