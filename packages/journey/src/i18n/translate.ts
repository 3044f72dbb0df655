import { IntlMessageFormat } from 'intl-messageformat';

/** Texts by key, with what is to be filled in. */
export type Values = Readonly<Record<string, string | number>>;
export type Translate = (key: string, values?: Values) => string;
/** A text, or what a message was read into when the app was built. */
export type Messages = Readonly<Record<string, unknown>>;

type Format = InstanceType<typeof IntlMessageFormat>;

export function translator(messages: Messages, language: string): Translate {
  const formats = new Map<string, Format>();
  return (key, values = {}) => {
    const message = messages[key];
    if (typeof message === 'string') return message;
    // A key that nobody has translated is a defect that a test finds; the end user still sees something.
    if (message === undefined) return key;
    let format = formats.get(key);
    if (!format) {
      format = new IntlMessageFormat(message as never, language);
      formats.set(key, format);
    }
    return String(format.format(values as Record<string, string | number>));
  };
}
