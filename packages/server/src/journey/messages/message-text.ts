/** The text of a message in one language. */
export type MailText = {
  readonly subject: string;
  readonly lead: string;
  /** The label of the link; absent if the message has none. */
  readonly link?: string;
  readonly more: readonly string[];
};

export type Texts = {
  readonly handoff: MailText;
  readonly decided: MailText;
  /** A reviewer has asked for steps again. */
  readonly askedAgain: MailText;
  readonly handoffSms: string;
};
