import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { describe, it } from 'node:test';
import { refusesWith, toStored } from '../../../test/authenticator/expected.ts';
import fixture from '../../../test/authenticator/w3c-vectors.json' with { type: 'json' };
import { OFFERED } from './algorithms.ts';
import { verifyAuthentication } from './verify-authentication.ts';
import { verifyRegistration } from './verify-registration.ts';

/**
 * WebAuthn Level 3, section 16. The values are those of the standard; the test is that both ceremonies end as expected.
 */
const root = new X509Certificate(Buffer.from(fixture.root, 'base64url'));
const now = Date.parse('2026-01-01T00:00:00Z');

type Name = keyof typeof fixture.vectors;
type Trust = 'none' | 'self' | 'trusted';

const places = { rpId: 'example.org', restrictedOrigins: [], relatedOrigins: [] };
const topOriginOf = (clientDataJson: string): string[] => {
  const { topOrigin } = JSON.parse(Buffer.from(clientDataJson, 'base64url').toString()) as { topOrigin?: string };
  return topOrigin ? [topOrigin] : [];
};

function register(
  name: Name,
  trust: Trust,
  topOrigins = topOriginOf(fixture.vectors[name].registration.clientDataJSON),
  unnamedTopOriginAllowed = false,
) {
  const { credentialId: id, challenge, ...response } = fixture.vectors[name].registration;
  const attestation = { trust, roots: [root], aaguids: [] };
  return verifyRegistration(
    { id, rawId: id, response },
    {
      ...places,
      topOrigins,
      unnamedTopOriginAllowed,
      challenge,
      userVerification: 'preferred',
      algorithms: OFFERED,
      attestation,
      now,
    },
  );
}

function authenticate(name: Name, passkey: ReturnType<typeof toStored>) {
  const { challenge, ...response } = fixture.vectors[name].authentication;
  const topOrigins = topOriginOf(response.clientDataJSON);
  const { credentialId: id } = passkey;
  const expected = { ...places, topOrigins, challenge, userVerification: 'preferred', allowed: [id] } as const;
  return verifyAuthentication({ id, rawId: id, response }, passkey, { ...expected, userId: passkey.userId });
}

describe('the test vectors of the W3C', () => {
  const whole: [Name, Trust][] = [
    ['none-es256', 'none'],
    ['packed-self-es256', 'self'],
    ['none-es256-topOrigin', 'none'],
    ['none-es256-long-credential-id', 'none'],
    ['packed-es256', 'trusted'],
    ['packed-es384', 'trusted'],
    ['packed-es512', 'trusted'],
    ['packed-rs256', 'trusted'],
    ['packed-eddsa', 'trusted'],
    ['tpm-es256', 'trusted'],
    ['apple-es256', 'trusted'],
  ];
  for (const [name, trust] of whole) {
    it(`${name} registers with the attestation ${trust}, and authenticates`, () => {
      const registered = register(name, trust);
      assert.equal(registered.attestationTrust, trust);
      assert.equal(authenticate(name, toStored(registered)).signCount, 0);
    });
  }

  it('a W3C vector with crossOrigin but without topOrigin is refused with 100200, unless the relying party accepts such browsers', () => {
    refusesWith(() => register('none-es256-crossOrigin', 'none', ['https://example.com']), 100200);
    assert.equal(register('none-es256-crossOrigin', 'none', [], true).attestationTrust, 'none');
  });

  it('a W3C vector with a topOrigin that is not on the list is refused with 100200', () => {
    refusesWith(() => register('none-es256-topOrigin', 'none', []), 100200);
  });

  it('a W3C vector with Ed448, which was not offered, is refused with 100090', () => {
    refusesWith(() => register('packed-ed448', 'trusted'), 100090);
  });

  it('a W3C vector of fido-u2f with an AAGUID is refused with 100093, because FIDO requires it; without attestation it is accepted', () => {
    refusesWith(() => register('fido-u2f-es256', 'trusted'), 100093);
    authenticate('fido-u2f-es256', toStored(register('fido-u2f-es256', 'none')));
  });

  it('a W3C vector of android-key without an origin of its key is refused with 100093; without attestation it is accepted', () => {
    refusesWith(() => register('android-key-es256', 'trusted'), 100093);
    authenticate('android-key-es256', toStored(register('android-key-es256', 'none')));
  });
});
