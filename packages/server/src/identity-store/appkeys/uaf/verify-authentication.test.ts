import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AAID, FACET, ownRequest, uafAuthenticator } from '../../../../test/uaf/authenticator.ts';
import { APP_ID } from '../../../../test/uaf/relying-party.ts';
import { Refusal } from '../../attempts/refusal.ts';
import { readAttempt } from '../read-attempt.ts';
import { readRegistrationAssertion } from './read-assertion.ts';
import { readResponse } from './read-response.ts';
import { advances, verifyAuthentication } from './verify-authentication.ts';
import { toSpki } from './verify-signature.ts';

test('a counter of an appkey must grow, unless the authenticator has no counter', () => {
  assert.deepEqual(
    [
      [0, 0],
      [0, 1],
      [5, 6],
    ].map(([before = 0, now = 0]) => advances(before, now)),
    [true, true, true],
  );
  assert.deepEqual(
    [
      [5, 5],
      [5, 4],
      [5, 0],
    ].map(([before = 0, now = 0]) => advances(before, now)),
    [false, false, false],
  );
});

test('1061: a signed counter of an appkey that has not advanced is refused before anything is stored', () => {
  const authenticator = uafAuthenticator();
  const registered = readResponse(authenticator.register(ownRequest('Reg', 'AAAA', APP_ID)));
  assert.ok('assertion' in registered);
  const { publicKey, keyAlgorithm, keyId, signAlgorithm } = readRegistrationAssertion(registered.assertion);
  const key = {
    user_id: 'ann',
    key_id: keyId.toString('base64url'),
    aaid: AAID,
    key_type: 'DEVICE',
    status: 'ACTIVE',
    sign_algorithm: signAlgorithm,
    public_key: toSpki(signAlgorithm, keyAlgorithm, publicKey),
    sign_count: 5,
  } as const;
  const config = { rpId: 'bank.example', appId: APP_ID, trustedFacets: [FACET] };
  const verified = (counter: number) => {
    const response = authenticator.authenticate(ownRequest('Auth', 'AAAA', APP_ID), { counter });
    const expected = { config, policies: [], challenge: 'AAAA', userId: 'ann' };
    return verifyAuthentication({ ...readAttempt({ response }), key }, expected);
  };
  assert.equal(verified(6), 6);
  for (const counter of [5, 4, 0]) {
    assert.throws(
      () => verified(counter),
      (error) => error instanceof Refusal && error.code === 1061 && error.counts,
      `${counter}`,
    );
  }
});
