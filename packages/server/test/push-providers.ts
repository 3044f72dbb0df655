import assert from 'node:assert/strict';
import {
  createDecipheriv,
  createECDH,
  generateKeyPairSync,
  hkdfSync,
  type KeyObject,
  randomBytes,
  verify,
} from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import { createServer as createHttp2Server, type ServerHttp2Session } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { rsaKeys } from './rsa-keys.ts';

/**
 * The three providers of push notifications, as local servers that speak their protocols: APNs over HTTP/2, FCM with its
 * access tokens, and the push service of a browser, with a browser that can read what it gets.
 */
export type Arrived = {
  provider: 'APNS' | 'FCM' | 'WEB_PUSH';
  token: string;
  title?: string;
  message?: string;
  data: Record<string, string>;
  headers: Record<string, string>;
};

/** The answer of a provider; nothing is a success, `hang` is no answer at all. */
export type Answering = { status: number; body?: object } | 'hang' | undefined;

export type PushProviders = Awaited<ReturnType<typeof openPushProviders>>;

export async function openPushProviders() {
  const arrived: Arrived[] = [];
  const answers: Partial<Record<Arrived['provider'], (token: string) => Answering>> = {};
  const apnsKeys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const fcmKeys = rsaKeys();
  const vapid = createECDH('prime256v1');
  vapid.generateKeys();
  const state = { accessTokens: 0, answers, arrived };
  const apns = await openApnsServer(state, apnsKeys.publicKey);
  const fcm = await openFcmServer(state, fcmKeys.publicKey);
  const web = await openWebServer(state);
  const pem = (key: KeyObject) => key.export({ type: 'pkcs8', format: 'pem' }) as string;
  return {
    arrived,
    answers,
    state,
    allow: [apns.host, fcm.host, web.host].join(','),
    settings: {
      apns: {
        teamId: 'TEAM123456',
        keyId: 'KEY1234567',
        bundleId: 'com.example.bank',
        address: `http://${apns.host}`,
        privateKey: pem(apnsKeys.privateKey),
      },
      fcm: {
        projectId: 'bank-project',
        clientEmail: 'push@bank.example',
        privateKey: pem(fcmKeys.privateKey),
        address: `http://${fcm.host}`,
        tokenUri: `http://${fcm.host}/token`,
      },
      webPush: {
        subject: 'mailto:push@bank.example',
        publicKey: vapid.getPublicKey('base64url'),
        // Node omits leading zeros, which one key in 256 has.
        privateKey: Buffer.from(vapid.getPrivateKey('hex').padStart(64, '0'), 'hex').toString('base64url'),
      },
    },
    /** A new subscription of a browser: its push token. */
    subscribe: web.subscribe,
    of: (provider: Arrived['provider']) => arrived.filter((each) => each.provider === provider),
    async close() {
      await Promise.all([apns.close(), fcm.close(), web.close()]);
    },
  };
}

type State = {
  accessTokens: number;
  answers: Partial<Record<Arrived['provider'], (token: string) => Answering>>;
  arrived: Arrived[];
};

