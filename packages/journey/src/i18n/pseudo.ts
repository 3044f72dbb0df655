import type { Messages } from './translate.ts';

/** A pseudo-language, forty per cent longer than English: it reveals texts that do not fit or are not translated. */
const ACCENTED: Readonly<Record<string, string>> = { a: 'á', e: 'é', i: 'í', o: 'ö', u: 'ü', A: 'Á', E: 'É', O: 'Ö' };
const LONGER = 0.4;
const LITERAL = 0;

export function pseudoText(text: string): string {
  const accented = text.replace(/[aeiouAEO]/g, (letter) => ACCENTED[letter] ?? letter);
  const words = Math.ceil((text.length * LONGER) / 6);
  return text.trim() === '' ? text : `${accented}${' lörem'.repeat(words)}`;
}

export function pseudo(messages: Messages): Messages {
  return Object.fromEntries(
    Object.entries(messages).map(([key, message]) => [
      key,
      typeof message === 'string' ? pseudoText(message) : lengthen(message),
    ]),
  );
}

/** Lengthens the literal parts of a parsed message. */
function lengthen(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(lengthen);
  if (typeof node !== 'object' || node === null) return node;
  const { type, value } = node as { type?: unknown; value?: unknown };
  if (type === LITERAL && typeof value === 'string') return { ...node, value: pseudoText(value) };
  return Object.fromEntries(Object.entries(node).map(([key, each]) => [key, lengthen(each)]));
}
