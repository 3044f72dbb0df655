import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { totalmem } from 'node:os';

/**
 * Ensures that answers which nobody reads do not fill the memory. An answer stays in memory until the system has taken its
 * last byte. So a caller who never reads could crash the process, with long answers on many connections, or with many
 * requests at once on a single one (pipelining). When all unread answers together exceed a limit, the caller who holds the
 * most of them loses connections, the one that has waited longest first.
 */
export type UnreadAnswers = {
  /** Called for every request, in the order of its connection. */
  note(request: IncomingMessage, response: ServerResponse, caller: string): void;
  stop(): void;
};

export type UnreadAnswersOptions = {
  mostBytes?: number | undefined;
  lookEveryMs?: number | undefined;
  /** Called when connections were ended. */
  onEnded?: ((details: { connections: number; bytes: number }) => void) | undefined;
};

type Connection = {
  readonly socket: Socket;
  caller: string;
  /** Its answers that may be unread, in the order of their requests. */
  answers: ServerResponse[];
  unreadBytes: number;
  /** When it was first seen with unread answers. */
  unreadSince: number;
};

const LOOK_EVERY_MS = 250;
const MIN_BYTES = 64 * 2 ** 20;
const MAX_BYTES = 256 * 2 ** 20;
/** The memory of an answer and its request, beside the bytes of the answer. */
const BYTES_OF_ANSWER = 4096;

/** An eighth of the memory of the machine, or of the container, between the two limits. */
function usualBytes(): number {
  const memory = Math.min(process.constrainedMemory() || totalmem(), totalmem());
  return Math.min(MAX_BYTES, Math.max(MIN_BYTES, memory / 8));
}

export function unreadAnswers({
  mostBytes = usualBytes(),
  lookEveryMs = LOOK_EVERY_MS,
  onEnded,
}: UnreadAnswersOptions = {}): UnreadAnswers {
  const connections = new Map<Socket, Connection>();

  const connectionOf = (socket: Socket, caller: string): Connection => {
    const earlier = connections.get(socket);
    if (earlier) return earlier;
    const connection = { socket, caller, answers: [], unreadBytes: 0, unreadSince: 0 };
    connections.set(socket, connection);
    socket.once('close', () => connections.delete(socket));
    return connection;
  };

  const look = () => {
    const unread: Connection[] = [];
    for (const connection of connections.values()) if (measure(connection)) unread.push(connection);
    const total = unread.reduce((sum, { unreadBytes }) => sum + unreadBytes, 0);
    // A single answer may be longer: its caller may be reading it.
    if (total <= mostBytes || (unread.length === 1 && unread[0]?.answers.length === 1)) return;
    const longest = longestWaiting(unread, total - mostBytes);
    for (const { socket } of longest) socket.destroy();
    onEnded?.({ connections: longest.length, bytes: longest.reduce((sum, { unreadBytes }) => sum + unreadBytes, 0) });
  };
  const timer = setInterval(look, lookEveryMs).unref();

  return {
    note(request, response, caller) {
      const connection = connectionOf(request.socket, caller);
      connection.caller = caller;
      // It may write at once, so all earlier answers were sent.
      if (response.socket !== null) connection.answers.length = 0;
      connection.answers.push(response);
    },
    stop: () => clearInterval(timer),
  };
}

/** Counts the unread bytes of the connection. Returns false if there are none. */
function measure(connection: Connection): boolean {
  const answers = connection.answers.filter(({ writableFinished }) => !writableFinished);
  const lengths = answers.map(({ writableLength }) => writableLength).filter((length) => length > 0);
  connection.answers = answers;
  connection.unreadBytes = lengths.reduce((sum, length) => sum + length + BYTES_OF_ANSWER, 0);
  if (lengths.length === 0) connection.unreadSince = 0;
  else connection.unreadSince ||= performance.now();
  return lengths.length > 0;
}

/** The connections to end, until enough bytes are free: always one of the caller who then holds the most bytes. */
function longestWaiting(unread: readonly Connection[], bytesToFree: number): Connection[] {
  const byCaller = [...Map.groupBy(unread, ({ caller }) => caller).values()].map((connections) => ({
    bytes: connections.reduce((sum, { unreadBytes }) => sum + unreadBytes, 0),
    waiting: connections.toSorted((one, other) => one.unreadSince - other.unreadSince),
  }));
  const longest: Connection[] = [];
  for (let rest = bytesToFree; rest > 0; ) {
    const most = byCaller.reduce((one, other) => (other.bytes > one.bytes ? other : one));
    const first = most.waiting.shift();
    if (!first) break;
    longest.push(first);
    most.bytes -= first.unreadBytes;
    rest -= first.unreadBytes;
  }
  return longest;
}
