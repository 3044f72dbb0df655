import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { authority } from '../../../test/authenticator/authority.ts';
import { ApiError } from '../../kernel/errors.ts';
import { checkConfig } from './check-config.ts';
import { faultOfRpId } from './check-rp-id.ts';
import type { PasskeyConfig } from './passkey-policies.ts';

const faultsOf = (config: Partial<PasskeyConfig>): string[] => {
  try {
    checkConfig({ rpId: 'example.org', ...config });
    return [];
  } catch (error) {
    assert.ok(error instanceof ApiError && error.code === 100001);
    return (error.detail.errors ?? []).map(({ pointer }) => pointer);
  }
};

describe('a relying party id', () => {
  it('a relying party id is a registrable domain, or localhost', () => {
    for (const rpId of ['example.org', 'login.example.co.uk', 'xn--bcher-kva.example', 'localhost', 'app.localhost']) {
      assert.equal(faultOfRpId(rpId), undefined, rpId);
    }
  });

  it('a relying party id is refused with a reason that says what to write instead', () => {
    for (const [rpId, reason] of [
      ['https://example.org', /without https/],
      ['example.org/login', /without a path/],
      ['127.0.0.1', /IP address/],
      ['[::1]', /IP address/],
      ['::1', /IP address/],
      ['example.org:8443', /without a port/],
      ['com', /top-level/],
      ['co.uk', /belong to everybody/],
      ['com.au', /belong to everybody/],
      ['Example.org', /example\.org/],
      ['bücher.example', /xn--bcher-kva\.example/],
      ['example.org.', /domain/],
      ['.example.org', /domain/],
      ['exa mple.org', /domain/],
      ['exa_mple.org', /domain/],
      ['-example.org', /domain/],
      [`${'a'.repeat(64)}.org`, /domain/],
    ] as const) {
      assert.match(faultOfRpId(rpId) ?? 'no fault', reason, rpId);
    }
  });
});

describe('a passkey configuration', () => {
  it('a passkey configuration may have origins of the relying party, of apps and on every port', () => {
    const restrictedOrigins = [
      'https://example.org',
      'https://a.b.example.org:8443',
      'android:apk-key-hash:0123456789abcdefghijklmnopq',
    ];
    assert.deepEqual(faultsOf({ restrictedOrigins, topOrigins: ['https://shop.test'] }), []);
    assert.deepEqual(faultsOf({ rpId: 'localhost', restrictedOrigins: ['http://localhost:8080'] }), []);
    assert.deepEqual(faultsOf({ relatedOrigins: ['https://example.co.uk'] }), []);
  });

  it('a passkey configuration is refused for each origin that can never be used, with its pointer', () => {
    const wrong = [
      'https://example.com',
      'http://example.org',
      'https://example.org/',
      'example.org',
      'https://EXAMPLE.org',
      'https://evilexample.org',
      'http://localhost',
      'https://.example.org',
      'https://x..example.org',
      'https://example.org:70000',
    ];
    assert.deepEqual(
      faultsOf({ restrictedOrigins: wrong }),
      wrong.map((_, at) => `/restrictedOrigins/${at}`),
    );
    assert.deepEqual(faultsOf({ relatedOrigins: ['https://login.example.org', 'http://example.com'] }), [
      '/relatedOrigins/0',
      '/relatedOrigins/1',
    ]);
    assert.deepEqual(faultsOf({ topOrigins: ['shop.test'] }), ['/topOrigins/0']);
    assert.deepEqual(faultsOf({ topOrigins: ['https://shop..test'] }), ['/topOrigins/0']);
  });

  it('a passkey configuration refuses a policy named . or .., which no address can contain', () => {
    for (const name of ['.', '..']) {
      assert.deepEqual(faultsOf({ registrationPolicies: { [name]: {} } }), [`/registrationPolicies/${name}`]);
      assert.deepEqual(faultsOf({ authenticationPolicies: { [name]: {} } }), [`/authenticationPolicies/${name}`]);
    }
    assert.deepEqual(faultsOf({ registrationPolicies: { '...': {} } }), []);
  });

  it('a passkey configuration needs a root if a policy trusts only roots, and requires an attestation if a policy checks one', () => {
    const { root } = authority();
    const direct = { registrationPolicies: { strict: { attestation: 'direct' } } } as const;
    assert.deepEqual(faultsOf(direct), ['/attestationRoots']);
    assert.deepEqual(faultsOf({ ...direct, attestationRoots: [root] }), []);
    assert.deepEqual(faultsOf({ attestationRoots: ['-----BEGIN CERTIFICATE-----', root] }), ['/attestationRoots/0']);
    const registrationPolicies = { 'a/b': { attestationTrust: 'self' } } as const;
    assert.deepEqual(faultsOf({ registrationPolicies }), ['/registrationPolicies/a~1b/attestation']);
  });

  it('a passkey configuration is refused if it contradicts itself, or has names that cannot be part of an address', () => {
    const policy = { authenticatorSelection: { residentKey: 'discouraged', requireResidentKey: true } } as const;
    assert.deepEqual(faultsOf({ registrationPolicies: { one: policy } }), [
      '/registrationPolicies/one/authenticatorSelection/requireResidentKey',
    ]);
    assert.deepEqual(faultsOf({ registrationPolicies: { one: { algorithms: [-7, -7] } } }), [
      '/registrationPolicies/one/algorithms',
    ]);
    assert.deepEqual(faultsOf({ authenticationPolicies: { '': {} } }), ['/authenticationPolicies/']);
    assert.deepEqual(faultsOf({ authenticationPolicies: { ['x'.repeat(101)]: {} } }).length, 1);
  });
});
