import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { packed, tpm } from '../../../../test/authenticator/attest.ts';
import { type AuthenticatorOptions, authenticator } from '../../../../test/authenticator/authenticator.ts';
import { authority } from '../../../../test/authenticator/authority.ts';
import { entryOf, metadataService } from '../../../../test/authenticator/metadata.ts';
import { assertRefused, type RelyingParty, relyingParty } from '../../../../test/authenticator/relying-party.ts';
import { openTestApp, type TestApp, testPlaces } from '../../../../test/harness.ts';

const uuid = (byte: number) =>
  Buffer.alloc(16, byte)
    .toString('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');

describe('a server with the metadata of FIDO in a file', () => {
  const places = testPlaces();
  const folder = mkdtempSync(join(tmpdir(), 'grove-metadata-'));
  const maker = authority();
  const service = metadataService();
  let grove: TestApp;
  let rp: RelyingParty;
  before(async () => {
    const [blob, root] = [join(folder, 'blob.jwt'), join(folder, 'root.pem')];
    const entries = [
      entryOf(uuid(1), [maker.rootDer]),
      entryOf(uuid(2), [maker.rootDer], { status: 'REVOKED', effectiveDate: '2026-01-01' }),
    ];
    writeFileSync(blob, service.blob({ no: 3, entries }));
    writeFileSync(root, service.root);
    const environment = { GROVE_FIDO_MDS: blob, GROVE_FIDO_MDS_ROOT: root };
    grove = await openTestApp(await places.create(), { environment });
    const attested = { attestation: 'direct', metadata: 'required' };
    const registrationPolicies = { attested, windows: { ...attested, sha1InTpm: true } };
    rp = await relyingParty(grove, { config: { registrationPolicies } });
  });
  after(async () => {
    await grove.stop();
    rmSync(folder, { recursive: true });
  });

  const register = async (options: Partial<AuthenticatorOptions>, policy = 'attested') => {
    const { id } = await rp.user();
    const { body } = await rp.startRegistration(id, {}, policy);
    const device = authenticator({ origin: rp.origin, format: 'packed', attests: packed(maker), ...options });
    const done = await rp.completeRegistration(body.sessionId, { credential: device.create(body.publicKey) });
    return { done, device, id };
  };

  it('a server with the metadata of FIDO in a file registers a model that FIDO knows, without a root in the configuration, and the passkey logs in', async () => {
    const { done, device, id } = await register({ aaguid: Buffer.alloc(16, 1) });
    assert.equal(done.status, 200, done.text);
    const audit = await rp.call('GET', `/users/${id}/passkeys/${done.body.passkey.id}/registrationAudit`);
    assert.deepEqual([audit.body.attestationTrust, audit.body.aaguid], ['trusted', uuid(1)]);
    assert.equal((await rp.login(device, id)).status, 200);
  });

  it('a server with the metadata of FIDO in a file registers Windows Hello, whose TPM signs with SHA-1, if the policy allows it, and otherwise refuses it with 100093', async () => {
    const hello = {
      format: 'tpm',
      attests: tpm(maker, { windows: true }),
      alg: -257,
      aaguid: Buffer.alloc(16, 1),
    } as const;
    assert.equal((await register(hello, 'windows')).done.status, 200);
    const { done } = await register(hello);
    assertRefused(done, 100093);
    assert.match(done.body.message, /sha1InTpm/);
  });

  it('a server with the metadata of FIDO in a file refuses with 100093 a revoked model, an unknown one, and one of another maker', async () => {
    const revoked = (await register({ aaguid: Buffer.alloc(16, 2) })).done;
    assertRefused(revoked, 100093);
    assert.match(revoked.body.message, /REVOKED/);
    assertRefused((await register({ aaguid: Buffer.alloc(16, 3) })).done, 100093);
    assertRefused((await register({ aaguid: Buffer.alloc(16, 1), attests: packed(authority()) })).done, 100093);
  });

  it('a server with the metadata of FIDO in a file accepts a policy with metadata only if the policy trusts attestations', async () => {
    const registrationPolicies = { wrong: { attestation: 'direct', attestationTrust: 'self', metadata: 'used' } };
    const answer = await rp.post('/passkeyConfig', { rpId: 'example.net', registrationPolicies });
    assertRefused(answer, 100001);
    assert.equal(answer.body.errors[0].pointer, '/registrationPolicies/wrong/metadata');
  });
});
