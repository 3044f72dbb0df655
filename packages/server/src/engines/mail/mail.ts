import type { Outbound } from '../outbound/outbound.ts';
import type { MessageOutcome } from './outcome.ts';
import type { SmsPlace, SmtpPlace } from './places.ts';
import { sendText, type TextMessage } from './sms.ts';
import { faultOfSmtp, type Mail, sendBySmtp } from './smtp.ts';

/** Sends messages to people. A channel without a configured place does not exist, and nothing offers it. */
export type Channel = 'EMAIL' | 'SMS';

export type MailDoor = {
  readonly channels: readonly Channel[];
  /** A failure of the operator's server is an outcome, not an exception. */
  sendMail(mail: Mail): Promise<MessageOutcome>;
  sendText(message: TextMessage): Promise<MessageOutcome>;
  /** The reason why mail does not work; undefined if it works or is not configured. */
  fault(): Promise<string | undefined>;
};

export type { Mail, MessageOutcome, TextMessage };

export type MailOptions = { smtp: SmtpPlace | undefined; sms: SmsPlace | undefined; outbound: Pick<Outbound, 'send'> };

const NOT_SET_UP: MessageOutcome = { kind: 'REFUSED', reason: 'messages of this kind are not set up' };

export function openMail({ smtp, sms, outbound }: MailOptions): MailDoor {
  return {
    channels: [...(smtp ? (['EMAIL'] as const) : []), ...(sms ? (['SMS'] as const) : [])],
    sendMail: async (mail) => (smtp ? sendBySmtp(smtp, mail) : NOT_SET_UP),
    sendText: async (message) => (sms ? sendText(outbound, sms, message) : NOT_SET_UP),
    fault: async () => (smtp ? faultOfSmtp(smtp) : undefined),
  };
}
