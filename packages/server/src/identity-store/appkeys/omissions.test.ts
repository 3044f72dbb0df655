import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { testPlaces } from '../../../test/harness.ts';
import { openTestIdentity, type TestIdentity } from '../../../test/identity.ts';
import { type Faults, uafAuthenticator } from '../../../test/uaf/authenticator.ts';
import { certificate } from '../../../test/uaf/certificates.ts';
import {
  type Holder,
  openRelyingParty,
  ownChallenge,
  type RelyingParty,
  refuses,
} from '../../../test/uaf/relying-party.ts';
import { type TlvEntry, tlv, uint32 } from '../../../test/uaf/tlv.ts';
import { SIGN, TAG } from './uaf/registry.ts';

/**
 * A reference server of UAF, from which many others were derived, omits these ten checks. Each omission allows an
 * attack, which is tried here.
 */
describe('checks that a well-known UAF server omits', () => {
  const places = testPlaces();
  let grove: TestIdentity;
  let party: RelyingParty;
  let holder: Holder;
  before(async () => {
    grove = await openTestIdentity(await places.create());
    party = await openRelyingParty(grove, 'Bank');
    holder = await party.holder();
  });
  after(() => grove.stop());

  const refusedFor = async (faults: Faults, code: number) => {
    // A success in between resets the failures, so that no lock answers instead.
    assert.equal((await party.authenticate(holder)).status, 200);
    refuses(await party.authenticate(holder, faults), code);
  };
  const otherEntry = (tag: number, value: Buffer) => (entries: TlvEntry[]) =>
    entries.map((entry): TlvEntry => (entry[0] === tag ? [tag, value] : entry));

  it('1: the client data of an appkey is hashed and compared with what was signed', async () => {
    await refusedFor({ entries: otherEntry(TAG.FINAL_CHALLENGE_HASH, randomBytes(32)) }, 100112);
    // The signature is for one relying party, and the client data of another is sent with it.
    const { sessionId, uafProtocolMessage } = await party.start(holder.user, 'authentications');
    const good = JSON.parse(holder.authenticator.authenticate(uafProtocolMessage).uafProtocolMessage);
    const words = JSON.parse(Buffer.from(good[0].fcParams, 'base64url').toString());
    good[0].fcParams = Buffer.from(JSON.stringify({ ...words, channelBinding: { tlsUnique: 'x' } })).toString(
      'base64url',
    );
    refuses(await party.complete(sessionId, { response: { uafProtocolMessage: JSON.stringify(good) } }), 100112);
  });

  it('2: the relying party in the client data of an appkey is compared', () =>
    refusedFor({ final: { appID: 'https://other.example' } }, 100112));

  it('3: the application that used the authenticator of an appkey must be trusted', () =>
    refusedFor({ final: { facetID: 'android:apk-key-hash:AAAAAAAAAAAAAAAAAAAAAAAAAAA' } }, 1026));

  it('4: the challenge of an appkey must be the issued one, and a response works once', async () => {
    await refusedFor({ final: { challenge: ownChallenge() } }, 1029);
    const { sessionId, uafProtocolMessage } = await party.start(holder.user, 'authentications');
    const response = holder.authenticator.authenticate(uafProtocolMessage);
    assert.equal((await party.complete(sessionId, { response })).status, 200);
    assert.equal((await party.complete(sessionId, { response })).body.code, 100035);
  });

  it('5: the algorithm of an appkey comes from the registration, not from the assertion', () =>
    refusedFor({ signAlgorithm: SIGN.SECP256R1_ECDSA_SHA256_DER }, 100112));

  it('6: the counter of an appkey must advance, and only a signed counter is used', async () => {
    await refusedFor({ counter: 1 }, 1061);
    await refusedFor({ counter: 1_000_000, signature: () => randomBytes(64) }, 100112);
    assert.equal((await party.authenticate(holder)).status, 200);
  });

  it('7: the transaction that an appkey signed must be the requested one', async () => {
    const content = Buffer.from('Pay 1 euro').toString('base64url');
    const body = { transaction: { contentType: 'text/plain', content } };
    refuses(await party.authenticate(holder, { transactionHash: randomBytes(32) }, body), 100113);
    assert.equal((await party.authenticate(holder, {}, body)).status, 200);
  });

  it('8: a registration of an appkey whose attestation fails stores no key', async () => {
    const user = await party.user();
    refuses(await party.register(user, uafAuthenticator(), {}, { signature: () => randomBytes(64) }), 100114);
    const own = certificate({ name: 'Nobody' });
    const attestation = { certificates: [own.certificate], key: own.key };
    refuses(await party.register(user, uafAuthenticator({ attestation })), 100114);
    assert.equal((await grove.send('GET', party.ofUser(user, '/keys'))).body.totalElements, 0);
  });

  it('9: the values of an appkey are read only inside of the signed data, once each, without additional bytes', async () => {
    const thief = await party.holder();
    const mine: TlvEntry = [TAG.KEYID, Buffer.from(holder.authenticator.keyId, 'base64url')];
    const counters: TlvEntry = [TAG.COUNTERS, uint32(9999)];
    const unknown: TlvEntry = [0x2eff, Buffer.from('x')];
    const cases: Faults[] = [
      { entries: (entries) => [...entries, mine] },
      { entries: (entries) => entries.slice(0, -1) },
      { entries: (entries) => [...entries, unknown] },
      { entries: (entries) => [...entries, [TAG.EXTENSION, tlv(TAG.EXTENSION_ID, Buffer.from('x'))]] },
      { beside: (entries) => [...entries, mine] },
      { beside: (entries) => [counters, ...entries] },
      { bytes: (assertion) => Buffer.concat([assertion, tlv(...mine)]) },
      { bytes: (assertion) => assertion.subarray(0, -1) },
    ];
    for (const faults of cases) refuses(await party.authenticate(thief, faults), 1091);
  });

  it('10: an appkey needs one response with one assertion of the known scheme, an active user and an active key', async () => {
    const spare = await party.holder();
    const twice = { response: { assertions: [{}, {}] } };
    refuses(await party.authenticate(spare, twice), 1091);
    refuses(await party.authenticate(spare, { assertionMembers: { assertionScheme: undefined } }), 1091);
    refuses(await party.authenticate(spare, { list: (one) => [one, one] }), 1093);
    const open = await party.start(spare.user, 'authentications');
    await grove.send('POST', `${party.store}/users/${spare.user.id}`, { status: 'DISABLED' });
    const response = spare.authenticator.authenticate(open.uafProtocolMessage);
    refuses(await party.complete(open.sessionId, { response }), 502);
  });
});
