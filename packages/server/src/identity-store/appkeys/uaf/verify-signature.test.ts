import assert from 'node:assert/strict';
import { generateKeyPairSync, sign } from 'node:crypto';
import { describe, it } from 'node:test';
import { Malformed } from './malformed.ts';
import { KEY, SIGN } from './registry.ts';
import { isSignedBy, keyOf, toSpki } from './verify-signature.ts';

const EC = SIGN.SECP256R1_ECDSA_SHA256_RAW;
const data = Buffer.from('what is signed');

describe('keys and signatures of the UAF registry', () => {
  const p256 = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const spki = p256.publicKey.export({ type: 'spki', format: 'der' });

  it('a malformed UAF key is refused', () => {
    const p384 = generateKeyPairSync('ec', { namedCurve: 'P-384' }).publicKey.export({ type: 'spki', format: 'der' });
    const k256 = generateKeyPairSync('ec', { namedCurve: 'secp256k1' }).publicKey.export({
      type: 'spki',
      format: 'der',
    });
    const small = generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey;
    const smallPkcs1 = small.export({ type: 'pkcs1', format: 'der' });
    const offCurve = Buffer.concat([Buffer.of(4), Buffer.alloc(64, 7)]);
    const compressed = Buffer.concat([Buffer.of(2), spki.subarray(-64, -32)]);
    for (const [algorithm, encoding, bytes] of [
      [EC, KEY.ECC_X962_RAW, offCurve],
      [EC, KEY.ECC_X962_RAW, compressed],
      [EC, KEY.ECC_X962_RAW, spki],
      [EC, KEY.ECC_X962_DER, p384],
      [EC, KEY.ECC_X962_DER, k256],
      [SIGN.SECP256K1_ECDSA_SHA256_RAW, KEY.ECC_X962_DER, spki],
      [SIGN.SECP256K1_ECDSA_SHA256_RAW, KEY.ECC_X962_RAW, spki.subarray(-65)],
      [EC, KEY.ECC_X962_DER, Buffer.concat([spki, Buffer.of(0)])],
      [EC, KEY.ECC_X962_DER, Buffer.alloc(0)],
      [EC, 0x104, spki],
      [0x07, KEY.ECC_X962_DER, spki],
      [SIGN.RSASSA_PSS_SHA256_RAW, KEY.ECC_X962_DER, spki],
      [SIGN.RSASSA_PSS_SHA256_RAW, KEY.RSA_2048_DER, smallPkcs1],
      [SIGN.RSASSA_PSS_SHA256_RAW, KEY.RSA_2048_DER, spki],
      [SIGN.RSASSA_PSS_SHA256_RAW, KEY.RSA_2048_RAW, Buffer.alloc(256, 0xff)],
      [SIGN.RSASSA_PSS_SHA256_RAW, KEY.RSA_2048_RAW, Buffer.concat([Buffer.alloc(256, 0xff), Buffer.of(1)])],
      [SIGN.RSASSA_PSS_SHA256_RAW, KEY.RSA_2048_RAW, Buffer.concat([Buffer.alloc(256, 0xff), Buffer.of(1, 0, 0)])],
    ] as const) {
      assert.throws(
        () => toSpki(algorithm, encoding, bytes),
        Malformed,
        `${encoding} ${bytes.toString('hex').slice(0, 20)}`,
      );
    }
    assert.deepEqual(toSpki(EC, KEY.ECC_X962_DER, spki), spki);
  });

  it('UAF keys on secp256k1 are read plain and in DER, and their signatures are valid in both encodings', () => {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'secp256k1' });
    const der = publicKey.export({ type: 'spki', format: 'der' });
    const K = { raw: SIGN.SECP256K1_ECDSA_SHA256_RAW, der: SIGN.SECP256K1_ECDSA_SHA256_DER };
    assert.deepEqual(toSpki(K.raw, KEY.ECC_X962_RAW, der.subarray(-65)), der);
    assert.deepEqual(toSpki(K.der, KEY.ECC_X962_DER, der), der);
    const good = (signAlgorithm: number, dsaEncoding: 'ieee-p1363' | 'der') =>
      isSignedBy(keyOf(der), {
        signAlgorithm,
        data,
        signature: sign('sha256', data, { key: privateKey, dsaEncoding }),
      });
    assert.ok(good(K.raw, 'ieee-p1363') && good(K.der, 'der'));
    assert.ok(!good(K.raw, 'der') && !good(SIGN.SECP256R1_ECDSA_SHA256_RAW, 'ieee-p1363'));
  });

  it('a UAF signature is valid only in its own encoding', () => {
    const key = keyOf(spki);
    const raw = sign('sha256', data, { key: p256.privateKey, dsaEncoding: 'ieee-p1363' });
    const der = sign('sha256', data, { key: p256.privateKey, dsaEncoding: 'der' });
    const good = (signAlgorithm: number, signature: Buffer) => isSignedBy(key, { signAlgorithm, data, signature });
    assert.ok(good(SIGN.SECP256R1_ECDSA_SHA256_RAW, raw));
    assert.ok(good(SIGN.SECP256R1_ECDSA_SHA256_DER, der));
    assert.ok(!good(SIGN.SECP256R1_ECDSA_SHA256_RAW, der));
    assert.ok(!good(SIGN.SECP256R1_ECDSA_SHA256_DER, raw));
    assert.ok(!good(SIGN.SECP256R1_ECDSA_SHA256_RAW, Buffer.concat([raw, Buffer.of(0)])));
    assert.ok(!good(SIGN.SECP256R1_ECDSA_SHA256_DER, Buffer.concat([der, Buffer.of(0)])));
    assert.ok(!good(SIGN.SECP256R1_ECDSA_SHA256_RAW, Buffer.alloc(64)));
    assert.ok(!good(SIGN.RSASSA_PSS_SHA256_RAW, raw));
    assert.ok(!good(0x99, raw));
  });
});
