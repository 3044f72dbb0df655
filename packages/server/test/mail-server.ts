import type { AddressInfo } from 'node:net';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

/** A real mail server on this machine, and the mails that have arrived. */
export type ArrivedMail = {
  from: string;
  to: string[];
  /** By their names in lower case, decoded as far as the tests need it. */
  headers: Map<string, string>;
  text: string;
  html: string;
  raw: string;
};

export type MailServer = {
  /** The value for SMTP_URL. */
  url: string;
  port: number;
  mails: ArrivedMail[];
  /** The answers for the next recipients: a code such as 450 or 550; without one the mail is accepted. */
  answers: number[];
  /** Resolves when that many mails have arrived in all. */
  arrived(count: number): Promise<ArrivedMail>;
  close(): Promise<void>;
};

const USER = { user: 'grove', password: 'p@ss word' };

export async function openMailServer(options: SMTPServerOptions = {}): Promise<MailServer> {
  const mails: ArrivedMail[] = [];
  const answers: number[] = [];
  const waiting = new Set<() => void>();
  const server = new SMTPServer({
    authOptional: false,
    allowInsecureAuth: true,
    disabledCommands: ['STARTTLS'],
    logger: false,
    onAuth: ({ username, password }, _session, done) => {
      const right = username === USER.user && password === USER.password;
      done(right ? null : new Error('no'), right ? { user: 'grove' } : undefined);
    },
    onRcptTo: (_address, _session, done) => {
      const code = answers.shift();
      done(code === undefined ? null : Object.assign(new Error('not now, ada@example.com'), { responseCode: code }));
    },
    onData(stream, { envelope }, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address;
        mails.push({
          from,
          to: envelope.rcptTo.map(({ address }) => address),
          ...readMail(Buffer.concat(chunks).toString('utf8')),
        });
        done();
        for (const tell of waiting) tell();
      });
    },
    ...options,
  });
  // A client that rejects what the server offers disconnects, which some tests check.
  server.on('error', () => undefined);
  await new Promise<void>((done) => void server.listen(0, '127.0.0.1', () => done()));
  const { port } = server.server.address() as AddressInfo;
  return {
    port,
    mails,
    answers,
    url: `smtp://${USER.user}:${encodeURIComponent(USER.password)}@127.0.0.1:${port}`,
    async arrived(count) {
      while (mails.length < count) {
        await new Promise<void>((tell) => {
          waiting.add(tell);
        });
        waiting.clear();
      }
      return mails[count - 1] as ArrivedMail;
    },
    close: () => new Promise((done) => void server.close(() => done())),
  };
}

function readMail(raw: string): Pick<ArrivedMail, 'headers' | 'text' | 'html' | 'raw'> {
  const { headers, body } = readPart(raw);
  const boundary = /boundary="([^"]+)"/.exec(headers.get('content-type') ?? '')?.[1] ?? '\0';
  const parts = body
    .split(`--${boundary}`)
    .slice(1, -1)
    .map((part) => readPart(part.replace(/^\r\n/, '')));
  const ofType = (type: string) => parts.find((part) => part.headers.get('content-type')?.startsWith(type));
  const subject = decodeWords(headers.get('subject') ?? '');
  return {
    headers: new Map([...headers, ['subject', subject]]),
    text: decodeBody(ofType('text/plain')),
    html: decodeBody(ofType('text/html')),
    raw,
  };
}

type Part = { headers: Map<string, string>; body: string };

function readPart(raw: string): Part {
  const at = raw.indexOf('\r\n\r\n');
  const lines = raw
    .slice(0, at)
    .replace(/\r\n[ \t]+/g, ' ')
    .split('\r\n');
  const pairs = lines.map((line): [string, string] => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
  });
  return { headers: new Map(pairs), body: raw.slice(at + 4) };
}

function decodeBody(part: Part | undefined): string {
  if (!part) return '';
  const encoding = part.headers.get('content-transfer-encoding');
  if (encoding === 'base64') return Buffer.from(part.body, 'base64').toString('utf8');
  if (encoding !== 'quoted-printable') return part.body;
  return decodeQuoted(part.body.replace(/=\r\n/g, ''));
}

function decodeQuoted(text: string): string {
  const bytes = text.replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString('utf8');
}

/** RFC 2047. */
function decodeWords(text: string): string {
  return text
    .replace(/\?=\s+=\?/g, '?==?')
    .replace(/=\?utf-8\?([QB])\?([^?]*)\?=/gi, (_, how: string, word: string) =>
      how.toUpperCase() === 'B'
        ? Buffer.from(word, 'base64').toString('utf8')
        : decodeQuoted(word.replaceAll('_', ' ')),
    );
}
