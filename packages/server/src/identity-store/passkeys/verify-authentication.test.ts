import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { Faults } from '../../../test/authenticator/authenticator.ts';
import {
  expectedAuthentication,
  ORIGIN,
  refusesWith,
  registeredAuthenticator,
  USER_HANDLE,
} from '../../../test/authenticator/expected.ts';
import type { Alg } from '../../../test/authenticator/sign-with.ts';
import { Refusal } from '../attempts/refusal.ts';
import { type ExpectedAuthentication, type StoredPasskey, verifyAuthentication } from './verify-authentication.ts';

type Wrong = { faults?: Faults; expected?: Partial<ExpectedAuthentication>; passkey?: Partial<StoredPasskey> };

const one = registeredAuthenticator();

/** Verifies an assertion that is correct except for the given faults. */
function verify({ faults, expected: more, passkey }: Wrong = {}) {
  const expected = expectedAuthentication(more);
  // The counter of the stored passkey stays behind, so every assertion advances it.
  return verifyAuthentication(one.device.get(expected, faults), { ...one.passkey, ...passkey }, expected);
}

const refuses = (code: number, wrong: Wrong, counts?: boolean) => refusesWith(() => verify(wrong), code, counts);
const saying = (clientData: Record<string, unknown>): Wrong => ({ faults: { clientData } });

