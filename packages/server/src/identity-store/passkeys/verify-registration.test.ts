import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type AuthenticatorOptions, authenticator, type Faults } from '../../../test/authenticator/authenticator.ts';
import { creation, expectedRegistration, ORIGIN, refusesWith } from '../../../test/authenticator/expected.ts';
import type { Alg } from '../../../test/authenticator/sign-with.ts';
import { type Cbor, writeCbor } from '../../../test/authenticator/write-cbor.ts';
import { type ExpectedRegistration, verifyRegistration } from './verify-registration.ts';

type Wrong = { faults?: Faults; expected?: Partial<ExpectedRegistration>; options?: Partial<AuthenticatorOptions> };

/** Verifies a registration that is correct except for the given faults. */
function verify({ faults, expected: more, options }: Wrong = {}) {
  const expected = expectedRegistration(more);
  const device = authenticator({ origin: ORIGIN, ...options });
  return verifyRegistration(device.create(creation(expected), faults), expected);
}

const refuses = (code: number, wrong: Wrong) => refusesWith(() => verify(wrong), code);
const saying = (clientData: Record<string, unknown>): Wrong => ({ faults: { clientData } });

describe('the verification of a registration', () => {
  for (const alg of [-7, -8, -35, -36, -257] as const satisfies Alg[]) {
    it(`the verification of a registration accepts a key of the algorithm ${alg} if it was offered, and otherwise refuses it with 100090`, () => {
      assert.equal(verify({ options: { alg } }).alg, alg);
      refuses(100090, { options: { alg }, expected: { algorithms: [alg === -7 ? -8 : -7] } });
    });
  }

  it('the verification of a registration returns every field of a credential record', () => {
    const registered = verify({ options: { backupEligible: true, aaguid: Buffer.alloc(16, 0xab) } });
    const { credentialId, publicKey, ...rest } = registered;
    assert.equal(Buffer.from(credentialId, 'base64url').length, 32);
    assert.ok(publicKey.length > 64);
    assert.deepEqual(rest, {
      alg: -7,
      signCount: 1,
      userVerified: true,
      backupEligible: true,
      backedUp: true,
      transports: ['internal', 'hybrid'],
      aaguid: 'abababab-abab-abab-abab-abababababab',
      attestationFormat: 'none',
      attestationTrust: 'none',
    });
  });

  it('the verification of a registration accepts a credential id of 1023 bytes, and refuses with 100090 one of 1024 bytes and an empty one', () => {
    assert.ok(verify({ options: { credentialIdBytes: 1023 } }));
    for (const credentialIdBytes of [0, 1024]) refuses(100090, { options: { credentialIdBytes } });
  });

  it('the verification of a registration refuses with 353 another challenge', () =>
    refuses(353, saying({ challenge: 'AAAA' })));

  it('the verification of a registration refuses with 382, 383 and 354 unexpected origins, as an authentication does', () => {
    refuses(382, saying({ origin: 'http://login.example.org' }));
    refuses(383, saying({ origin: 'https://example.com' }));
    refuses(383, { faults: { rpId: 'example.com' } });
    refuses(354, { expected: { restrictedOrigins: ['https://example.org'] } });
  });

  it('the verification of a registration refuses with 100200 a frame in a page of another origin, with topOrigin and without', () => {
    refuses(100200, saying({ crossOrigin: true }));
    refuses(100200, saying({ crossOrigin: true, topOrigin: 'https://shop.test' }));
  });

  it('the verification of a registration refuses with 356 a token binding, which Grove does not use', () => {
    refuses(356, saying({ tokenBinding: { status: 'present' } }));
  });

  it('the verification of a registration refuses with 100092 a user who was not present, or not verified although the policy requires it', () => {
    refuses(100092, { faults: { flags: 64 | 4 } });
    refuses(100092, { options: { userVerified: false } });
    assert.equal(
      verify({ options: { userVerified: false }, expected: { userVerification: 'preferred' } }).userVerified,
      false,
    );
  });

  it('the verification of a registration refuses with 100090 an id that differs from that of the attested credential', () => {
    refuses(100090, { faults: { credential: { id: 'AAAA', rawId: 'AAAA' } } });
    refuses(100090, { faults: { credential: { rawId: 'AAAA' } } });
  });

  it('the verification of a registration refuses with 100090 an assertion, and the client data of one', () => {
    const expected = expectedRegistration();
    const assertion = authenticator({ origin: ORIGIN }).get(expected);
    refusesWith(() => verifyRegistration(assertion, expected), 100090);
    refuses(100090, saying({ type: 'webauthn.get' }));
  });

  const key = (change: (key: Map<number, Cbor>) => void, alg: Alg = -7): Wrong => ({
    options: { alg },
    faults: {
      publicKey(cose) {
        change(cose);
        return cose;
      },
    },
  });

  it('the verification of a registration refuses with 100090 a malformed public key', () => {
    const wrong: Wrong[] = [
      key((cose) => cose.delete(3)),
      key((cose) => cose.set(3, 'ES256')),
      key((cose) => cose.set(3, -65535)),
      key((cose) => cose.set(3, -8)),
      key((cose) => cose.set(1, 3)),
      key((cose) => cose.set(-1, 2)),
      key((cose) => cose.set(-2, Buffer.alloc(31, 1))),
      key((cose) => cose.set(-2, Buffer.alloc(32, 1))),
      key((cose) => cose.set(-3, true)),
      key((cose) => cose.set(4, [1])),
      key((cose) => cose.set(-1, 7), -8),
      key((cose) => cose.set(-2, Buffer.alloc(31)), -8),
      key((cose) => cose.set(-1, Buffer.alloc(128, 1)), -257),
      key((cose) => cose.set(-2, Buffer.alloc(0)), -257),
    ];
    for (const each of wrong) refuses(100090, each);
  });

  it('the verification of a registration refuses with 100090 an RSA key with an exponent of 1, an even one, or fewer than 2048 bits', () => {
    for (const exponent of [[1], [0, 1], [2], [4], [1, 0, 0]]) {
      refuses(
        100090,
        key((cose) => cose.set(-2, Buffer.from(exponent)), -257),
      );
    }
    const short = (cose: Map<number, Cbor>) => {
      (cose.get(-1) as Buffer)[0] = 0;
    };
    refuses(100090, key(short, -257));
    assert.ok(verify(key((cose) => cose.set(-2, Buffer.of(3)), -257)));
  });

  it('the verification of a registration refuses with 100090 an Ed25519 key of small order, not on the curve, or in a second spelling', () => {
    const p = 2n ** 255n - 19n;
    const point = (y: bigint) => Buffer.from(y.toString(16).padStart(64, '0'), 'hex').reverse();
    const sign = 2n ** 255n;
    // libsodium has the same list: the orders 1, 2, 4 and 8.
    const eight = Buffer.from('26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05', 'hex');
    const other = Buffer.from('c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a', 'hex');
    const small = [0n, 1n, p - 1n, p, p + 1n].flatMap((y) => [point(y), point(y + sign)]);
    const notOnCurve = point(2n);
    for (const x of [...small, eight, other, notOnCurve, point(p + 3n)]) {
      refuses(
        100090,
        key((cose) => cose.set(-2, x), -8),
      );
    }
    for (let count = 0; count < 20; count++) assert.equal(verify({ options: { alg: -8 } }).alg, -8);
  });

  it('the verification of a registration refuses with 100090 client data in which a member appears twice', () => {
    const expected = expectedRegistration();
    const rest = `"challenge":"${expected.challenge}","origin":"${ORIGIN}","crossOrigin":false`;
    const clientDataJson = (text: string) => Buffer.from(text);
    const register = (text: string) =>
      verifyRegistration(
        authenticator({ origin: ORIGIN }).create(creation(expected), { clientDataJson: clientDataJson(text) }),
        expected,
      );
    assert.ok(register(`{"type":"webauthn.create",${rest}}`));
    for (const twice of ['"challenge":"AAAA"', '"origin":"https://evil.test"', '"\\u0074ype":"webauthn.get"']) {
      refusesWith(() => register(`{${twice},"type":"webauthn.create",${rest}}`), 100090);
    }
  });

  it('the verification of a registration refuses with 100090 a malformed attestation object', () => {
    const object = (change: (object: Map<string, Cbor>) => void): Faults => ({
      attestation(map) {
        change(map);
        return map;
      },
    });
    const faults: Faults[] = [
      { attestationBytes: (bytes) => Buffer.concat([bytes, Buffer.of(0)]) },
      { attestationBytes: (bytes) => bytes.subarray(0, -1) },
      { attestationBytes: () => Buffer.alloc(0) },
      { attestationBytes: () => writeCbor('text') },
      object((map) => map.delete('fmt')),
      object((map) => map.set('attStmt', [])),
      object((map) => map.set('authData', 'text')),
      object((map) => map.set('more', 1)),
      { authData: (data) => Buffer.concat([data, Buffer.of(0)]) },
      { authData: (data) => data.subarray(0, 50) },
      { authData: (data) => data.subarray(0, 60) },
      { flags: 1 | 4 },
      { flags: 1 | 4 | 16 | 64 },
      { credential: { response: { clientDataJSON: 'AA', attestationObject: 7 } } },
    ];
    for (const each of faults) refuses(100090, { faults: each });
  });

  it('the verification of a registration drops unknown transports', () => {
    const transports = [
      'usb',
      'usb',
      7,
      'USB <script>',
      'x'.repeat(33),
      ...Array.from({ length: 20 }, (_, at) => `t${'a'.repeat(at)}`),
    ];
    const expected = expectedRegistration();
    const response = authenticator({ origin: ORIGIN }).create(creation(expected));
    const storedTransports = verifyRegistration(
      { ...response, response: { ...response.response, transports } },
      expected,
    ).transports;
    assert.deepEqual([storedTransports.length, storedTransports[0], storedTransports[1]], [10, 'usb', 't']);
    assert.deepEqual(
      verifyRegistration({ ...response, response: { ...response.response, transports: 'usb' } }, expected).transports,
      [],
    );
  });
});
