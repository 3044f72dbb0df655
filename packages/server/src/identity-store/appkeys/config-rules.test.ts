import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { certificate } from '../../../test/uaf/certificates.ts';
import { CONFIG } from '../../../test/uaf/relying-party.ts';
import { ApiError } from '../../kernel/errors.ts';
import { checkConfig } from './config-rules.ts';
import type { AppkeyConfig } from './uaf/match-policy.ts';

const root = certificate({ name: 'Root', ca: true }).certificate.toString('base64');

function faultsOf(change: Partial<AppkeyConfig>): string[] {
  try {
    checkConfig({ ...CONFIG, ...change } as AppkeyConfig);
    return [];
  } catch (error) {
    assert.ok(error instanceof ApiError && error.code === 100001);
    return error.detail.errors?.map(({ pointer }) => pointer) ?? [];
  }
}

describe('the appkey configuration of a relying party', () => {
  it('the appkey configuration of a relying party is accepted if it is correct', () => {
    const metadataStatements = [{ aaid: '4E4E#4001', attestationRootCertificates: [root] }];
    assert.deepEqual(faultsOf({ metadataStatements, keyTypes: ['DEVICE'] }), []);
    assert.deepEqual(faultsOf({ appId: 'ios:bundle-id:com.example.app' }), []);
    const beside = { aaid: ['4E4E#4001'], keyIDs: ['k'], attachmentHint: 1, authenticatorVersion: 2 };
    assert.deepEqual(faultsOf({ registrationPolicies: { 'a policy': { accepted: [[beside]] } } }), []);
  });

  it('the appkey configuration of a relying party is refused with every fault and its pointer', () => {
    assert.deepEqual(faultsOf({ appId: 'http://bank.example' }), ['/appId']);
    assert.deepEqual(faultsOf({ appId: 'https://user@bank.example/f.json' }), ['/appId']);
    assert.deepEqual(faultsOf({ trustedFacets: ['https://a.example', 'x', 'y'] }), [
      '/trustedFacets/1',
      '/trustedFacets/2',
    ]);
    assert.deepEqual(faultsOf({ keyTypes: [] }), ['/keyTypes']);
    assert.deepEqual(faultsOf({ keyTypes: ['DEVICE', 'DEVICE'] }), ['/keyTypes']);
    const accepted = [[{ aaid: ['4E4E#4001'], keyProtection: 1 }]];
    assert.deepEqual(faultsOf({ authenticationPolicies: { p: { accepted } } }), [
      '/authenticationPolicies/p/accepted/0/0/keyProtection',
    ]);
    assert.deepEqual(faultsOf({ registrationPolicies: { 'a/b': { accepted: [[{}]] } } }), [
      '/registrationPolicies/a~1b',
    ]);
    const twice = [
      { aaid: 'aaaa#0001' },
      { aaid: 'AAAA#0001', attestationRootCertificates: ['AAAA', '!', `${root}AAAA`] },
    ];
    assert.deepEqual(faultsOf({ metadataStatements: twice }), [
      ...[0, 1, 2].map((at) => `/metadataStatements/1/attestationRootCertificates/${at}`),
      '/metadataStatements/1/aaid',
    ]);
  });
});