describe('the verification of an assertion', () => {
  for (const alg of [-7, -8, -35, -36, -257] as const satisfies Alg[]) {
    it(`the verification of an assertion accepts a correct one of the algorithm ${alg}, and none with a changed bit`, () => {
      const { device, passkey } = registeredAuthenticator({ alg });
      const expected = expectedAuthentication();
      const good = device.get(expected);
      assert.equal(verifyAuthentication(good, passkey, expected).signCount, 2);
      const signature = Buffer.from(good.response.signature, 'base64url');
      signature[signature.length - 1] = (signature.at(-1) as number) ^ 1;
      const response = { ...good.response, signature: signature.toString('base64url') };
      refusesWith(() => verifyAuthentication({ ...good, response }, passkey, expected), 100091, true);
    });
  }

  it('the verification of an assertion returns the counter, the backup state and whether the user was verified', () => {
    const { device, passkey } = registeredAuthenticator({ backupEligible: true, counts: false, userVerified: false });
    const expected = expectedAuthentication({ userVerification: 'preferred' });
    const verified = verifyAuthentication(device.get(expected), passkey, expected);
    assert.deepEqual(verified, { signCount: 0, backedUp: true, userVerified: false });
  });

  it('the verification of an assertion refuses with 352 the response to a registration', () => {
    const expected = expectedAuthentication();
    const registration = one.device
      .clone()
      .create({ rp: { id: expected.rpId }, user: { id: USER_HANDLE }, ...expected });
    refusesWith(() => verifyAuthentication(registration, one.passkey, expected), 352, false);
    refuses(352, saying({ type: 'webauthn.create' }));
  });

  it('the verification of an assertion refuses with 362 an unknown passkey, and another one than the session names', () => {
    const expected = expectedAuthentication();
    refusesWith(() => verifyAuthentication(one.device.get(expected), undefined, expected), 362, false);
    refuses(362, { passkey: { credentialId: 'AAAA' } });
  });

  it('the verification of an assertion refuses with 363 the passkey of another user, and counts no failure for anybody', () => {
    refuses(363, { expected: { userId: '01M7EK55GPPBVSG5TAX910HKS8' } }, false);
  });

  it('the verification of an assertion refuses with 364 a passkey that the options did not allow, and one without a user handle if no user was named', () => {
    refuses(364, { expected: { allowed: ['AAAA'] } }, false);
    for (const userHandle of [null, '']) refuses(364, { expected: { userId: undefined }, faults: { userHandle } });
  });

  it('the verification of an assertion refuses with 348 a passkey that is not active', () =>
    refuses(348, { passkey: { status: 'DISABLED' } }, false));

  it('the verification of an assertion refuses with 365 the user handle of another user, also in another spelling', () => {
    for (const userHandle of ['AAAA', `${USER_HANDLE}=`]) refuses(365, { faults: { userHandle } }, true);
    refuses(365, { expected: { userId: undefined }, faults: { userHandle: 'AAAA' } }, true);
  });

  it('the verification of an assertion accepts one without a user handle if the user is known', () => {
    assert.ok(verify({ faults: { userHandle: null } }).userVerified);
  });

  it('the verification of an assertion refuses with 353 another challenge, and the right challenge in another spelling', () => {
    const expected = expectedAuthentication();
    refusesWith(
      () => verifyAuthentication(one.device.get({ ...expected, challenge: 'AAAA' }), one.passkey, expected),
      353,
      true,
    );
    refuses(353, { expected: { challenge: 'AAAA' }, faults: { clientData: { challenge: 'AAAA=' } } });
  });

  it('the verification of an assertion refuses with 382 an origin without TLS, except localhost if that is the relying party', () => {
    for (const origin of ['http://login.example.org', 'http://localhost', 'ftp://example.org', 'null', '']) {
      refuses(382, saying({ origin }), true);
    }
    for (const [rpId, origin] of [
      ['localhost', 'http://localhost:8080'],
      ['app.localhost', 'http://app.localhost'],
    ] as const) {
      assert.ok(verify({ expected: { rpId }, faults: { clientData: { origin } } }));
    }
    refuses(382, { expected: { rpId: 'app.localhost' }, ...saying({ origin: 'http://localhost' }) });
  });

  it('the verification of an assertion refuses with 383 an origin outside of the relying party', () => {
    const foreign = ['https://example.com', 'https://evilexample.org', 'https://example.org.evil.test', 'https://org'];
    const misspelt = [
      'https://example.org/',
      'https://EXAMPLE.org',
      'https://a@example.org',
      'https://example.org:443',
    ];
    const impossible = [
      'https://.example.org',
      'https://x..example.org',
      'https://..example.org',
      'https://example.org:70000',
      'https://example.org:65536',
      'https://example.org:0',
      'https://example.org:08443',
      'https://example.org.',
      `https://${'a'.repeat(64)}.example.org`,
      `https://${'a.'.repeat(125)}example.org`,
    ];
    for (const origin of [...foreign, ...misspelt, ...impossible, 'https://']) refuses(383, saying({ origin }), true);
    assert.ok(verify(saying({ origin: 'https://example.org:8443' })));
    assert.ok(verify(saying({ origin: 'https://my_login.x-1.example.org:65535' })));
  });

  it('the verification of an assertion refuses with 383 an assertion for another relying party', () => {
    refuses(383, { faults: { rpId: 'login.example.org' } }, true);
  });

  it('the verification of an assertion refuses with 354 an origin that is not on the list, if there is one', () => {
    refuses(354, { expected: { restrictedOrigins: ['https://example.org', `${ORIGIN}:8443`] } }, true);
    assert.ok(verify({ expected: { restrictedOrigins: [ORIGIN] } }));
  });

  it('the verification of an assertion accepts a related origin of another domain, and an app, only if they are on the list', () => {
    const related = 'https://example.co.uk';
    assert.ok(verify({ expected: { relatedOrigins: [related] }, ...saying({ origin: related }) }));
    const app = 'android:apk-key-hash:0123456789abcdefghijklmnopq';
    assert.ok(verify({ expected: { restrictedOrigins: [app] }, ...saying({ origin: app }) }));
    refuses(354, saying({ origin: app }));
  });

  it('the verification of an assertion refuses with 100200 a frame in a page of another origin, unless that origin is on the list', () => {
    const topOrigin = 'https://shop.test';
    refuses(100200, saying({ crossOrigin: true }), true);
    refuses(100200, saying({ crossOrigin: true, topOrigin }));
    refuses(100200, { expected: { topOrigins: [topOrigin] }, ...saying({ crossOrigin: true }) });
    const unnamed = { unnamedTopOriginAllowed: true };
    assert.ok(verify({ expected: unnamed, ...saying({ crossOrigin: true }) }));
    refuses(100200, { expected: unnamed, ...saying({ crossOrigin: true, topOrigin }) });
    assert.ok(verify({ expected: { topOrigins: [topOrigin] }, ...saying({ crossOrigin: true, topOrigin }) }));
  });

  it('the verification of an assertion refuses with 356 a token binding, which Grove does not use, and one without a status', () => {
    for (const tokenBinding of [{ status: 'present', id: 'AAAA' }, {}, { status: 7 }, 'present', true]) {
      refuses(356, saying({ tokenBinding }), true);
    }
    for (const tokenBinding of [null, { status: 'supported' }]) assert.ok(verify(saying({ tokenBinding })));
  });

  it('the verification of an assertion refuses with 100092 a user who was not present, or not verified although the policy requires it', () => {
    refuses(100092, { faults: { flags: 0 } }, true);
    refuses(100092, { faults: { flags: 1 } }, true);
    assert.ok(verify({ expected: { userVerification: 'preferred' }, faults: { flags: 1 } }));
    refuses(100092, { expected: { userVerification: 'discouraged' }, faults: { flags: 4 } });
  });

  it('the verification of an assertion refuses with 100090 backup flags that contradict each other or the registration', () => {
    refuses(100090, { faults: { flags: 1 | 4 | 16 } }, false);
    refuses(100090, { faults: { flags: 1 | 4 | 8 } });
  });

  it('the verification of an assertion refuses with 100091 a signature of another key, or over other data', () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    refuses(100091, { faults: { signedBy: privateKey } }, true);
    for (const change of [
      () => Buffer.alloc(0),
      () => Buffer.alloc(64),
      (s: Buffer) => Buffer.concat([s, Buffer.of(0)]),
    ]) {
      refuses(100091, { faults: { signature: change } });
    }
  });

  it('the verification of an assertion refuses with 372 a counter that did not advance, after the signature was verified', () => {
    for (const signCount of [6, 7, 2 ** 32 - 1]) {
      refuses(372, { passkey: { signCount }, faults: { signCount: Math.min(6, signCount) } }, true);
    }
    refuses(372, { passkey: { signCount: 1 }, faults: { signCount: 0 } });
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    refuses(100091, { passkey: { signCount: 7 }, faults: { signCount: 6, signedBy: privateKey } });
    assert.equal(verify({ passkey: { signCount: 0 }, faults: { signCount: 0 } }).signCount, 0);
    assert.equal(verify({ passkey: { signCount: 6 }, faults: { signCount: 2 ** 32 - 1 } }).signCount, 2 ** 32 - 1);
  });

  it('the verification of an assertion ignores extensions that were not requested', () => {
    assert.ok(verify({ faults: { extensions: new Map([['credProtect', 2]]) } }));
  });

  it('the verification of an assertion refuses with 100090 malformed values of every member, and counts no failure', () => {
    const more = (data: Buffer) => Buffer.concat([data, Buffer.of(0)]);
    const text = (value: string) => Buffer.from(value);
    const faults: Faults[] = [
      { authData: more },
      { authData: (data) => data.subarray(0, 36) },
      { flags: 1 | 4 | 64 },
      { flags: 1 | 4 | 128 },
      { extensions: 'no map' },
      { clientDataJson: Buffer.of(0xff) },
      { clientDataJson: text('{') },
      { clientDataJson: text('null') },
      { clientDataJson: text('"text"') },
      { clientDataJson: text('{}') },
      { clientData: { type: 'payment.get' } },
      { clientData: { crossOrigin: 'false' } },
      { clientData: { topOrigin: 7 } },
      { clientData: { topOrigin: 'https://shop.test' } },
    ];
    for (const each of faults) refuses(100090, { faults: each }, false);
  });

  it('the verification of an assertion refuses with 100090 every second spelling of base64url, and every missing member', () => {
    const expected = expectedAuthentication();
    const good = one.device.get(expected);
    const check = (credential: object) =>
      refusesWith(() => verifyAuthentication(credential as typeof good, one.passkey, expected), 100090, false);
    for (const name of ['clientDataJSON', 'authenticatorData', 'signature'] as const) {
      const value = good.response[name];
      for (const spelt of [`${value}=`, `${value} `, `${value}\n`, `${value}!!`, undefined, 7, null]) {
        check({ ...good, response: { ...good.response, [name]: spelt } });
      }
    }
    for (const name of ['clientDataJSON', 'authenticatorData', 'signature']) {
      check({ ...good, response: { ...good.response, [name]: 'A'.repeat(90_000) } });
    }
    // 37 bytes leave four unused bits in the last character.
    const data = good.response.authenticatorData;
    const twin = `${data.slice(0, -1)}${String.fromCharCode(data.charCodeAt(data.length - 1) + 1)}`;
    assert.deepEqual(Buffer.from(twin, 'base64url'), Buffer.from(data, 'base64url'));
    check({ ...good, response: { ...good.response, authenticatorData: twin } });
    check({ ...good, id: `${good.id}=`, rawId: `${good.id}=` });
    check({ ...good, rawId: 'AAAA' });
    check({ ...good, id: '', rawId: '' });
    assert.ok(verifyAuthentication({ ...good, rawId: good.id }, one.passkey, expected));
  });

  it('the verification of an assertion refuses a correct one with any one bit changed, and never throws another error', () => {
    const expected = expectedAuthentication();
    const good = one.device.get(expected);
    const names = ['clientDataJSON', 'authenticatorData', 'signature'] as const;
    fc.assert(
      fc.property(fc.constantFrom(...names), fc.nat(), fc.nat(7), (name, at, bit) => {
        const bytes = Buffer.from(good.response[name], 'base64url');
        bytes[at % bytes.length] = (bytes[at % bytes.length] as number) ^ (1 << bit);
        const response = { ...good.response, [name]: bytes.toString('base64url') };
        assert.throws(() => verifyAuthentication({ ...good, response }, one.passkey, expected), Refusal);
      }),
      { numRuns: 500 },
    );
  });

  it('the verification of an assertion refuses with 100090 client data in which a member appears twice', () => {
    const one = registeredAuthenticator();
    const expected = expectedAuthentication();
    const text = `{"challenge":"AAAA","type":"webauthn.get","challenge":"${expected.challenge}","origin":"${ORIGIN}"}`;
    const assertion = one.device.get(expected, { clientDataJson: Buffer.from(text) });
    refusesWith(() => verifyAuthentication(assertion, one.passkey, expected), 100090, false);
  });

  it('the verification of an assertion accepts a byte order mark before the client data, as the standard says', () => {
    const expected = expectedAuthentication();
    const clientData = JSON.stringify({ type: 'webauthn.get', challenge: expected.challenge, origin: ORIGIN });
    const faults = { clientDataJson: Buffer.from(`\ufeff${clientData}`) };
    assert.ok(verifyAuthentication(one.device.get(expected, faults), one.passkey, expected));
  });
});
