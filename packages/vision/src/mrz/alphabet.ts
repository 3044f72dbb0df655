/** The characters of a machine readable zone (ICAO 9303 part 3, 4.3), in the order in which readings hold them. */
export const CHARACTERS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ<';
export const FILLER = CHARACTERS.indexOf('<');

/** Characters that a general reader may return instead, because they look like one of ours. */
export const LOOK_ALIKES: Readonly<Record<string, string>> = {
  '<': '＜〈《«くㄑ≤',
  '0': 'Øø〇○０',
  '1': '１',
  C: 'cС⊂',
  I: '｜|Ⅰ',
  K: 'k',
  O: 'o',
  P: 'p',
  S: 's',
  U: 'u',
  V: 'v',
  W: 'w',
  X: 'x×Ⅹ',
  Z: 'z',
};
