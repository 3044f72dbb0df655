/** The values of a field of a document: as each of its zones was read, and as a reviewer corrected it. Pure. */
export type ReadValues = {
  readonly visualZoneValue?: unknown;
  readonly mrzValue?: unknown;
  readonly barcodeValue?: unknown;
  readonly correctedValue?: unknown;
};

export type ReadField = { readonly fieldName: string; readonly values: ReadValues };

/** The values that count: after a correction, each zone has the corrected value. */
export function validValues(values: ReadValues = {}): ReadValues {
  const { correctedValue, ...zones } = values;
  if (typeof correctedValue !== 'string') return zones;
  const names = Object.keys(zones);
  return Object.fromEntries((names.length > 0 ? names : ['visualZoneValue']).map((name) => [name, correctedValue]));
}

/** The fields of a document with corrections applied. */
export function validFields(biographicData: unknown): readonly ReadField[] {
  if (!Array.isArray(biographicData)) return [];
  return biographicData.map(({ fieldName, values }: ReadField) => ({ fieldName, values: validValues(values) }));
}

/** The value for people: corrected, otherwise in print, otherwise from zone or code. Empty if there is none. */
export function shownValue({ correctedValue, visualZoneValue, mrzValue, barcodeValue }: ReadValues): string {
  return String(correctedValue ?? visualZoneValue ?? mrzValue ?? barcodeValue ?? '');
}
