/** Which sides of which document are photographed. */
export type Side = 'front' | 'back';

export type DocumentSettings = {
  accept: readonly string[];
  countries?: readonly string[];
  sides: string;
  requireLiveCapture: boolean;
  /** The country that the document was read as, where there is a question about it. */
  readCountry?: string;
  preset: { documentType?: string; countryCode?: string };
};

/** What a passport says stands on one page; everything else has two sides. */
export function sidesOf(sides: string, documentType: string): readonly Side[] {
  if (sides === 'front') return ['front'];
  if (sides === 'both') return ['front', 'back'];
  return documentType === 'PASSPORT' ? ['front'] : ['front', 'back'];
}

/** The sides that are not there yet; the last one if all are, because with it the step is submitted. */
export function wantedSides(sides: readonly Side[], there: readonly string[]): readonly Side[] {
  const missing = sides.filter((side) => !there.includes(side));
  return missing.length > 0 ? missing : sides.slice(-1);
}

export function kindOf(documentType: string): 'card' | 'passport' {
  return documentType === 'PASSPORT' ? 'passport' : 'card';
}
