import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { TEST_SEED } from '../../../../../../scripts/test-seed.ts';
import { ownRequest, uafAuthenticator } from '../../../../test/uaf/authenticator.ts';
import { tlv } from '../../../../test/uaf/tlv.ts';
import { Malformed } from './malformed.ts';
import { readAuthenticationAssertion, readRegistrationAssertion } from './read-assertion.ts';
import { readResponse } from './read-response.ts';
import { MAX_ENTRIES, type Rules, readTlv } from './read-tlv.ts';

const A = 0x2e01;
const B = 0x2e02;
const rules: Rules = new Map([
  [A, { least: 1, most: 1, minBytes: 1, maxBytes: 4 }],
  [B, { least: 0, most: 100, maxBytes: 300 }],
]);
const read = (bytes: Buffer) => readTlv(bytes, rules, 'the test');
const refuses = (bytes: Buffer, message: RegExp) =>
  assert.throws(
    () => read(bytes),
    (error) => error instanceof Malformed && message.test(error.message),
  );

describe('the reader of TLV', () => {
  it('the reader of TLV returns the value of each entry, and its whole bytes as they were signed', () => {
    const bytes = Buffer.concat([tlv(B, Buffer.from('b')), tlv(A, Buffer.from('abc')), tlv(B)]);
    const entries = read(bytes);
    assert.equal(entries.one(A).value.toString(), 'abc');
    assert.deepEqual(entries.one(A).whole, tlv(A, Buffer.from('abc')));
    assert.deepEqual(
      entries.all(B).map(({ value }) => value.toString()),
      ['b', ''],
    );
  });

  it('the reader of TLV reads tags and lengths as little endian', () => {
    const long = Buffer.alloc(258, 1);
    const bytes = Buffer.concat([Buffer.of(0x02, 0x2e, 0x02, 0x01), long, tlv(A, Buffer.of(1))]);
    assert.equal(read(bytes).one(B).value.length, 258);
  });

  it('the reader of TLV refuses entries that are truncated, unknown, missing, repeated, too short or too long, and trailing bytes', () => {
    const good = tlv(A, Buffer.from('abc'));
    for (let length = 1; length < good.length; length++) refuses(good.subarray(0, length), /ends inside|longer than/);
    refuses(Buffer.concat([good, Buffer.of(0)]), /ends inside/);
    refuses(Buffer.concat([good, tlv(0x2e03)]), /does not belong/);
    refuses(Buffer.alloc(0), /has no 0x2E01/);
    refuses(Buffer.concat([good, good]), /more than 1 times/);
    refuses(tlv(A), /1 to 4 bytes/);
    refuses(tlv(A, Buffer.alloc(5)), /1 to 4 bytes/);
    refuses(Buffer.concat(Array.from({ length: MAX_ENTRIES + 1 }, () => tlv(B))), /more than 64 entries/);
  });
});

