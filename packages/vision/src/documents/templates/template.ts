import type { DocumentType } from '../document-type.ts';
import type { VisualFieldName } from '../visual-field.ts';

/** The order of day, month and year in the dates of a document. */
export type DateOrder = 'DMY' | 'MDY' | 'YMD';

export type Label = {
  readonly field: VisualFieldName;
  /** Matched at the beginning of a line in capitals, without accents, spaces and marks. */
  readonly pattern: RegExp;
};

/** The layout of one kind of document, as data, so that another kind is another row. */
export type Template = {
  readonly id: string;
  /** ISO 3166-1 alpha-3. */
  readonly country: string;
  /** The issuing state or province. */
  readonly region?: string;
  readonly type: DocumentType;
  /** Words of which at least one is printed, as `plain` writes them. */
  readonly titles: readonly string[];
  /** Words of which at least one must be printed too, such as the name of the country. */
  readonly issuers: readonly string[];
  readonly dates: DateOrder;
  readonly labels: readonly Label[];
  /** The shapes of its numbers. A number of another shape was misread and is left out. */
  readonly numbers?: readonly RegExp[];
  /** The order of unlabelled names above the address; left out if it is unknown. */
  readonly names?: 'surnameFirst' | 'givenFirst';
  readonly sides: 1 | 2;
};

/** Normalises a text to the form of templates: capitals A to Z and digits only. */
export function plain(text: string): string {
  return text
    .replace(/[ßẞ]/g, 'SS')
    .replace(/[Łł]/g, 'L')
    .replace(/[Øø]/g, 'O')
    .replace(/[Đđ]/g, 'D')
    .normalize('NFD')
    .toUpperCase()
    .replace(/[^A-Z0-9]/g, '');
}
