/** Which sides of which document are photographed. */
export type Side = 'front' | 'back';

export type DocumentSettings = {
  accept: readonly string[];
  countries?: readonly string[];
  sides: string;
  requireLiveCapture: boolean;
  /** The country that was read from the document, if the end user is asked about it. */
  readCountry?: string;
  preset: { documentType?: string; countryCode?: string };
};

/** The data of a passport is on one page; every other document has two sides. */
export function sidesOf(sides: string, documentType: string): readonly Side[] {
  if (sides === 'front') return ['front'];
  if (sides === 'both') return ['front', 'back'];
  return documentType === 'PASSPORT' ? ['front'] : ['front', 'back'];
}

/** The sides that are still missing. If none is, the last one, because the step is submitted with it. */
export function wantedSides(sides: readonly Side[], there: readonly string[]): readonly Side[] {
  const missing = sides.filter((side) => !there.includes(side));
  return missing.length > 0 ? missing : sides.slice(-1);
}

export function kindOf(documentType: string): 'card' | 'passport' {
  return documentType === 'PASSPORT' ? 'passport' : 'card';
}
