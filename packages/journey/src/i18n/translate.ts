import { formatMessage, type Message, type Values } from './format-message.ts';

/** Texts by key, with what is to be filled in. */
export type { Values } from './format-message.ts';
export type Translate = (key: string, values?: Values) => string;
/** A text, or what a message was read into when the app was built. */
export type Messages = Readonly<Record<string, unknown>>;

export function translator(messages: Messages, language: string): Translate {
  return (key, values = {}) => {
    const message = messages[key];
    if (typeof message === 'string') return message;
    // A key that nobody has translated is a defect that a test finds; the end user still sees something.
    return message === undefined ? key : formatMessage(message as Message, values, language);
  };
}
