import assert from 'node:assert/strict';
import { createHmac, createSecretKey, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { hmacSha256 } from './hmac.ts';

test('HMAC-SHA256 is that of RFC 4231', () => {
  const jefe = createSecretKey(Buffer.from('Jefe'));
  const expected = '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843';
  assert.equal(hmacSha256(jefe, 'what do ya want for nothing?', 'hex'), expected);
  const longKey = createSecretKey(Buffer.alloc(131, 0xaa));
  const hashedFirst = '60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54';
  assert.equal(hmacSha256(longKey, 'Test Using Larger Than Block-Size Key - Hash Key First', 'hex'), hashedFirst);
});

test('HMAC-SHA256 equals that of Node for keys and texts of every length, one after another', () => {
  const characters = ['a', 'é', '漢', '😀', '\ud800'];
  for (let length = 0; length < 700; length += 7) {
    const key = createSecretKey(randomBytes(1 + (length % 140)));
    for (const character of characters) {
      const text = character.repeat(length);
      for (const encoding of ['hex', 'base64url'] as const) {
        assert.equal(hmacSha256(key, text, encoding), createHmac('sha256', key).update(text).digest(encoding));
      }
    }
    assert.equal(hmacSha256(key, '', 'hex'), createHmac('sha256', key).digest('hex'), 'nothing is left of the last');
  }
});