async function openApnsServer(state: State, publicKey: KeyObject) {
  const sessions = new Set<ServerHttp2Session>();
  const server = createHttp2Server();
  server.on('session', (session) => {
    sessions.add(session);
    session.on('close', () => sessions.delete(session));
  });
  server.on('stream', async (stream, headers) => {
    const token = String(headers[':path']).replace('/3/device/', '');
    const answer = state.answers.APNS?.(token);
    if (answer === 'hang') return;
    const body = JSON.parse(Buffer.concat(await Array.fromAsync(stream)).toString());
    assert.ok(isSigned(String(headers.authorization).replace('bearer ', ''), publicKey, 'ES256'));
    if (answer) {
      stream.respond({ ':status': answer.status });
      stream.end(JSON.stringify(answer.body ?? {}));
      return;
    }
    const { aps, ...data } = body;
    const plainHeaders = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
    state.arrived.push({
      provider: 'APNS',
      token,
      title: aps.alert.title,
      message: aps.alert.body,
      data,
      headers: plainHeaders,
    });
    stream.respond({ ':status': 200 });
    stream.end();
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    host: hostOf(server.address() as AddressInfo),
    close: () => {
      for (const session of sessions) session.destroy();
      return new Promise<void>((done) => server.close(() => done()));
    },
  };
}

async function openFcmServer(state: State, publicKey: KeyObject) {
  return openHttp(async (request, body, respond) => {
    if (request.url === '/token') {
      assert.ok(isSigned(new URLSearchParams(body.toString()).get('assertion') ?? '', publicKey, 'RS256'));
      state.accessTokens += 1;
      return respond(200, { access_token: `access-${state.accessTokens}`, expires_in: 3600 });
    }
    assert.equal(request.url, '/v1/projects/bank-project/messages:send');
    const { token, notification, data } = JSON.parse(body.toString()).message;
    const answer = state.answers.FCM?.(token);
    if (answer === 'hang') return undefined;
    if (answer) return respond(answer.status, answer.body ?? {});
    assert.equal(request.headers.authorization, `Bearer access-${state.accessTokens}`);
    const { title, body: message } = notification;
    state.arrived.push({ provider: 'FCM', token, title, message, data, headers: {} });
    return respond(200, { name: 'projects/bank-project/messages/1' });
  });
}

async function openWebServer(state: State) {
  const browsers = new Map<
    string,
    (body: Buffer) => { title?: string; message?: string; data: Record<string, string> }
  >();
  const server = await openHttp(async (request, body, respond) => {
    const name = request.url?.slice(1) ?? '';
    const answer = state.answers.WEB_PUSH?.(name);
    if (answer === 'hang') return undefined;
    if (answer) return respond(answer.status, answer.body ?? {});
    const readMessage = browsers.get(name);
    if (!readMessage) return respond(404, {});
    assert.match(String(request.headers.authorization), /^vapid t=.+, k=.+/);
    const headers = { ttl: String(request.headers.ttl), encoding: String(request.headers['content-encoding']) };
    state.arrived.push({ provider: 'WEB_PUSH', token: name, ...readMessage(body), headers });
    return respond(201, {});
  });
  return {
    ...server,
    subscribe(name: string): string {
      const ecdh = createECDH('prime256v1');
      ecdh.generateKeys();
      const auth = randomBytes(16);
      browsers.set(name, (body) => JSON.parse(decrypted(body, ecdh, auth).toString()));
      const keys = { p256dh: ecdh.getPublicKey('base64url'), auth: auth.toString('base64url') };
      return JSON.stringify({ endpoint: `http://${server.host}/${name}`, keys });
    },
  };
}

type Respond = (status: number, body: object) => void;

async function openHttp(serve: (request: IncomingMessage, body: Buffer, respond: Respond) => Promise<void>) {
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await Array.fromAsync(request));
    await serve(request, body, (status, answer) =>
      response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(answer)),
    );
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    host: hostOf(server.address() as AddressInfo),
    close: () => {
      server.closeAllConnections();
      return new Promise<void>((done) => server.close(() => done()));
    },
  };
}

const hostOf = ({ port }: AddressInfo) => `127.0.0.1:${port}`;

function isSigned(jwt: string, key: KeyObject, alg: 'ES256' | 'RS256'): boolean {
  const [header = '', claims = '', signature = ''] = jwt.split('.');
  assert.equal(JSON.parse(Buffer.from(header, 'base64url').toString()).alg, alg);
  const how = alg === 'ES256' ? { key, dsaEncoding: 'ieee-p1363' as const } : { key };
  return verify('sha256', Buffer.from(`${header}.${claims}`), how, Buffer.from(signature, 'base64url'));
}

/** RFC 8291 over RFC 8188, as a browser decrypts it: one record. */
function decrypted(body: Buffer, ecdh: ReturnType<typeof createECDH>, auth: Buffer): Buffer {
  const salt = body.subarray(0, 16);
  const keyLength = body.readUInt8(20);
  const sender = body.subarray(21, 21 + keyLength);
  const shared = ecdh.computeSecret(sender);
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), ecdh.getPublicKey(), sender]);
  const secret = Buffer.from(hkdfSync('sha256', shared, auth, info, 32));
  const derive = (name: string, length: number) =>
    Buffer.from(hkdfSync('sha256', secret, salt, `Content-Encoding: ${name}\0`, length));
  const decipher = createDecipheriv('aes-128-gcm', derive('aes128gcm', 16), derive('nonce', 12));
  const sealed = body.subarray(21 + keyLength);
  decipher.setAuthTag(sealed.subarray(-16));
  const padded = Buffer.concat([decipher.update(sealed.subarray(0, -16)), decipher.final()]);
  return padded.subarray(0, padded.lastIndexOf(2));
}
