import type { MessageOutcome } from './outcome.ts';
import type { SmtpPlace } from './places.ts';

/** Sends mail by SMTP. The library is loaded with the first message. */
export type Mail = {
  /** The same for every attempt, so that the recipient can recognise a duplicate. */
  readonly id: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly language: string;
};

const CONNECT_WITHIN_MS = 8_000;
const ANSWER_WITHIN_MS = 12_000;

/** Faults of a connection, in words for an operator. The response of a server may hold the address. */
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
      // An object is always one address, never a list.
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

/** The reason why no message could be handed over; undefined if one could. */
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
    // Set here, so that no environment variable can change it.
    tls: { rejectUnauthorized: true, minVersion: 'TLSv1.2' as const },
  });
}

/** A server that refuses the address will refuse it again. Anything else may pass. */
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
  // The code of a socket error does not tell the cause. Messages of TLS about certificates hold no personal data.
  if (code === 'ESOCKET' && /certificate|\b(TLS|SSL)\b/i.test(message)) return REASONS.ETLS as string;
  return REASONS[code] ?? (responseCode ? `the mail server answered ${responseCode}` : 'the mail could not be sent');
}
