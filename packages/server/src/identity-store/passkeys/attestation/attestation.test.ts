import assert from 'node:assert/strict';
import { generateKeyPairSync, hash, X509Certificate } from 'node:crypto';
import { describe, it } from 'node:test';
import { SettingsService, verifyRegistrationResponse } from '@simplewebauthn/server';
import fc from 'fast-check';
import {
  type AttestationFormat,
  type Attests,
  androidKey,
  apple,
  compound,
  FIDO_AAGUID,
  fidoU2f,
  packed,
  packedSelf,
  tpm,
} from '../../../../test/authenticator/attest.ts';
import { authenticator } from '../../../../test/authenticator/authenticator.ts';
import { authority, intermediate } from '../../../../test/authenticator/authority.ts';
import {
  creation,
  expectedAuthentication,
  expectedRegistration,
  ORIGIN,
  RP_ID,
  refusesWith,
  toStored,
  trusting,
} from '../../../../test/authenticator/expected.ts';
import { entryOf, metadataService } from '../../../../test/authenticator/metadata.ts';
import type { Alg } from '../../../../test/authenticator/sign-with.ts';
import type { Cbor } from '../../../../test/authenticator/write-cbor.ts';
import { octets, oid, sequence } from '../../../../test/authenticator/write-der.ts';
import { Refusal } from '../../attempts/refusal.ts';
import { ALGORITHMS, OFFERED } from '../algorithms.ts';
import { nameOfModel, readBlob } from '../metadata/read-blob.ts';
import { verifyAuthentication } from '../verify-authentication.ts';
import { verifyRegistration } from '../verify-registration.ts';
import type { AttestationPolicy } from './assess-attestation.ts';

/** `GROVE_FUZZ_RUNS=20000` makes more runs. */
const RUNS = Number(process.env.GROVE_FUZZ_RUNS ?? 200);
const DAY = 24 * 3600 * 1000;
const maker = authority();
const trusted = trusting(maker.root);
const self = { ...trusted, trust: 'self' } as const;
const MODEL = Buffer.alloc(16, 7);
const foreignKey = () => generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey;

type AttestedKey = { format: AttestationFormat; attests: Attests; alg?: Alg; aaguid?: Buffer };

function assess(
  { format, attests, alg = -7, aaguid = MODEL }: AttestedKey,
  attestation: AttestationPolicy = trusted,
  now?: number,
) {
  const expected = expectedRegistration({ attestation, ...(now && { now }) });
  const device = authenticator({ origin: ORIGIN, format, attests, alg, aaguid });
  return verifyRegistration(device.create(creation(expected)), expected).attestationTrust;
}

const refuses = (key: AttestedKey, policy?: AttestationPolicy, now?: number) =>
  refusesWith(() => assess(key, policy, now), 100093);

const NOBODY = Buffer.alloc(16);
const formats: [string, AttestedKey][] = [
  ['packed', { format: 'packed', attests: packed(maker), alg: -8 }],
  ['tpm', { format: 'tpm', attests: tpm(maker) }],
  ['tpm of an RSA key', { format: 'tpm', attests: tpm(maker), alg: -257 }],
  ['android-key', { format: 'android-key', attests: androidKey(maker, { chain: [maker.rootDer] }) }],
  ['apple', { format: 'apple', attests: apple(maker) }],
  ['fido-u2f', { format: 'fido-u2f', attests: fidoU2f(maker), aaguid: NOBODY }],
];

