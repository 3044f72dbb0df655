/** Marks that turn the direction of the following text: a name must not rearrange the sentence around it. */
const DIRECTION = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Ensures that a name in the subject of a mail stays in one line, adds no header and turns no direction of text. */
export function inOneLine(name: string, maxLength: number): string {
  return name
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(DIRECTION, '')
    .trim()
    .slice(0, maxLength);
}
