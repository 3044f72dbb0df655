/** Marks that turn the direction of what follows: a name must not rearrange the sentence that it stands in. */
const DIRECTION = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** A name as it can stand in the subject of a mail, which is one line: it begins no header and turns no direction. */
export function inOneLine(name: string, maxLength: number): string {
  return name
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(DIRECTION, '')
    .trim()
    .slice(0, maxLength);
}