describe('an attestation', () => {
  for (const [name, key] of formats) {
    it(`the attestation ${name} is trusted if the root of its maker is trusted, and otherwise only valid in itself`, () => {
      assert.equal(assess(key), 'trusted');
      assert.equal(assess(key, { ...trusting(authority().root), trust: 'self' }), 'self');
      refuses(key, trusting(authority().root));
      refuses(key, { ...trusted, roots: [] });
    });

    it(`the attestation ${name} of the test authenticator is accepted by another verifier, too`, async () => {
      for (const identifier of ['packed', 'tpm', 'android-key', 'apple', 'fido-u2f'] as const) {
        SettingsService.setRootCertificates({ identifier, certificates: [maker.root] });
      }
      const expected = expectedRegistration();
      const { alg = -7, aaguid = MODEL } = key;
      const response = authenticator({ origin: ORIGIN, ...key, alg, aaguid }).create(creation(expected));
      const { verified } = await verifyRegistrationResponse({
        response: response as unknown as Parameters<typeof verifyRegistrationResponse>[0]['response'],
        expectedChallenge: expected.challenge,
        expectedOrigin: ORIGIN,
        expectedRPID: RP_ID,
        supportedAlgorithmIDs: [...OFFERED],
      });
      assert.ok(verified);
    });
  }

  it('a self attestation is enough if the policy says so, in every algorithm', () => {
    for (const alg of OFFERED) assert.equal(assess({ format: 'packed', attests: packedSelf(), alg }, self), 'self');
    refuses({ format: 'packed', attests: packedSelf() });
  });

  it('an attestation that is missing, of an unknown format or unreadable is refused with 100093 if the policy requires one', () => {
    const none = () => new Map<string, Cbor>();
    refuses({ format: 'none', attests: none }, self);
    refuses({ format: 'none', attests: none });
    refuses({ format: 'none', attests: () => new Map([['sig', 1]]) }, self);
    refuses({ format: 'android-safetynet', attests: none }, self);
    for (const format of ['packed', 'tpm', 'android-key', 'apple', 'fido-u2f'] as const) {
      refuses({ format, attests: none, aaguid: NOBODY }, self);
    }
  });

  it('an attestation is ignored if the policy requires none, but the format none with a statement is refused with 100093', () => {
    const none = { trust: 'none', roots: [], aaguids: [] } as const;
    const nonsense = () => new Map([['sig', 1]]);
    for (const format of ['packed', 'android-safetynet'] as const) {
      assert.equal(assess({ format, attests: nonsense }, none), 'none');
    }
    assert.equal(assess({ format: 'none', attests: () => new Map<string, Cbor>() }, none), 'none');
    refuses({ format: 'none', attests: nonsense }, none);
    refuses({ format: 'none', attests: packed(maker) }, none);
  });

  it('an attestation of a model that is not on the list of the policy is refused with 100093', () => {
    const key: AttestedKey = { format: 'packed', attests: packed(maker) };
    assert.equal(assess(key, { ...trusted, aaguids: ['07070707-0707-0707-0707-070707070707'] }), 'trusted');
    refuses(key, { ...trusted, aaguids: ['08080808-0808-0808-0808-080808080808'] });
  });

  const statement = (change: (statement: Map<string, Cbor>) => void) => ({
    statement(map: Map<string, Cbor>) {
      change(map);
      return map;
    },
  });

  it('a packed attestation is refused with 100093 if its signature, its algorithm or its certificate is wrong', () => {
    const subject = { '2.5.4.6': 'SE', '2.5.4.10': 'Maker', '2.5.4.11': 'Authenticator Attestation', '2.5.4.3': 'One' };
    const certificates = [
      { version: 1 },
      { ca: true },
      { key: foreignKey() },
      { subject: { ...subject, '2.5.4.6': 'SWE' } },
      { subject: { ...subject, '2.5.4.10': '' } },
      { subject: { ...subject, '2.5.4.11': 'Something else' } },
      { subject: { ...subject, '2.5.4.3': '' } },
      { extensions: { [FIDO_AAGUID]: { value: octets(Buffer.alloc(16, 8)) } } },
      { extensions: { [FIDO_AAGUID]: { value: octets(MODEL), critical: true } } },
      { extensions: { [FIDO_AAGUID]: { value: MODEL } } },
    ];
    for (const certificate of certificates)
      refuses({ format: 'packed', attests: packed(maker, { certificate }) }, self);
    const statements = [
      statement((map) => map.set('alg', -257)),
      statement((map) => map.set('alg', 'ES256')),
      statement((map) => map.delete('sig')),
      statement((map) => map.set('sig', Buffer.alloc(70))),
      statement((map) => map.set('x5c', [])),
      statement((map) => map.set('x5c', [Buffer.from('no certificate')])),
      statement((map) => map.set('x5c', ['text'])),
      statement((map) =>
        map.set(
          'x5c',
          Array.from({ length: 11 }, () => maker.rootDer),
        ),
      ),
      statement((map) => map.set('ecdaaKeyId', Buffer.of(1))),
    ];
    for (const each of statements) refuses({ format: 'packed', attests: packed(maker, each) }, self);
    // The key is on P-256, but the statement names the algorithm of P-384.
    refuses({ format: 'packed', attests: packedSelf(statement((map) => map.set('alg', -35))) }, self);
  });

  it('a tpm attestation is refused with 100093 if it certifies other data, or its certificate is not of a TPM', () => {
    const wrong: Attests[] = [
      tpm(maker, { magic: 1 }),
      tpm(maker, { type: 0x8018 }),
      tpm(maker, { extraData: Buffer.alloc(32) }),
      tpm(maker, { name: Buffer.alloc(34) }),
      tpm(maker, { publicKey: foreignKey() }),
      tpm(maker, { manufacturer: 'Maker' }),
      tpm(maker, { certificate: { subject: { '2.5.4.3': 'Name' } } }),
      tpm(maker, { certificate: { ca: true } }),
      tpm(maker, { certificate: { key: foreignKey() } }),
      tpm(maker, { certificate: { extensions: {} } }),
      tpm(maker, { certificate: { extensions: { '2.5.29.37': { value: sequence(oid('2.23.133.8.3')) } } } }),
      tpm(maker, { certificate: { extensions: { '2.5.29.37': { value: sequence(oid('1.2.3')) } } } }),
      tpm(
        maker,
        statement((map) => map.set('ver', '1.2')),
      ),
      tpm(
        maker,
        statement((map) => map.set('pubArea', Buffer.alloc(20))),
      ),
      tpm(
        maker,
        statement((map) => map.set('certInfo', Buffer.alloc(20))),
      ),
      tpm(
        maker,
        statement((map) => map.set('alg', -65535)),
      ),
    ];
    for (const attests of wrong) refuses({ format: 'tpm', attests }, self);
  });

  it('an android-key attestation is refused with 100093 if it has another key, or a key not generated there or open to all applications', () => {
    const wrong: Attests[] = [
      androidKey(maker, { challenge: Buffer.alloc(32) }),
      androidKey(maker, { origin: 2 }),
      androidKey(maker, { purpose: 0 }),
      androidKey(maker, { allApplications: true }),
      androidKey(maker, { certificate: { key: foreignKey() } }),
      androidKey(maker, { certificate: { extensions: {} } }),
    ];
    for (const attests of wrong) refuses({ format: 'android-key', attests }, self);
  });

  it('an apple attestation is refused with 100093 if it has another nonce or another key', () => {
    const wrong = [
      apple(maker, { nonce: Buffer.alloc(32) }),
      apple(maker, { certificate: { key: foreignKey() } }),
      apple(maker, { certificate: { extensions: {} } }),
    ];
    for (const attests of wrong) refuses({ format: 'apple', attests }, self);
  });

  it('a fido-u2f attestation is refused with 100093 if it names a model, has several certificates or another kind of key', () => {
    refuses({ format: 'fido-u2f', attests: fidoU2f(maker) }, self);
    refuses({ format: 'fido-u2f', attests: fidoU2f(maker, { chain: [maker.rootDer] }), aaguid: NOBODY }, self);
    const { publicKey: key } = generateKeyPairSync('ec', { namedCurve: 'P-384' });
    refuses({ format: 'fido-u2f', attests: fidoU2f(maker, { certificate: { key } }), aaguid: NOBODY }, self);
    const wrong = fidoU2f(
      maker,
      statement((map) => map.set('sig', Buffer.alloc(70))),
    );
    refuses({ format: 'fido-u2f', attests: wrong, aaguid: NOBODY }, self);
  });
});

