import type { AllowList } from '../outbound/allow-list.ts';
import { checkTarget } from '../outbound/check-target.ts';

/** Where messages are handed over, read from the configuration. Pure. */
export type SmtpPlace = {
  readonly host: string;
  readonly port: number;
  /** TLS from the first byte. Otherwise the connection is upgraded before anything is sent. */
  readonly secure: boolean;
  /** The operator allows a connection that is never encrypted, or the connection stays on this machine. */
  readonly plain: boolean;
  readonly user: string | undefined;
  readonly password: string | undefined;
  readonly from: Sender;
};

export type Sender = { readonly name: string; readonly address: string };
export type SmsPlace = { readonly url: string; readonly token: string | undefined };

type Variable = 'SMTP_URL' | 'MAIL_FROM' | 'SMS_URL' | 'SMS_TOKEN';

/** Reads the variables of the configuration; each fault names its variable. */
export function messagePlaces(
  value: (name: Variable) => string,
  allow: AllowList,
  fault: (name: Variable, must: string) => void,
): { smtp: SmtpPlace | undefined; sms: SmsPlace | undefined } {
  const [smtpUrl, smsUrl, sender] = [value('SMTP_URL'), value('SMS_URL'), value('MAIL_FROM')];
  const smtp = parseSmtpUrl(smtpUrl);
  const from = parseSender(sender);
  if (smtpUrl && !smtp) fault('SMTP_URL', 'smtps://<user>:<password>@<host>, or smtp:// for STARTTLS');
  if ((smtpUrl || sender) && !from) fault('MAIL_FROM', 'an address, perhaps with a name before it');
  const usable = smsUrl !== '' && !('fault' in checkTarget(smsUrl, allow));
  if (smsUrl && !usable) fault('SMS_URL', 'an https address, or one that GROVE_OUTBOUND_ALLOW has');
  const token = value('SMS_TOKEN') || undefined;
  if (token !== undefined && !TOKEN.test(token)) fault('SMS_TOKEN', 'a token that can stand in a header');
  return { smtp: smtp && from && { ...smtp, from }, sms: usable ? { url: smsUrl, token } : undefined };
}

const TOKEN = /^[\x21-\x7e]{1,4096}$/;
const PORTS = { 'smtp:': 587, 'smtps:': 465 } as const;
const LOCAL = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** `smtps://user:password@host:port` or `smtp://…`, perhaps with `?tls=never`. */
function parseSmtpUrl(text: string): Omit<SmtpPlace, 'from'> | undefined {
  if (!URL.canParse(text)) return undefined;
  const { protocol, hostname, port, username, password, pathname, searchParams, hash } = new URL(text);
  if (protocol !== 'smtp:' && protocol !== 'smtps:') return undefined;
  const tls = searchParams.get('tls');
  const areKnown = [...searchParams.keys()].every((key) => key === 'tls') && (tls === null || tls === 'never');
  if (!hostname || !areKnown || hash || (pathname !== '' && pathname !== '/')) return undefined;
  if ((username === '') !== (password === '')) return undefined;
  const secure = protocol === 'smtps:';
  if (secure && tls !== null) return undefined;
  const decoded = decodeBoth(username, password);
  return (
    decoded && {
      host: hostname.replace(/^\[|\]$/g, ''),
      port: port ? Number(port) : PORTS[protocol],
      secure,
      plain: tls === 'never' || LOCAL.test(hostname),
      ...decoded,
    }
  );
}

function decodeBoth(user: string, password: string) {
  try {
    return { user: decodeURIComponent(user) || undefined, password: decodeURIComponent(password) || undefined };
  } catch {
    return undefined;
  }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: a header must not hold these.
const SENDER = /^(?:([^<>"@\u0000-\u001f\u007f]{0,100})<)?([A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9.-]{1,255})(>)?$/;

/** `no-reply@example.com` or `Example <no-reply@example.com>`. */
function parseSender(text: string): Sender | undefined {
  const [, name, address = '', closed] = SENDER.exec(text) ?? [];
  if (!address || (name === undefined) !== (closed === undefined)) return undefined;
  return { name: name?.trim() ?? '', address };
}
