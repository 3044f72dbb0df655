import type { MessageFormatElement } from '@formatjs/icu-messageformat-parser';

/**
 * Parses a text in ICU MessageFormat. The pages have no parser; they get the parsed text. Pure, except that the parser
 * is loaded when the first text needs it.
 */
export type ReadText = {
  /** The plain text if it has no placeholders. */
  readonly message: string | MessageFormatElement[];
  /** The names of the placeholders, sorted. */
  readonly fillsIn: readonly string[];
  /** The placeholders that choose between forms. */
  readonly chooses: ReadonlyMap<string, 'plural' | 'select'>;
};

/** The parser's numbers for the parts of a text. */
const PART = { literal: 0, argument: 1, select: 5, plural: 6, pound: 7 } as const;
const HAS_MORE = /[{}'#]/;

type Parse = typeof import('@formatjs/icu-messageformat-parser').parse;
type ParseFault = Error & { location?: { start: { offset: number } } };

function parseAt(parse: Parse, text: string): MessageFormatElement[] {
  try {
    return parse(text, { ignoreTag: true });
  } catch (error) {
    const { message, location } = error as ParseFault;
    throw location ? new Error(`${message} at character ${location.start.offset + 1}`) : error;
  }
}

/** Throws an `Error` whose message says what is wrong and where. */
export async function readText(text: string): Promise<ReadText> {
  if (!HAS_MORE.test(text)) return { message: text, fillsIn: [], chooses: new Map() };
  const { parse } = await import('@formatjs/icu-messageformat-parser');
  const message = parseAt(parse, text);
  const names = new Set<string>();
  const chooses = new Map<string, 'plural' | 'select'>();
  const visit = (parts: readonly MessageFormatElement[]): void => {
    for (const part of parts) {
      if (part.type === PART.literal || part.type === PART.pound) continue;
      if (part.type === PART.argument) {
        names.add(part.value);
      } else if (part.type === PART.plural || part.type === PART.select) {
        names.add(part.value);
        chooses.set(part.value, part.type === PART.plural ? 'plural' : 'select');
        for (const { value } of Object.values(part.options)) visit(value);
      } else {
        throw new Error('has a placeholder of a kind that journeys cannot fill in');
      }
    }
  };
  visit(message);
  return { message, fillsIn: [...names].sort(), chooses };
}