const detailOf = (key: AttestedKey, policy: AttestationPolicy): string => {
  try {
    assess(key, policy);
  } catch (error) {
    assert.ok(error instanceof Refusal);
    assert.equal(error.code, 100093);
    return error.problem.detail ?? '';
  }
  throw new Error('it was taken');
};

describe('attestations of devices in the field', () => {
  const windows: AttestedKey = { format: 'tpm', attests: tpm(maker, { windows: true }), alg: -257 };

  it('a tpm attestation of Windows Hello, which signs with SHA-1, is trusted only if the policy allows it; otherwise 100093 names the reason', () => {
    assert.equal(assess(windows, { ...trusted, sha1InTpm: true }), 'trusted');
    assert.equal(assess({ ...windows, alg: -7 }, { ...trusted, sha1InTpm: true }), 'trusted');
    assert.match(detailOf(windows, trusted), /SHA-1.*sha1InTpm/);
    assert.match(detailOf({ format: 'tpm', attests: tpm(maker, { nameAlg: 4 }) }, trusted), /SHA-1/);
    assert.equal(
      assess({ format: 'tpm', attests: tpm(maker, { nameAlg: 4 }) }, { ...trusted, sha1InTpm: true }),
      'trusted',
    );
  });

  it('a tpm attestation with SHA-1 is refused with 100093 if the signature is wrong, or the key is not RSA', () => {
    const allowed = { ...self, sha1InTpm: true };
    const faults = [
      tpm(maker, { windows: true, statement: (map) => map.set('sig', Buffer.alloc(256)) }),
      tpm(maker, { windows: true, extraData: Buffer.alloc(20) }),
      tpm(maker, { statement: (map) => map.set('alg', -65535) }),
    ];
    for (const attests of faults) refuses({ format: 'tpm', attests, alg: -257 }, allowed);
  });

  it('SHA-1 is refused with 100093 for packed and android-key, even if the policy allows it for a TPM', () => {
    const sha1 = (map: Map<string, Cbor>) => map.set('alg', -65535);
    const allowed = { ...self, sha1InTpm: true };
    refuses({ format: 'packed', attests: packed(maker, { statement: sha1 }) }, allowed);
    refuses({ format: 'packed', attests: packedSelf({ statement: sha1 }), alg: -257 }, allowed);
    refuses({ format: 'android-key', attests: androidKey(maker, { statement: sha1 }) }, allowed);
  });

  it('a compound attestation needs valid parts, one of them of a trusted maker; otherwise it is refused with 100093', () => {
    const other = authority();
    const compoundOf = (...parts: [AttestationFormat, Attests][]): AttestedKey => ({
      format: 'compound',
      attests: compound(...parts),
    });
    assert.equal(assess(compoundOf(['packed', packed(maker)], ['tpm', tpm(maker)])), 'trusted');
    assert.equal(assess(compoundOf(['packed', packed(other)], ['tpm', tpm(maker)])), 'trusted');
    assert.equal(assess(compoundOf(['packed', packed(other)], ['packed', packedSelf()]), self), 'self');
    refuses(compoundOf(['packed', packed(other)], ['packed', packedSelf()]));
    const wrong = packed(maker, { statement: (map) => map.set('sig', Buffer.alloc(70)) });
    refuses(compoundOf(['tpm', tpm(maker)], ['packed', wrong]));
    refuses(compoundOf(['packed', packed(maker)]));
    refuses(compoundOf(['packed', packed(maker)], ['none', () => new Map<string, Cbor>()]));
    refuses(compoundOf(['packed', packed(maker)], ['compound', compound(['packed', packed(maker)])]));
    refuses(compoundOf(...Array.from({ length: 9 }, (): [AttestationFormat, Attests] => ['packed', packed(maker)])));
    const withMore: Attests = (attested) => {
      const [first, ...rest] = compound(['packed', packed(maker)], ['tpm', tpm(maker)])(attested);
      return [new Map([...(first as Map<string, Cbor>), ['more', 'x']]), ...rest] as readonly Cbor[];
    };
    refuses({ format: 'compound', attests: withMore });
    const none = { trust: 'none', roots: [], aaguids: [] } as const;
    assert.equal(assess(compoundOf(['packed', packed(maker)], ['tpm', tpm(maker)]), none), 'none');
  });

  it('an android-safetynet attestation is refused with 100093, which names the format', () => {
    const key: AttestedKey = { format: 'android-safetynet', attests: () => new Map<string, Cbor>([['ver', '1']]) };
    assert.match(detailOf(key, trusted), /android-safetynet/);
  });

  it('a self attestation is valid in every algorithm that a policy may name, and invalid with another hash or padding', () => {
    const all = Object.keys(ALGORITHMS).map(Number) as Alg[];
    assert.equal(all.length, 14);
    for (const alg of all) {
      const expected = expectedRegistration({ attestation: self, algorithms: all });
      const device = authenticator({ origin: ORIGIN, format: 'packed', attests: packedSelf(), alg, aaguid: MODEL });
      const registered = verifyRegistration(device.create(creation(expected)), expected);
      assert.deepEqual([registered.alg, registered.attestationTrust], [alg, 'self']);
      const login = expectedAuthentication();
      const passkey = toStored(registered);
      assert.ok(verifyAuthentication(device.get(login), passkey, login));
      const swapped = device.get(login, { signature: (bytes) => Buffer.concat([bytes.subarray(1), Buffer.of(1)]) });
      refusesWith(() => verifyAuthentication(swapped, passkey, login), 100091);
      const kin = { [-257]: -37, [-37]: -257, [-258]: -259 }[alg as -257] as Alg | undefined;
      if (kin) refusesWith(() => verifyAuthentication(device.get(login), { ...passkey, alg: kin }, login), 100091);
    }
  });

  it('an attestation of a denied model is refused with 100093, as is a model on no list', () => {
    const key: AttestedKey = { format: 'packed', attests: packed(maker) };
    assert.match(detailOf(key, { ...trusted, deniedAaguids: ['07070707-0707-0707-0707-070707070707'] }), /denied/);
    assert.equal(assess(key, { ...trusted, deniedAaguids: ['08080808-0808-0808-0808-080808080808'] }), 'trusted');
  });
});

