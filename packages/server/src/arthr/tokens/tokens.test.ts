import assert from 'node:assert/strict';
import { createHmac, createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { openTestApp, type TestApp, testPlaces } from '../../../test/harness.ts';
import { HOUR, SECOND } from '../../kernel/clock.ts';
import { newId } from '../../kernel/ids.ts';
import { addSigningKey } from './signing-keys.repository.ts';
import { readTokenHeader, verifyToken } from './verify-token.ts';

describe('bearer tokens', () => {
  const places = testPlaces();
  let grove: TestApp;
  let good: string;
  let header: Record<string, unknown>;
  let claims: Record<string, unknown>;
  before(async () => {
    grove = await openTestApp(await places.create());
    good = await grove.token();
    [header, claims] = good.split('.').slice(0, 2).map(decode) as [typeof header, typeof claims];
  });
  after(() => grove.stop());

  const signed = (
    head: object | string,
    body: object | string,
    key: KeyObject = grove.app.signing.current().privateKey,
  ) => {
    const text = `${encode(head)}.${encode(body)}`;
    return `${text}.${sign(null, Buffer.from(text), key).toString('base64url')}`;
  };
  const refusal = async (token: string) => {
    const { status, body, headers } = await grove.call('/api/arthr/apiKeys', { token });
    assert.equal(status, 401, JSON.stringify(body));
    assert.match(headers.get('www-authenticate') ?? '', /^Bearer/);
    assert.ok(!JSON.stringify(body).includes(token.slice(0, 40)) || token.length < 40);
    return body.code;
  };
  const with_ = (change: object) => signed(header, { ...claims, ...change });
  const without = (name: string) =>
    signed(header, Object.fromEntries(Object.entries(claims).filter(([key]) => key !== name)));
  const now = () => Math.floor(grove.clock.now() / 1000);
  /** Adds a signing key of another server, and returns a token that this key signed. */
  const newKey = (at: number) => {
    const kid = newId(at);
    const pair = generateKeyPairSync('ed25519');
    const token = signed({ ...header, kid }, { ...claims, iat: now(), nbf: now(), exp: now() + 60 }, pair.privateKey);
    return { kid, publicKey: JSON.stringify(pair.publicKey.export({ format: 'jwk' })), token };
  };

  it('a token carries the documented claims, and its ttl is in seconds', () => {
    assert.deepEqual(header, { alg: 'EdDSA', typ: 'at+jwt', kid: grove.app.signing.current().kid });
    const { iat, jti, sub, ...rest } = claims;
    assert.match(String(jti), /^[0-9A-Z]{26}$/);
    assert.equal(sub, grove.apiKey.split('_')[2]);
    assert.deepEqual(rest, {
      iss: `http://acme.fir.localhost:${new URL(grove.baseUrl).port}`,
      aud: 'grove',
      nbf: iat,
      exp: Number(iat) + 3600,
      tenantId: 'acme',
      permissions: ['TNT#acme#*'],
    });
  });

  it('a bearer token verifies with the key that /.well-known/jwks.json publishes', async () => {
    const { body, headers } = await grove.call('/.well-known/jwks.json', { token: null });
    assert.equal(headers.get('access-control-allow-origin'), '*', 'a page may verify a receipt by itself');
    assert.deepEqual(Object.keys(body.keys[0]).sort(), ['alg', 'crv', 'kid', 'kty', 'use', 'x']);
    const publicKey = createPublicKey({ key: body.keys[0], format: 'jwk' });
    const issuerOf = () => String(claims.iss);
    assert.equal(verifyToken(readTokenHeader(good), { publicKey, nowMs: grove.clock.now(), issuerOf }).sub, claims.sub);
  });

  it('220: a token is refused if its header or body is not JSON', async () => {
    assert.equal(await refusal(signed('not json', claims)), 220);
    assert.equal(await refusal(signed(header, 'not json')), 220);
    assert.equal(await refusal(signed('[]', claims)), 220);
    assert.equal(await refusal(`${good.split('.')[0]}A.${good.split('.').slice(1).join('.')}`), 220);
  });
  it('220: a token is refused if a member appears twice, because another reader might use the other value', async () => {
    const twice = (whole: object, name: string) =>
      JSON.stringify(whole).replace('{', `{${JSON.stringify(name)}:"first",`);
    assert.equal(await refusal(signed(twice(header, 'alg'), claims)), 220);
    assert.equal(await refusal(signed(header, twice(claims, 'tenantId'))), 220);
  });
  it('221: a token without a header is refused', async () => assert.equal(await refusal('.e30.AA'), 221));
  it('222: a token without a kid in its header is refused', async () =>
    assert.equal(await refusal(signed({ alg: 'EdDSA', typ: 'at+jwt' }, claims)), 222));
  it('223: a token without an alg in its header is refused', async () =>
    assert.equal(await refusal(signed({ kid: header.kid, typ: 'at+jwt' }, claims)), 223));
  it('224: a token without a body is refused', async () =>
    assert.equal(await refusal(`${good.split('.')[0]}..AA`), 224));
  it('225: a token of another issuer is refused', async () => {
    assert.equal(await refusal(with_({ iss: 'https://evil.example' })), 225);
    assert.equal(await refusal(with_({ tenantId: 'other' })), 225);
  });
  it('226: a token is refused if its key belongs to another tenant, or the host names another tenant', async () => {
    const other = await grove.app.tenants.create({ id: 'beta' });
    const iss = String(claims.iss).replace('acme', 'beta');
    assert.equal(await refusal(with_({ tenantId: 'beta', iss })), 226);
    const { port } = new URL(grove.baseUrl);
    const call = (host: string, apiKey?: string) =>
      rawStatus(grove.baseUrl, host, apiKey ? { 'x-api-key': apiKey } : { authorization: `Bearer ${good}` });
    assert.deepEqual(await call(`beta.fir.localhost:${port}`), { status: 401, code: 226 });
    assert.deepEqual(await call(`beta.fir.localhost:${port}`, grove.apiKey), { status: 401, code: 226 });
    assert.equal((await call(`beta.fir.localhost:${port}`, other.apiKey)).status, 200);
    for (const host of [
      `acme.fir.localhost:${port}`,
      `ACME.FIR.LOCALHOST`,
      'localhost',
      '10.1.2.3',
      'idv.example.com',
    ]) {
      assert.equal((await call(host)).status, 200, host);
    }
  });
  it('100013: a token is refused with 421 at a host of another region', async () => {
    const headers = { host: 'acme.oak.localhost', authorization: `Bearer ${good}` };
    const answer = await grove.app.http.inject({ url: '/api/arthr/apiKeys', headers });
    assert.deepEqual([answer.statusCode, answer.json().code], [421, 100013]);
  });
  it('271: a token whose key was deleted is refused', async () => {
    const key = await grove.client.apiKeys.create({ body: { name: 'to be deleted', permissions: ['TNT#acme#*'] } });
    const token = await grove.token(key.code);
    assert.equal((await grove.call('/api/arthr/apiKeys', { token })).status, 200);
    await grove.client.apiKeys.delete({ apiKeyId: key.id as string });
    assert.equal(await refusal(token), 271);
  });
  it('274: a token that is not three parts of base64url is refused', async () => {
    for (const token of [
      'a',
      'a.b',
      'a.b.c.d',
      `${good}=`,
      `${good} x`,
      good.replace('.', '. '),
      `${good}!`,
      good.replaceAll('.', ','),
      'x'.repeat(9000),
    ]) {
      assert.equal(await refusal(token), 274, token.slice(0, 20));
    }
    // The last character of an Ed25519 signature has spare bits: a second spelling of the same bytes.
    const last = good.at(-1) as string;
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const twin = alphabet[alphabet.indexOf(last) ^ 1] as string;
    assert.equal(await refusal(good.slice(0, -1) + twin), 274);
  });
  it('275: a token with a claim of the wrong type is refused', async () => {
    for (const change of [
      { exp: '9999999999' },
      { permissions: 'TNT#acme#*' },
      { permissions: [1] },
      { sub: 1 },
      { iat: 1.5 },
      { tenantId: null },
    ]) {
      assert.equal(await refusal(with_(change)), 275);
    }
  });
  it('276: a token is refused if it is signed with another key, over other content, or with an unknown kid', async () => {
    const stranger = generateKeyPairSync('ed25519').privateKey;
    assert.equal(await refusal(signed(header, claims, stranger)), 276);
    const [head, , signature] = good.split('.');
    assert.equal(await refusal(`${head}.${encode({ ...claims, permissions: [] })}.${signature}`), 276);
    assert.equal(await refusal(`${head}.${encode(claims)}.`), 276);
    for (const kid of [
      '../../etc/passwd',
      "' OR 1=1 --",
      '__proto__',
      'constructor',
      '01M7EK55GPPBVSG5TAX910HKS7',
      '',
    ]) {
      assert.equal(await refusal(signed({ ...header, kid }, claims, stranger)), 276, kid);
    }
  });
  it('277: a token with any other algorithm is refused, even if its signature is correct, and with any other type', async () => {
    const { publicKey } = (await grove.app.signing.published())[0] as { publicKey: KeyObject };
    const secrets = [
      publicKey.export({ format: 'pem', type: 'spki' }),
      publicKey.export({ format: 'der', type: 'spki' }),
      Buffer.from(JSON.stringify(publicKey.export({ format: 'jwk' }))),
      Buffer.from(String(publicKey.export({ format: 'jwk' }).x), 'base64url'),
    ];
    for (const secret of secrets) {
      const text = `${encode({ ...header, alg: 'HS256' })}.${encode(claims)}`;
      assert.equal(await refusal(`${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`), 277);
    }
    for (const alg of ['none', 'None', 'NONE', '', 'ES256', 'RS256', 'eddsa', 7, null]) {
      assert.equal(await refusal(`${encode({ ...header, alg })}.${encode(claims)}.`), 277, String(alg));
    }
    assert.equal(await refusal(signed({ ...header, typ: 'JWT' }, claims)), 277);
    for (const more of [{ crit: ['exp'] }, { b64: false }, { zip: 'DEF' }, { x5u: 'https://evil.example' }]) {
      assert.equal(await refusal(signed({ ...header, ...more }, claims)), 277, JSON.stringify(more));
    }
    assert.equal(await refusal(signed({ ...header, kid: 7 }, claims)), 277);
    const jwk = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' });
    const stranger = createPrivateKey(
      generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' }),
    );
    assert.equal(await refusal(signed({ ...header, kid: 'x', jwk }, claims, stranger)), 277);
  });
  it('278: a token that is valid for longer than Grove issues any is refused', async () => {
    assert.equal(await refusal(with_({ exp: now() + 86_400 })), 278);
    assert.equal(await refusal(with_({ iat: now() + 50, exp: now() + 20 })), 278);
  });
  it('279: an expired token is refused, also one that was accepted before', async () => {
    assert.equal(await refusal(with_({ iat: now() - 3600, exp: now() })), 279);
    const token = await grove.token();
    assert.equal((await grove.call('/api/arthr/apiKeys', { token })).status, 200);
    grove.clock.advance(HOUR - SECOND);
    assert.equal((await grove.call('/api/arthr/apiKeys', { token })).status, 200);
    grove.clock.advance(SECOND);
    assert.equal(await refusal(token), 279);
    grove.clock.advance(-HOUR);
  });
  it('280: a token from the future is refused, beyond the minute by which clocks may differ', async () => {
    assert.equal(await refusal(with_({ nbf: now() + 61, iat: now(), exp: now() + 3600 })), 280);
    assert.equal(await refusal(with_({ iat: now() + 61, nbf: now(), exp: now() + 3600 })), 280);
    const { status } = await grove.call('/api/arthr/apiKeys', {
      token: with_({ nbf: now() + 59, iat: now(), exp: now() + 3600 }),
    });
    assert.equal(status, 200);
  });
  it('280: a token that was accepted before is refused, once the clock that issued it is corrected', async () => {
    const right = grove.clock.now();
    grove.clock.advance(24 * HOUR);
    const token = await grove.token();
    assert.equal((await grove.call('/api/arthr/apiKeys', { token })).status, 200);
    grove.clock.set(right);
    assert.equal(await refusal(token), 280);
  });
  it('281: a token for another audience is refused', async () =>
    assert.equal(await refusal(with_({ aud: 'journey' })), 281));
  it('282: a token that lacks a claim is refused', async () => {
    for (const name of Object.keys(claims)) assert.equal(await refusal(without(name)), 282, name);
  });
  it('100008: a call without a token is refused, and other authentication schemes', async () => {
    assert.deepEqual([(await grove.call('/api/arthr/apiKeys', { token: null })).body.code], [100008]);
    for (const authorization of ['Basic YTpi', 'Bearer', good, `Token ${good}`]) {
      const { status, body } = await grove.call('/api/arthr/apiKeys', { token: null, headers: { authorization } });
      assert.deepEqual([status, body.code], [401, 100008], authorization.slice(0, 10));
    }
    assert.equal(
      (await grove.call('/api/arthr/apiKeys', { token: null, headers: { authorization: `bearer   ${good}` } })).status,
      200,
    );
  });
  it('a new signing key of another server is accepted, although the clock was set back after the keys were last read', async () => {
    const right = grove.clock.now();
    grove.clock.advance(HOUR);
    await grove.app.signing.reload();
    grove.clock.set(right);
    const { kid, publicKey, token } = newKey(right);
    await grove.app.db.system.write((tx) => addSigningKey(tx, { kid, publicKey, now: right }));
    assert.equal((await grove.call('/api/arthr/apiKeys', { token })).status, 200);
  });
});

function encode(value: object | string): string {
  return Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');
}

function decode(segment: string | undefined): unknown {
  return JSON.parse(Buffer.from(segment ?? '', 'base64url').toString());
}

/** `fetch` sets the Host header itself; this function does not. */
async function rawStatus(baseUrl: string, host: string, headers: Record<string, string>) {
  const { request } = await import('node:http');
  const { port } = new URL(baseUrl);
  const path = headers['x-api-key'] ? '/api/arthr/apiKeys/issue' : '/api/arthr/apiKeys';
  const method = headers['x-api-key'] ? 'POST' : 'GET';
  return new Promise<{ status: number; code: number | undefined }>((resolve, reject) => {
    const outgoing = request({ host: '127.0.0.1', port, path, method, headers: { ...headers, host } }, (answer) => {
      let text = '';
      answer.on('data', (chunk) => {
        text += chunk;
      });
      answer.on('end', () =>
        resolve({
          status: answer.statusCode ?? 0,
          ...('code' in JSON.parse(text) ? { code: JSON.parse(text).code } : { code: undefined }),
        }),
      );
    });
    outgoing.on('error', reject);
    outgoing.end();
  });
}
