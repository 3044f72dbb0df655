/** Codes of machine-readable zones that are not in ISO 3166. */
const ISO_OF: Readonly<Record<string, string>> = {
  D: 'DEU',
  RKS: 'XKX',
  GBD: 'GBR',
  GBN: 'GBR',
  GBO: 'GBR',
  GBP: 'GBR',
  GBS: 'GBR',
};

/** The ISO 3166 code of a state; undefined if it is not a code of three letters. */
export function stateCodeOf(code: string): string | undefined {
  const iso = ISO_OF[code] ?? code;
  return /^[A-Z]{3}$/.test(iso) ? iso : undefined;
}
