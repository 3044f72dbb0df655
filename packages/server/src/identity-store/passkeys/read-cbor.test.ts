import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { type Cbor, writeCbor } from '../../../test/authenticator/write-cbor.ts';
import { Malformed } from './malformed.ts';
import { readCbor, readWholeCbor } from './read-cbor.ts';

const read = (hex: string) => readWholeCbor(Buffer.from(hex, 'hex'), 'it');

describe('the reader of CBOR', () => {
  it('the reader of CBOR reads the output of an authenticator, and returns where it ends', () => {
    const value = new Map<string, Cbor>([
      ['numbers', [0, 23, 24, 255, 256, 65535, 65536, 2 ** 32 - 1, -1, -257]],
      ['bytes', Buffer.alloc(300, 7)],
      ['text', 'é'],
      ['words', [true, false, null]],
    ]);
    const bytes = writeCbor(value);
    assert.deepEqual(readCbor(Buffer.concat([bytes, Buffer.of(1)])), { value, end: bytes.length });
  });

  it('the reader of CBOR refuses a second spelling of a value, and types that WebAuthn never uses', () => {
    const wrong = {
      'a number that is not in its shortest form': ['1817', '1900ff', '1a0000ffff', '5801ff'],
      'a number of eight bytes': ['1b0000000100000000'],
      'an indefinite length': ['5fff', '7fff', '9fff', 'bfff'],
      'a tag': ['c001'],
      'a float, undefined, another simple value': ['f90000', 'fb0000000000000000', 'f7', 'f0'],
      'a member twice': ['a201010102', 'a2616101616102'],
      'a key that is a list or bytes': ['a18001', 'a1410101'],
      'a text that is not UTF-8': ['61ff'],
      'an end that comes too early': ['', '18', '41', '8201', 'a101', '5a7fffffff', '9a00000040'],
      'bytes left over': ['0101'],
      'too many members': ['9a7fffffff', `98${'41'}${'01'.repeat(65)}`, 'ba7fffffff'],
      'too much depth': [`${'81'.repeat(20)}01`],
    };
    for (const [what, texts] of Object.entries(wrong)) {
      for (const hex of texts) assert.throws(() => read(hex), Malformed, `${what}: ${hex}`);
    }
  });

  it('the reader of CBOR returns a value or throws Malformed, whatever the bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
        try {
          readCbor(Buffer.from(bytes));
        } catch (error) {
          assert.ok(error instanceof Malformed, String(error));
        }
      }),
      { numRuns: 2000 },
    );
  });
});
