import { deflateSync } from 'node:zlib';

/** PDFs of unknown senders, written by hand: each object as its text, in the order of its number. */
export type PdfObject = string | { readonly head: string; readonly stream: Uint8Array };

export const A4 = '[0 0 595 842]';

const latin1 = (text: string) => Buffer.from(text, 'latin1');

export function pdfOf(objects: readonly PdfObject[], trailer = ''): Buffer {
  const parts: Buffer[] = [latin1('%PDF-1.7\n')];
  const starts: number[] = [];
  let at = (parts[0] as Buffer).length;
  const add = (bytes: Buffer) => {
    parts.push(bytes);
    at += bytes.length;
  };
  for (const [index, object] of objects.entries()) {
    starts.push(at);
    add(latin1(`${index + 1} 0 obj\n`));
    if (typeof object === 'string') add(latin1(object));
    else {
      add(latin1(`<<${object.head}/Length ${object.stream.length}>>stream\n`));
      add(Buffer.from(object.stream));
      add(latin1('\nendstream'));
    }
    add(latin1('\nendobj\n'));
  }
  const table = starts.map((start) => `${String(start).padStart(10, '0')} 00000 n \n`).join('');
  const size = objects.length + 1;
  const end = `xref\n0 ${size}\n0000000000 65535 f \n${table}trailer\n<</Size ${size}/Root 1 0 R${trailer}>>\nstartxref\n${at}\n%%EOF\n`;
  add(latin1(end));
  return Buffer.concat(parts);
}

export type PageOptions = {
  /** Entries of the catalog, of the page, and objects from number 5 on. */
  readonly catalog?: string;
  readonly page?: string;
  readonly more?: readonly PdfObject[];
  readonly box?: string;
  readonly trailer?: string;
};

/** One page with this content. */
export function onePage(content: string | PdfObject, options: PageOptions = {}): Buffer {
  const { catalog = '', page = '', more = [], box = A4, trailer = '' } = options;
  const drawing = typeof content === 'string' ? { head: '', stream: latin1(content) } : content;
  return pdfOf(
    [
      `<</Type/Catalog/Pages 2 0 R${catalog}>>`,
      '<</Type/Pages/Kids[3 0 R]/Count 1>>',
      `<</Type/Page/Parent 2 0 R/MediaBox${box}/Contents 4 0 R${page}>>`,
      drawing,
      ...more,
    ],
    trailer,
  );
}

/** Red below, blue above, so that a page drawn upside down is noticed. */
export const TWO_HALVES = '1 0 0 rg 0 0 595 421 re f 0 0 1 rg 0 421 595 421 re f';

export const PDF = onePage(TWO_HALVES);

/** A photograph on a page, as scanners produce it. */
export function pageOfJpeg(jpeg: Uint8Array, width: number, height: number): Buffer {
  const image = `/Type/XObject/Subtype/Image/Width ${width}/Height ${height}/ColorSpace/DeviceRGB/BitsPerComponent 8`;
  return onePage(`q ${width} 0 0 ${height} 0 0 cm /P Do Q`, {
    box: `[0 0 ${width} ${height}]`,
    page: '/Resources<</XObject<</P 5 0 R>>>>',
    more: [{ head: `${image}/Filter/DCTDecode`, stream: jpeg }],
  });
}

/** 92 KB that take PDFium very long: two million rectangles. */
export function slowPdf(): Buffer {
  slow ??= onePage({
    head: '/Filter/FlateDecode',
    stream: deflateSync(Buffer.from('0 0 595 842 re f '.repeat(2_000_000))),
  });
  return slow;
}

let slow: Buffer | undefined;
