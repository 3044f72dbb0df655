/** The words of a text: a long list is easier to read this way than with one word per line. */
export function splitWords(text: string): readonly string[] {
  return text.trim().split(/\s+/);
}
