import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, beforeEach, describe, it } from 'node:test';
import { S3_KEY, S3_REGION, type S3Server, startS3 } from '../../../test/s3-server.ts';
import { newId } from '../../kernel/ids.ts';
import { type CredentialIssuer, temporaryCredentials } from './credentials.ts';
import { openS3 } from './s3.ts';

const HOUR_MS = 3_600_000;

describe('temporary credentials for a bucket', () => {
  const folder = mkdtempSync(join(tmpdir(), 'grove-credentials-'));
  const tokenFile = join(folder, 'token');
  let server: Server;
  let endpoint: string;
  let now = Date.parse('2026-01-01T00:00:00Z');
  let calls: { request: string; headers: IncomingMessage['headers']; body: string }[] = [];
  let answer: (path: string) => { status?: number; body: string };

  before(async () => {
    writeFileSync(tokenFile, 'the token of the pod\n');
    server = createServer(async (request, response) => {
      calls.push({ request: `${request.method} ${request.url}`, headers: request.headers, body: await text(request) });
      const { status = 200, body } = answer(request.url ?? '');
      response.writeHead(status).end(body);
    });
    await new Promise<void>((done) => void server.listen(0, '127.0.0.1', done));
    endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  beforeEach(() => {
    calls = [];
    answer = () => ({ body: JSON.stringify(keyUntil(now + HOUR_MS)) });
  });
  after(() => {
    server.close();
    rmSync(folder, { recursive: true });
  });

  const keyUntil = (expiresAt: number, id = 'ASIA1') => ({
    AccessKeyId: id,
    SecretAccessKey: 'secret',
    Token: 'session',
    Expiration: new Date(expiresAt).toISOString(),
  });
  const open = (issuer: CredentialIssuer) => temporaryCredentials(issuer, () => now);
  const container = (): CredentialIssuer => ({ from: 'container', url: `${endpoint}/key`, tokenFile });
  const idOf = ({ accessKeyId, sessionToken }: { accessKeyId: string; sessionToken?: string | undefined }) => [
    accessKeyId,
    sessionToken,
  ];

  it('temporary credentials of a container are requested with the token from its file', async () => {
    assert.deepEqual(idOf(await open(container())()), ['ASIA1', 'session']);
    assert.deepEqual(
      calls.map(({ request, headers }) => [request, headers.authorization]),
      [['GET /key', 'the token of the pod']],
    );
  });

  it('temporary credentials of a role are exchanged for the token of a pod', async () => {
    answer = () => ({
      body: `<R><Credentials><AccessKeyId>ASIA2</AccessKeyId><SecretAccessKey>s</SecretAccessKey>
        <SessionToken>session</SessionToken><Expiration>${new Date(now + HOUR_MS).toISOString()}</Expiration></Credentials></R>`,
    });
    const issuer = {
      from: 'tokenService',
      endpoint: `${endpoint}/`,
      roleArn: 'arn:aws:iam::1:role/grove',
      tokenFile,
    } as const;
    assert.deepEqual(idOf(await open(issuer)()), ['ASIA2', 'session']);
    const form = new URLSearchParams(calls[0]?.body);
    assert.equal(form.get('Action'), 'AssumeRoleWithWebIdentity');
    assert.equal(form.get('RoleArn'), 'arn:aws:iam::1:role/grove');
    assert.equal(form.get('WebIdentityToken'), 'the token of the pod');
  });

  it('temporary credentials of a machine need a token first, then the name of its role, then the credentials', async () => {
    answer = (path) => {
      if (path.endsWith('/token')) return { body: 'metadata' };
      return { body: path.endsWith('/') ? 'grove-role' : JSON.stringify(keyUntil(now + HOUR_MS)) };
    };
    assert.deepEqual(idOf(await open({ from: 'instance', endpoint })()), ['ASIA1', 'session']);
    const base = '/latest/meta-data/iam/security-credentials/';
    assert.deepEqual(
      calls.map(({ request }) => request),
      ['PUT /latest/api/token', `GET ${base}`, `GET ${base}grove-role`],
    );
    assert.ok(calls.slice(1).every(({ headers }) => headers['x-aws-ec2-metadata-token'] === 'metadata'));
  });

  it('temporary credentials are requested once for many callers, until shortly before they expire', async () => {
    const credentials = open(container());
    await Promise.all(Array.from({ length: 50 }, credentials));
    now += HOUR_MS - 6 * 60_000;
    await credentials();
    assert.equal(calls.length, 1);
    answer = () => ({ body: JSON.stringify(keyUntil(now + HOUR_MS, 'ASIA9')) });
    now += 2 * 60_000;
    assert.equal((await credentials()).accessKeyId, 'ASIA9');
    assert.equal(calls.length, 2);
  });

  it('temporary credentials that are still valid are used while the issuer is unavailable, and it is not asked again at each call', async () => {
    const credentials = open(container());
    await credentials();
    now += HOUR_MS - 60_000;
    answer = () => ({ status: 503, body: 'hunter2' });
    assert.equal((await credentials()).accessKeyId, 'ASIA1');
    assert.equal((await credentials()).accessKeyId, 'ASIA1');
    assert.equal(calls.length, 2);
    now += 2 * 60_000;
    await assert.rejects(credentials(), (error: Error) => {
      assert.match(error.message, /^no credentials for the bucket: 127\.0\.0\.1:\d+ answered 503$/);
      return true;
    });
  });

  it('an answer without credentials or with an invalid expiry is a fault that names no secret', async () => {
    for (const body of [
      '{}',
      JSON.stringify({ ...keyUntil(now), Expiration: 'never' }),
      'hunter2',
      'x'.repeat(100_000),
    ]) {
      answer = () => ({ body });
      await assert.rejects(open(container())(), (error: Error) => {
        assert.match(error.message, /^no credentials for the bucket/);
        assert.ok(!error.message.includes('SecretAccessKey'));
        return true;
      });
    }
  });

  it('a request to the bucket carries the session token and is signed with it', async () => {
    const bucket: S3Server = await startS3('images');
    try {
      const key = { AccessKeyId: S3_KEY.accessKeyId, SecretAccessKey: S3_KEY.secretAccessKey };
      answer = () => ({ body: JSON.stringify({ ...keyUntil(Date.now() + HOUR_MS), ...key }) });
      const signatures: (string | undefined)[] = [];
      bucket.next.push((request, response) => {
        signatures.push(String(request.headers['x-amz-security-token']), request.headers.authorization);
        response.writeHead(200).end();
      });
      const place = { endpoint: `${bucket.endpoint}/images`, bucket: 'images', region: S3_REGION, prefix: '' };
      const none = { accessKeyId: '', secretAccessKey: '' };
      const blobs = openS3({ ...place, ...none, issuer: container() }, { now: () => Date.now(), backoffMs: 1 });
      await blobs.put(newId(Date.now()), Buffer.from('one'));
      assert.equal(signatures[0], 'session');
      assert.match(signatures[1] ?? '', /SignedHeaders=[^,]*x-amz-security-token/);
      // The bucket computes the signature by itself.
      await blobs.put(newId(Date.now()), Buffer.from('two'));
      assert.equal(bucket.objects.size, 1);
    } finally {
      await bucket.stop();
    }
  });
});
