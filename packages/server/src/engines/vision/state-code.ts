/** Codes that machine readable zones have beside those of ISO 3166. */
const ISO_OF: Readonly<Record<string, string>> = {
  D: 'DEU',
  RKS: 'XKX',
  GBD: 'GBR',
  GBN: 'GBR',
  GBO: 'GBR',
  GBP: 'GBR',
  GBS: 'GBR',
};

/** The code of a state as ISO 3166 writes it; undefined for what is no code of three letters. */
export function stateCodeOf(code: string): string | undefined {
  const iso = ISO_OF[code] ?? code;
  return /^[A-Z]{3}$/.test(iso) ? iso : undefined;
}
