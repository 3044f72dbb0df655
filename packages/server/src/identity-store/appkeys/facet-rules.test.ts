import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { canonicalFacet, isTrustedFacet, providerOf } from './facet-rules.ts';

const HASH = 'tEbLgYcVWUNZL0aZUHzQ2nN2q2g';

describe('the facets of appkeys', () => {
  it('a facet of an appkey has one normal spelling', () => {
    assert.equal(canonicalFacet(`android:apk-key-hash:${HASH}=`), `android:apk-key-hash:${HASH}`);
    assert.equal(canonicalFacet(`android:apk-key-hash:-_${HASH.slice(2)}`), `android:apk-key-hash:+/${HASH.slice(2)}`);
    const sha256 = 'A'.repeat(43);
    assert.equal(canonicalFacet(`android:apk-key-hash-sha256:${sha256}=`), `android:apk-key-hash-sha256:${sha256}`);
    assert.equal(canonicalFacet('ios:bundle-id:com.example.app'), 'ios:bundle-id:com.example.app');
    assert.equal(canonicalFacet('HTTPS://App.Example.com:443/'), 'https://app.example.com');
    assert.equal(canonicalFacet('https://app.example.com:8443'), 'https://app.example.com:8443');
  });

  it('a facet of an appkey is refused in any other form', () => {
    for (const facet of [
      '',
      'app',
      'http://app.example.com',
      'https://',
      'https://app.example.com/path',
      'https://app.example.com?',
      'https://app.example.com#',
      'https://user@app.example.com',
      'https://u:p@app.example.com',
      'javascript:x',
      `android:apk-key-hash:${HASH}A`,
      'android:apk-key-hash:',
      `android:apk-key-hash-sha256:${HASH}`,
      'ios:bundle-id:',
      'ios:bundle-id:a b',
      'ios:bundle-id:-a',
      `ios:bundle-id:com.example\n`,
    ]) {
      assert.equal(canonicalFacet(facet), undefined, facet);
    }
  });

  it('a facet of an appkey is trusted if the relying party names it in any spelling, or if it is the AppID', () => {
    const trusted = [`android:apk-key-hash:${HASH}=`, 'https://app.example.com/'];
    assert.ok(isTrustedFacet(`android:apk-key-hash:${HASH}`, trusted, undefined));
    assert.ok(isTrustedFacet('https://app.example.com', trusted, undefined));
    assert.ok(isTrustedFacet('https://bank.example', [], 'https://bank.example'));
    assert.ok(!isTrustedFacet('https://bank.example', [], 'https://bank.example/facets.json'));
    assert.ok(!isTrustedFacet('https://app.example.com.evil.example', trusted, undefined));
    assert.ok(!isTrustedFacet('', [''], ''));
    assert.ok(!isTrustedFacet('anything', ['anything'], 'anything'));
  });

  it('a facet of an appkey decides which push provider reaches its devices', () => {
    assert.equal(providerOf('ios:bundle-id:com.example.app'), 'APNS');
    assert.equal(providerOf(`android:apk-key-hash:${HASH}`), 'FCM');
    assert.equal(providerOf('https://app.example.com'), 'WEB_PUSH');
  });
});
