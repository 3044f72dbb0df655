import type { ClientHttp2Session } from 'node:http2';
import type { Socket } from 'node:net';

/** The bytes that a server may send beside its answers, such as settings and pings. */
const MAX_BYTES_UNASKED = 64 * 1024;
/** An accepted answer is smaller, with its headers. */
const MAX_BYTES_OF_AN_ANSWER = 16 * 1024;
const CHECK_EVERY_MS = 100;
/** Frames that name other addresses of the server, which nobody needs. Each takes far longer than its size suggests. */
const MAX_HINTS = 10;

const requests = new WeakMap<ClientHttp2Session, number>();

/** Each request allows for one more answer. */
export function countRequest(session: ClientHttp2Session): void {
  requests.set(session, (requests.get(session) ?? 0) + 1);
}

/**
 * Ends a connection whose server sends far more than its answers. HTTP/2 allows frames at any time, also without a request:
 * without a limit, a server that sends nothing else keeps this thread busy for as long as it likes.
 */
export function limitSession(session: ClientHttp2Session, socket: Socket): void {
  let hints = 0;
  const onHint = () => {
    hints += 1;
    if (hints > MAX_HINTS) session.destroy();
  };
  session.on('origin', onHint);
  session.on('altsvc', onHint);
  const check = () => {
    if (socket.bytesRead > MAX_BYTES_UNASKED + (requests.get(session) ?? 0) * MAX_BYTES_OF_AN_ANSWER) session.destroy();
  };
  const timer = setInterval(check, CHECK_EVERY_MS).unref();
  session.on('close', () => clearInterval(timer));
}