/** `GROVE_FUZZ_RUNS=100000` makes more runs. */
describe('UAF messages of careless or hostile clients', () => {
  const runs = { numRuns: Number(process.env.GROVE_FUZZ_RUNS ?? 2000), seed: TEST_SEED };
  const request = ownRequest('Auth', 'AAAA', 'https://bank.example');
  const authenticator = uafAuthenticator();
  const registration = assertionOf(authenticator.register(ownRequest('Reg', 'AAAA')));
  const authentication = assertionOf(authenticator.authenticate(request));
  const message = authenticator.authenticate(request).uafProtocolMessage;

  /** The input is either read or refused with the one error, and every value lies within the input. */
  const takenOrRefused = (bytes: Buffer) => {
    // The input is inside a larger buffer, so that a read beyond its end would show in the values.
    const guarded = Buffer.concat([Buffer.alloc(64, 0xaa), bytes, Buffer.alloc(64, 0xaa)]).subarray(
      64,
      64 + bytes.length,
    );
    for (const reader of [readRegistrationAssertion, readAuthenticationAssertion]) {
      try {
        const { keyId, signed, signature } = reader(guarded);
        for (const part of [keyId, signed, signature]) {
          assert.ok(part.byteOffset >= guarded.byteOffset);
          assert.ok(part.byteOffset + part.length <= guarded.byteOffset + guarded.length);
          assert.ok(bytes.includes(part));
        }
      } catch (error) {
        assert.ok(error instanceof Malformed, String((error as Error).stack));
      }
    }
  };
  const messageTakenOrRefused = (response: Record<string, unknown>) => {
    try {
      const read = readResponse(response);
      assert.ok(['NONE', 'SEVERAL', 'RESPONSE'].includes(read.kind));
    } catch (error) {
      assert.ok(error instanceof Malformed, String((error as Error).stack));
    }
  };

  it('a UAF message is read if it is valid', () => {
    assert.equal(readRegistrationAssertion(registration).aaid, '4E4E#4001');
    assert.equal(readAuthenticationAssertion(authentication).keyId.toString('base64url'), authenticator.keyId);
    assert.equal(readResponse({ uafProtocolMessage: message }).kind, 'RESPONSE');
  });

  it(`a UAF message is read or refused and never anything else: assertions with bytes changed or cut (seed ${runs.seed})`, () => {
    const change = fc.record({ at: fc.double({ min: 0, max: 1, noNaN: true }), byte: fc.nat(255) });
    const cut = fc.option(fc.double({ min: 0, max: 1, noNaN: true }));
    fc.assert(
      fc.property(
        fc.constantFrom(registration, authentication),
        fc.array(change, { maxLength: 6 }),
        cut,
        (sound, changes, end) => {
          const bytes = Buffer.from(sound);
          for (const { at, byte } of changes) bytes[Math.floor(at * (bytes.length - 1))] = byte;
          takenOrRefused(end === null ? bytes : bytes.subarray(0, Math.floor(end * bytes.length)));
        },
      ),
      runs,
    );
  });

  it(`a UAF message is read or refused and never anything else: trees of entries (seed ${runs.seed})`, () => {
    const tag = fc.oneof(
      fc.integer({ min: 0x2e01, max: 0x2e14 }),
      fc.integer({ min: 0x3e01, max: 0x3e12 }),
      fc.nat(65_535),
    );
    const tree = fc.letrec<{ node: Buffer }>((tie) => ({
      node: fc.oneof(
        { maxDepth: 4 },
        fc.tuple(tag, fc.uint8Array({ maxLength: 70 })).map(([which, bytes]) => tlv(which, Buffer.from(bytes))),
        fc.tuple(tag, fc.array(tie('node'), { maxLength: 8 })).map(([which, nodes]) => tlv(which, ...nodes)),
      ),
    })).node;
    fc.assert(fc.property(tree, takenOrRefused), runs);
  });

  it(`a UAF message is read or refused and never anything else: any bytes (seed ${runs.seed})`, () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => takenOrRefused(Buffer.from(bytes))),
      runs,
    );
  });

  it(`a UAF message is read or refused and never anything else: messages with members exchanged (seed ${runs.seed})`, () => {
    const [sound] = JSON.parse(message);
    const names = [
      'header',
      'fcParams',
      'assertions',
      'upv',
      'op',
      'appID',
      'assertionScheme',
      'assertion',
      '__proto__',
    ];
    const member = fc.tuple(fc.constantFrom(...names), fc.jsonValue());
    fc.assert(
      fc.property(fc.array(member, { maxLength: 5 }), fc.boolean(), fc.nat(3), (members, inHeader, copies) => {
        const changed = structuredClone(sound);
        for (const [name, value] of members) Object.assign(inHeader ? changed.header : changed, { [name]: value });
        messageTakenOrRefused({ uafProtocolMessage: JSON.stringify(Array(copies).fill(changed)) });
      }),
      runs,
    );
  });

  it('a UAF message is refused if a member of fcParams, or of the message, appears twice: the hash covers both, and a reader sees one', () => {
    const [sound] = JSON.parse(message);
    const final = Buffer.from(sound.fcParams, 'base64url').toString();
    const doubled = Buffer.from(final.replace('{', '{"challenge":"AAAA",')).toString('base64url');
    assert.equal(readResponse({ uafProtocolMessage: message }).kind, 'RESPONSE');
    for (const uafProtocolMessage of [
      JSON.stringify([{ ...sound, fcParams: doubled }]),
      message.replace('{', '{"fcParams":"AAAA",'),
    ]) {
      assert.throws(() => readResponse({ uafProtocolMessage }), /is given twice/);
    }
  });

  it(`a UAF message is read or refused and never anything else: any JSON and any text, outside and in fcParams (seed ${runs.seed})`, () => {
    const [sound] = JSON.parse(message);
    const text = fc.oneof(fc.json(), fc.string({ unit: 'binary' }));
    fc.assert(
      fc.property(text, fc.jsonValue(), (anything, value) => {
        messageTakenOrRefused({ uafProtocolMessage: anything });
        messageTakenOrRefused({ uafProtocolMessage: value });
        messageTakenOrRefused(Object(value) as Record<string, unknown>);
        const fcParams = Buffer.from(anything).toString('base64url');
        messageTakenOrRefused({ uafProtocolMessage: JSON.stringify([{ ...sound, fcParams }]) });
      }),
      runs,
    );
  });
});

function assertionOf({ uafProtocolMessage }: { uafProtocolMessage: string }): Buffer {
  return Buffer.from(JSON.parse(uafProtocolMessage)[0].assertions[0].assertion, 'base64url');
}
