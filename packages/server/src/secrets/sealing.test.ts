import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { contextOf, KEY_BYTES, keyFrom, newKey, seal, sealedBy, unseal } from './sealing.ts';

const key = { version: 7, key: newKey() };
const OVERHEAD = 1 + 4 + 12 + 16;
const bytes = () => fc.uint8Array({ maxLength: 200 });

describe('a sealed value', () => {
  it('a sealed value opens to its original with its key and in its place', () => {
    fc.assert(
      fc.property(bytes(), fc.string(), (plain, context) => {
        const sealed = seal(key, context, plain);
        assert.deepEqual(new Uint8Array(unseal(key.key, context, sealed)), plain);
        assert.equal(sealed.length, plain.length + OVERHEAD);
      }),
    );
  });

  it('a sealed value opens also as a part of a larger buffer, as a database driver may return it', () => {
    const sealed = seal(key, 'place', Buffer.from('plain'));
    const around = new Uint8Array(sealed.length + 20).fill(9);
    around.set(sealed, 10);
    assert.equal(unseal(key.key, 'place', around.subarray(10, 10 + sealed.length)).toString(), 'plain');
  });

  it('a sealed value does not open in another place', () => {
    fc.assert(
      fc.property(bytes(), fc.string(), fc.string(), (plain, here, there) => {
        fc.pre(here !== there);
        const sealed = seal(key, here, plain);
        assert.throws(() => unseal(key.key, there, sealed));
      }),
    );
  });

  it('a sealed value does not open with another key', () => {
    const sealed = seal(key, 'place', Buffer.from('plain'));
    assert.throws(() => unseal(newKey(), 'place', sealed));
  });

  it('a sealed value does not open if any bit of any byte was changed: format, version, nonce, tag or text', () => {
    const sealed = seal(key, 'place', Buffer.from('sixteen bytes ok'));
    for (let at = 0; at < sealed.length; at++) {
      for (let bit = 0; bit < 8; bit++) {
        const flipped = Uint8Array.from(sealed);
        flipped[at] = (flipped[at] as number) ^ (1 << bit);
        assert.throws(() => unseal(key.key, 'place', flipped), `byte ${at}, bit ${bit}`);
      }
    }
  });

  it('a sealed value does not open if it was cut or extended anywhere', () => {
    const sealed = seal(key, 'place', Buffer.from('plain'));
    for (let length = 0; length < sealed.length; length++) {
      assert.throws(() => unseal(key.key, 'place', sealed.subarray(0, length)), `${length} bytes`);
    }
    assert.throws(() => unseal(key.key, 'place', Buffer.concat([sealed, Buffer.alloc(1)])));
  });

  it('a sealed value differs each time, and does not show its content', () => {
    const plain = Buffer.from('the same words in every one');
    const sealedValues = Array.from({ length: 1000 }, () => Buffer.from(seal(key, 'place', plain)));
    assert.equal(new Set(sealedValues.map((each) => each.toString('hex'))).size, 1000);
    assert.equal(new Set(sealedValues.map((each) => each.subarray(5, 17).toString('hex'))).size, 1000);
    for (const each of sealedValues) assert.ok(!each.includes('same words'));
  });

  it('a sealed value contains the version of its key, up to the largest number', () => {
    for (const version of [1, 7, 2 ** 32 - 1]) {
      assert.equal(sealedBy(seal({ version, key: key.key }, 'place', new Uint8Array(0))), version);
    }
    assert.throws(() => sealedBy(new Uint8Array(OVERHEAD - 1).fill(1)), /not a sealed value/);
    assert.throws(() => sealedBy(new Uint8Array(OVERHEAD)), /not a sealed value/);
  });
});

describe('the place of a sealed value', () => {
  it('the place of a sealed value is never equal to another, whatever its parts contain', () => {
    const parts = fc.array(fc.oneof(fc.string(), fc.nat()), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(parts, parts, (one, other) => {
        assert.equal(contextOf(...one) === contextOf(...other), JSON.stringify(one) === JSON.stringify(other));
      }),
    );
    assert.notEqual(contextOf('a', 'b,c'), contextOf('a,b', 'c'));
    assert.notEqual(contextOf('a","b'), contextOf('a', 'b'));
  });
});

describe('the length of a key', () => {
  it('a key must have 32 bytes, and is otherwise refused without being shown', () => {
    assert.equal(newKey().export().length, KEY_BYTES);
    for (const length of [0, 16, 31, 33]) {
      assert.throws(() => keyFrom(Buffer.alloc(length, 'K')), new RegExp(`^Error: a key has 32 bytes, not ${length}$`));
    }
  });
});
