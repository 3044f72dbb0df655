/**
 * Ensures that two names which look the same are the same: refuses control characters, invisible marks, marks that turn
 * the direction of text, and names of spaces alone. Homoglyphs and other spaces are allowed, because ids say who did what.
 */
export function isVisibleName(name: string): boolean {
  if (name !== '' && name.trim() === '') return false;
  return PLAIN.test(name) || !HIDDEN.test(name.replace(JOINED, ''));
}

export const VISIBLE_NAME_RULE =
  'must not hold control characters, invisible characters or characters that change the direction of text';

/** Most names are ASCII and need no further check. */
const PLAIN = /^[\x20-\x7e]*$/;
/** U+2800 and U+1D159 are signs that show nothing. */
const HIDDEN = /[\u2800\u{1d159}\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;

/** In these scripts a joiner is invisible. A mark belongs to the script of its letter. */
const UNJOINED = ['Latin', 'Greek', 'Cyrillic', 'Han', 'Hiragana', 'Katakana', 'Hangul', 'Inherited']
  .map((script) => `\\p{Script=${script}}`)
  .join('');

/** Words of some scripts, and emoji, are spelt with these characters: they are visible there. */
const JOINED = new RegExp(
  [
    `(?<=[\\p{L}\\p{M}])(?<![${UNJOINED}])[\\u200c\\u200d](?=[\\p{L}\\p{M}])(?![${UNJOINED}])`,
    '(?<=[\\p{Extended_Pictographic}\\p{Emoji_Modifier}\\ufe0f])\\u200d(?=\\p{Extended_Pictographic})',
    '(?<=\\p{Extended_Pictographic})[\\ufe0e\\ufe0f]',
    '(?<=[0-9#*])\\ufe0f(?=\\u20e3)',
    '(?<=\\u{1f3f4})[\\u{e0020}-\\u{e007e}]{1,6}\\u{e007f}',
  ].join('|'),
  'gu',
);
