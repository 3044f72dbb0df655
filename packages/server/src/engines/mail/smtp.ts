import type { MessageOutcome } from './outcome.ts';
import type { SmtpPlace } from './places.ts';

/** Mail by SMTP. The library is loaded with the first message: a server that sends none does not carry it. */
export type Mail = {
  /** The same for every attempt, so that who gets it twice can tell. */
  readonly id: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly language: string;
};

const CONNECT_WITHIN_MS = 8_000;
const ANSWER_WITHIN_MS = 12_000;

/** What can go wrong with a connection, in words for an operator. What a server answers may hold the address. */
const REASONS: Readonly<Record<string, string>> = {
  EDNS: 'the name of the mail server cannot be looked up',
  ECONNECTION: 'the mail server cannot be reached',
  ESOCKET: 'the mail server cannot be reached',
  ETIMEDOUT: 'the mail server does not answer in time',
  ETLS: 'the connection to the mail server cannot be encrypted',
  EAUTH: 'the mail server does not accept the user and password',
  ENOAUTH: 'the mail server wants a user and password',
};

type SmtpError = Error & { code?: string; responseCode?: number; command?: string };

export async function sendBySmtp(server: SmtpPlace, mail: Mail): Promise<MessageOutcome> {
  const transport = await openTransport(server);
  try {
    await transport.sendMail({
      from: server.from,
      // As an object it is one address, whatever it holds, and never a list.
      to: { name: '', address: mail.to },
      messageId: `<${mail.id}@${server.from.address.split('@')[1]}>`,
      subject: mail.subject,
      text: mail.text,
      html: mail.html,
      headers: { 'Content-Language': mail.language, 'Auto-Submitted': 'auto-generated' },
      disableFileAccess: true,
      disableUrlAccess: true,
    });
    return { kind: 'SENT' };
  } catch (error) {
    return outcomeOf(error as SmtpError);
  } finally {
    transport.close();
  }
}

/** Nothing if a message could be handed over; otherwise what is in the way. */
export async function faultOfSmtp(server: SmtpPlace): Promise<string | undefined> {
  const transport = await openTransport(server);
  try {
    await transport.verify();
    return undefined;
  } catch (error) {
    return reasonOf(error as SmtpError);
  } finally {
    transport.close();
  }
}

async function openTransport({ host, port, secure, plain, user, password }: SmtpPlace) {
  const { createTransport } = await import('nodemailer');
  return createTransport({
    host,
    port,
    secure,
    requireTLS: !secure && !plain,
    ignoreTLS: plain,
    ...(user !== undefined && password !== undefined && { auth: { user, pass: password } }),
    connectionTimeout: CONNECT_WITHIN_MS,
    greetingTimeout: CONNECT_WITHIN_MS,
    dnsTimeout: CONNECT_WITHIN_MS,
    socketTimeout: ANSWER_WITHIN_MS,
    // Said here, so that no variable of the environment can unsay it.
    tls: { rejectUnauthorized: true, minVersion: 'TLSv1.2' as const },
  });
}

/** A server that refuses the address will do so again; anything else may pass. */
function outcomeOf(error: SmtpError): MessageOutcome {
  const { code, responseCode = 0 } = error;
  const permanent = responseCode >= 500 && responseCode < 600;
  if (permanent && (code === 'EENVELOPE' || code === 'EMESSAGE')) {
    return { kind: 'REFUSED', reason: `the mail server answered ${responseCode}` };
  }
  // An address that cannot be written into an envelope.
  if (code === 'EENVELOPE' && responseCode === 0) return { kind: 'REFUSED', reason: 'the address cannot be used' };
  return { kind: 'LATER', reason: reasonOf(error) };
}

function reasonOf({ code = '', responseCode, message }: SmtpError): string {
  // Of a socket that fails the code does not say why; what TLS says of certificates holds nothing of a person.
  if (code === 'ESOCKET' && /certificate|\b(TLS|SSL)\b/i.test(message)) return REASONS.ETLS as string;
  return REASONS[code] ?? (responseCode ? `the mail server answered ${responseCode}` : 'the mail could not be sent');
}
