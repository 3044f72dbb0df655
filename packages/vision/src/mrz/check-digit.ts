const WEIGHTS = [7, 3, 1] as const;

/** The value of a character in a check digit: digits count themselves, A…Z 10 to 35, the filler 0. */
export function characterValue(character: string): number {
  if (character === '<') return 0;
  return Number.parseInt(character, 36);
}

export function weightAt(index: number): number {
  return WEIGHTS[index % 3] as number;
}

/** The check digit of ICAO 9303 part 3, 4.9: values weighted 7, 3, 1, modulo 10. */
export function checkDigit(text: string): string {
  let sum = 0;
  for (let i = 0; i < text.length; i += 1) sum += characterValue(text[i] as string) * weightAt(i);
  return String(sum % 10);
}
