import { formatMessage, type Message, type Values } from './format-message.ts';

/** Translates a key and fills in values. */
export type { Values } from './format-message.ts';
export type Translate = (key: string, values?: Values) => string;
/** Texts, or messages parsed when the app was built. */
export type Messages = Readonly<Record<string, unknown>>;

export function translator(messages: Messages, language: string): Translate {
  return (key, values = {}) => {
    const message = messages[key];
    if (typeof message === 'string') return message;
    // A missing key is a defect that a test finds; the end user sees the key.
    return message === undefined ? key : formatMessage(message as Message, values, language);
  };
}