describe('the metadata of FIDO for attestations', () => {
  const service = metadataService();
  const AAGUID = '07070707-0707-0707-0707-070707070707';
  const roots = [new X509Certificate(service.root)];
  const policyOf = (entries: object[], required = false): AttestationPolicy => {
    const { models } = readBlob(service.blob({ entries }), { roots, hostName: undefined, now: Date.now() });
    const find = (aaguid: Buffer) => models.get(nameOfModel(aaguid));
    return { trust: 'trusted', roots: [], aaguids: [], metadata: { required, find } };
  };
  const key: AttestedKey = { format: 'packed', attests: packed(maker) };

  it('the metadata of FIDO contains the roots of a model, which are trusted only for that model', () => {
    assert.equal(assess(key, policyOf([entryOf(AAGUID, [maker.rootDer])])), 'trusted');
    refuses(key, policyOf([entryOf(AAGUID, [authority().rootDer])]));
    const other = '08080808-0808-0808-0808-080808080808';
    refuses(key, policyOf([entryOf(other, [maker.rootDer])]));
  });

  it('the metadata of FIDO lacks a model, which is refused with 100093 if metadata is required', () => {
    const own = { roots: [new X509Certificate(maker.root)] };
    assert.equal(assess(key, { ...policyOf([]), ...own }), 'trusted');
    assert.match(detailOf(key, { ...policyOf([], true), ...own }), /no metadata/);
  });

  it('the metadata of FIDO reports a model as revoked or broken, which is refused with 100093 even if its root is trusted', () => {
    const own = { roots: [new X509Certificate(maker.root)] };
    for (const status of [
      'REVOKED',
      'USER_VERIFICATION_BYPASS',
      'ATTESTATION_KEY_COMPROMISE',
      'USER_KEY_REMOTE_COMPROMISE',
      'USER_KEY_PHYSICAL_COMPROMISE',
    ]) {
      const policy = { ...policyOf([entryOf(AAGUID, [maker.rootDer], { status })]), ...own };
      assert.match(detailOf(key, policy), new RegExp(status));
    }
    const updated = policyOf([entryOf(AAGUID, [maker.rootDer], { status: 'UPDATE_AVAILABLE' })]);
    assert.equal(assess(key, updated), 'trusted');
  });

  it('the metadata of FIDO reports one certificate, and other certificates of the model stay trusted', () => {
    const { certificate, issue } = intermediate(maker);
    const through: AttestedKey = { format: 'packed', attests: packed(maker, { issue, chain: [certificate] }) };
    const status = 'ATTESTATION_KEY_COMPROMISE';
    const policy = policyOf([
      entryOf(AAGUID, [maker.rootDer], { status, certificate: certificate.toString('base64') }),
    ]);
    refuses(through, policy);
    assert.equal(assess(key, policy), 'trusted');
  });
});

