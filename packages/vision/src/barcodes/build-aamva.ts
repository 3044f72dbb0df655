export type AamvaContent = {
  readonly issuerNumber: string;
  readonly elements: Readonly<Record<string, string>>;
};

const HEADER = '@\n\u001e\rANSI ';
const VERSION = '10';
const HEADER_LENGTH = 21;
const DESIGNATOR_LENGTH = 10;

/** Writes the text of the barcode of a licence: AAMVA card design standard 2020, annex D.12, one subfile. */
export function buildAamva({ issuerNumber, elements }: AamvaContent): string {
  const body = `DL${Object.entries(elements)
    .map(([id, value]) => `${id}${value}`)
    .join('\n')}\r`;
  const offset = String(HEADER_LENGTH + DESIGNATOR_LENGTH).padStart(4, '0');
  const length = String(body.length).padStart(4, '0');
  return `${HEADER}${issuerNumber}${VERSION}0001DL${offset}${length}${body}`;
}
