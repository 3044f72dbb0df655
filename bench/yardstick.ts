import { generateKeyPairSync, randomBytes, sign, verify } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serveUntilAsked } from './child.ts';

/**
 * The smallest server that could answer: it shows the cost of Node itself on this machine in this minute. `echo` answers
 * with as many bytes as the real response has, `file` streams them from the disk. `sign` also signs a token, because no
 * service can issue one without a signature; `verify` verifies one ES256 signature before it answers.
 */
export type YardstickSettings =
  | { kind: 'echo'; status: number; contentType: string; bytes: number }
  | { kind: 'verify'; status: number; contentType: string; bytes: number }
  | { kind: 'file'; contentType: string; path: string; bytes: number }
  | { kind: 'sign'; contentType: string; header: object; claims: { jti: string }; ttl: number };

const { BENCH_YARDSTICK } = process.env;
if (!BENCH_YARDSTICK) throw new Error('BENCH_YARDSTICK must hold the settings');
const settings = JSON.parse(BENCH_YARDSTICK) as YardstickSettings;
const answer = { echo, file, verify: verifier, sign: signer }[settings.kind](settings as never);
const server = createServer((request, response) => readFully(request, () => answer(response)));
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  serveUntilAsked({ port }, async () => {
    server.close();
    server.closeAllConnections();
  });
});

/** A service must have the body before it can answer, so the yardstick reads it too. */
function readFully(request: IncomingMessage, done: () => void): void {
  if (request.method === 'GET') {
    done();
    return;
  }
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', done);
}

function echo({ status, contentType, bytes }: YardstickSettings & { kind: 'echo' }) {
  const body = Buffer.alloc(bytes, 'x');
  const headers = { 'Content-Type': contentType, 'Content-Length': bytes };
  return (response: ServerResponse) => response.writeHead(status, headers).end(body);
}

/** Nobody can authenticate a user by a key without verifying one signature. */
function verifier(settings: YardstickSettings & { kind: 'verify' }) {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const data = randomBytes(200);
  const signature = sign('sha256', data, { key: privateKey, dsaEncoding: 'ieee-p1363' });
  const respond = echo({ ...settings, kind: 'echo' });
  return (response: ServerResponse) => {
    if (!verify('sha256', data, { key: publicKey, dsaEncoding: 'ieee-p1363' }, signature))
      throw new Error('the signature must be valid');
    return respond(response);
  };
}

function file({ contentType, path, bytes }: YardstickSettings & { kind: 'file' }) {
  const headers = { 'Content-Type': contentType, 'Content-Length': bytes };
  return (response: ServerResponse) => createReadStream(path).pipe(response.writeHead(200, headers));
}

/** Does not use the server's own code, so that a slower signature in the server shows in the ratio. */
function signer({ contentType, header, claims, ttl }: YardstickSettings & { kind: 'sign' }) {
  const { privateKey } = generateKeyPairSync('ed25519');
  const encodedHeader = Buffer.from(JSON.stringify(header)).toString('base64url');
  let issued = 0;
  return (response: ServerResponse) => {
    issued += 1;
    const iat = Math.floor(Date.now() / 1000);
    const jti = String(issued).padStart(claims.jti.length, '0');
    const payload = JSON.stringify({ ...claims, iat, nbf: iat, exp: iat + ttl, jti });
    const signed = `${encodedHeader}.${Buffer.from(payload).toString('base64url')}`;
    const signature = sign(null, Buffer.from(signed, 'latin1'), privateKey).toString('base64url');
    const body = JSON.stringify({ token: `${signed}.${signature}`, ttl });
    response.writeHead(200, { 'Content-Type': contentType, 'Content-Length': body.length }).end(body);
  };
}