describe('an attestation object with a wrong byte', () => {
  for (const [name, key] of formats) {
    it(`${name} with a wrong byte is no longer trusted or is refused, and never causes another error`, () => {
      const expected = expectedRegistration({ attestation: trusted });
      const { format, alg = -7, aaguid = MODEL } = key;
      // The root that Android adds is trusted by its key, so its own signature is not verified.
      const attests = format === 'android-key' ? androidKey(maker) : key.attests;
      const good = authenticator({ origin: ORIGIN, format, attests, alg, aaguid }).create(creation(expected));
      const whole = Buffer.from(good.response.attestationObject, 'base64url');
      const flagsAt = whole.indexOf(hash('sha256', RP_ID, 'buffer')) + 32;
      fc.assert(
        fc.property(fc.nat(whole.length - 1), fc.integer({ min: 1, max: 255 }), (at, change) => {
          // U2F signs neither the flags nor the counter.
          fc.pre(format !== 'fido-u2f' || at < flagsAt || at >= flagsAt + 5);
          const bytes = Buffer.from(whole);
          bytes[at] = (bytes[at] as number) ^ change;
          const response = { ...good.response, attestationObject: bytes.toString('base64url') };
          assert.throws(() => verifyRegistration({ ...good, response }, expected), Refusal);
        }),
        { numRuns: RUNS },
      );
    });
  }
});

