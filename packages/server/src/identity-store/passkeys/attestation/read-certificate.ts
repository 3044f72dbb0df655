import { type KeyObject, X509Certificate } from 'node:crypto';
import { Malformed } from '../malformed.ts';
import {
  BOOLEAN,
  type Der,
  expect,
  INTEGER,
  inContext,
  OCTET_STRING,
  readDer,
  SEQUENCE,
  SET,
  toNumber,
  toOid,
  valuesIn,
} from './read-der.ts';

/** An X.509 certificate as Node reads it, with the fields that attestation needs beyond that. */
export type Certificate = {
  readonly x509: X509Certificate;
  readonly key: KeyObject;
  /** 3 in all current certificates. */
  readonly version: number;
  /** By object identifier. */
  readonly subject: ReadonlyMap<string, string>;
  readonly extensions: ReadonlyMap<string, Extension>;
};

export type Extension = { readonly critical: boolean; readonly value: Buffer };

const SUBJECT_BEFORE_EXTENSIONS = 4;
export const BASIC_CONSTRAINTS = '2.5.29.19';

export function readCertificate(bytes: unknown): Certificate {
  if (!Buffer.isBuffer(bytes)) throw new Malformed('a certificate is not a byte string');
  const [body] = valuesIn(expect(readDer(bytes), SEQUENCE));
  const fields = valuesIn(expect(body, SEQUENCE));
  const version = inContext(fields, 0);
  // Version 1 is encoded by leaving the field out; then all later fields have an index that is lower by one.
  const subject = fields[SUBJECT_BEFORE_EXTENSIONS + (version ? 1 : 0)];
  const x509 = parse(bytes);
  return {
    x509,
    key: keyOf(x509),
    version: version ? toNumber(readDer(version.contents), INTEGER) + 1 : 1,
    subject: readName(expect(subject, SEQUENCE)),
    extensions: readExtensions(inContext(fields, 3)),
  };
}

function parse(bytes: Buffer): X509Certificate {
  try {
    return new X509Certificate(bytes);
  } catch {
    throw new Malformed('a certificate cannot be read');
  }
}

function keyOf(x509: X509Certificate): KeyObject {
  try {
    return x509.publicKey;
  } catch {
    throw new Malformed('a certificate has a key of an unknown kind');
  }
}

/** Reads a distinguished name: of a subject, or the directory name in a subject alternative name. */
export function readName(name: Der): Map<string, string> {
  const attributes = valuesIn(name).flatMap((set) => valuesIn(expect(set, SET)));
  return new Map(
    attributes.map((attribute) => {
      const [type, value] = valuesIn(expect(attribute, SEQUENCE));
      return [toOid(type), value?.contents.toString('utf8') ?? ''];
    }),
  );
}

function readExtensions(field: Der | undefined): Map<string, Extension> {
  if (!field) return new Map();
  return new Map(valuesIn(expect(readDer(field.contents), SEQUENCE)).map(readExtension));
}

function readExtension(extension: Der): [string, Extension] {
  const [type, ...rest] = valuesIn(expect(extension, SEQUENCE));
  const critical = rest[0]?.tagClass === 0 && rest[0].tag === BOOLEAN;
  const { contents } = expect(rest.at(-1), OCTET_STRING);
  return [toOid(type), { critical, value: contents }];
}

/** The number of authorities allowed below this one, or undefined if there is no limit. */
export function pathLengthOf(constraints: Extension | undefined): number | undefined {
  if (!constraints) return undefined;
  const length = valuesIn(expect(readDer(constraints.value), SEQUENCE)).find(({ tag }) => tag === INTEGER);
  return length && toNumber(length, INTEGER);
}
