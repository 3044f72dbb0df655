import type { Config } from '../config.ts';
import { faultOfSmtp } from '../engines/mail/smtp.ts';
import { type Check, fault, ok } from './check.ts';

/** Checks whether the mail server accepts messages. It sends none. Without a configured server there is no result. */
export async function checkMail({ smtp }: Pick<Config, 'smtp'>): Promise<Check[]> {
  if (!smtp) return [];
  const name = 'mail';
  const server = `${smtp.host}:${smtp.port}`;
  const smtpFault = await faultOfSmtp(smtp);
  if (smtpFault === undefined) return [ok(name, `Mail is handed to ${server}, from ${smtp.from.address}.`)];
  const remedy = 'Look at SMTP_URL: the name, the port, smtps or smtp, the user and the password.';
  return [fault(name, `Mail cannot be handed to ${server}: ${smtpFault}.`, remedy)];
}