describe('the chain of certificates of an attestation', () => {
  const packedWith = (faults: Parameters<typeof packed>[1]): AttestedKey => ({
    format: 'packed',
    attests: packed(maker, faults),
  });

  it('a chain of certificates may contain an intermediate that the root has signed, and may end at a trusted intermediate', () => {
    const { certificate, issue } = intermediate(maker);
    assert.equal(assess(packedWith({ issue, chain: [certificate] })), 'trusted');
    const roots = [new X509Certificate(certificate)];
    assert.equal(assess(packedWith({ issue, chain: [] }), { ...trusted, roots }), 'trusted');
    assert.equal(assess(packedWith({ issue, chain: [certificate] }), { ...trusted, roots }), 'trusted');
  });

  it('a chain of certificates is refused with 100093 if it contains the root, except in android-key, where the key store adds it', () => {
    const { certificate, issue } = intermediate(maker);
    for (const policy of [trusted, self]) {
      refuses(packedWith({ issue, chain: [certificate, maker.rootDer] }), policy);
      refuses(packedWith({ chain: [maker.rootDer] }), policy);
    }
    const android: AttestedKey = { format: 'android-key', attests: androidKey(maker, { chain: [maker.rootDer] }) };
    assert.equal(assess(android), 'trusted');
    const twice: AttestedKey = {
      format: 'android-key',
      attests: androidKey(maker, { chain: [maker.rootDer, maker.rootDer] }),
    };
    refuses(twice);
  });

  it('a chain of certificates is refused with 100093 if it has certificates that do not belong to it', () => {
    const { certificate, issue } = intermediate(maker);
    const stranger = intermediate(authority()).certificate;
    for (const policy of [trusted, self]) {
      refuses(packedWith({ issue, chain: [certificate, stranger] }), policy);
      refuses(packedWith({ chain: [stranger] }), policy);
      refuses(packedWith({ chain: [authority().rootDer] }), policy);
      refuses({ format: 'android-key', attests: androidKey(maker, { chain: [stranger] }) }, policy);
    }
  });

  it('a chain of certificates is refused with 100093 if an authority is below one whose path length forbids it', () => {
    const [lone, wide] = [0, 1].map((pathLength) => {
      const upper = intermediate(maker, { pathLength });
      const lower = intermediate({ ...maker, issue: upper.issue }, { name: 'Lower' });
      return packedWith({ issue: lower.issue, chain: [lower.certificate, upper.certificate] });
    });
    refuses(lone as AttestedKey);
    assert.equal(assess(wide as AttestedKey), 'trusted');
  });

  it('a chain of certificates is refused with 100093 if one is missing, has another issuer, or is issued by no authority', () => {
    const { issue } = intermediate(maker);
    const other = intermediate(maker);
    refuses(packedWith({ issue }));
    refuses(packedWith({ issue, chain: [other.certificate] }));
    refuses(packedWith({ issue, chain: [maker.rootDer] }));
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    assert.ok(privateKey);
    const leaf = maker.issue({ key: publicKey, subject: { '2.5.4.3': 'Test intermediate' } });
    refuses(packedWith({ issue, chain: [leaf] }));
  });

  it('a chain of certificates is refused with 100093 if the certificate of the authenticator or the root is expired or not yet valid', () => {
    const now = Date.now();
    refuses(packedWith({ certificate: { notAfter: now - DAY } }));
    refuses(packedWith({ certificate: { notBefore: now + DAY } }));
    assert.equal(assess(packedWith({ certificate: { notAfter: now + DAY } })), 'trusted');
    refuses(packedWith({ certificate: { notAfter: now + 900 * DAY } }), trusted, now + 800 * DAY);
  });
});
