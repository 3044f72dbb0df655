import type { DocumentType } from '../document-type.ts';
import type { VisualFieldName } from '../visual-field.ts';

/** The order of day, month and year in the dates of a document. */
export type DateOrder = 'DMY' | 'MDY' | 'YMD';

export type Label = {
  readonly field: VisualFieldName;
  /** Matched at the beginning of a line, without accents, spaces and marks, in capitals. */
  readonly pattern: RegExp;
};

/** What one kind of document looks like: data, so that another kind is another row. */
export type Template = {
  readonly id: string;
  /** ISO 3166-1 alpha-3. */
  readonly country: string;
  /** The state or province that issues it. */
  readonly region?: string;
  readonly type: DocumentType;
  /** Words of which at least one is printed, as `plain` writes them. */
  readonly titles: readonly string[];
  /** Words of which at least one must be printed too, such as the name of the country. */
  readonly issuers: readonly string[];
  readonly dates: DateOrder;
  readonly labels: readonly Label[];
  /** The shapes that its numbers have. A number of another shape was misread and is left out. */
  readonly numbers?: readonly RegExp[];
  /** In what order names are printed above the address where they have no labels; left out if that is not known. */
  readonly names?: 'surnameFirst' | 'givenFirst';
  readonly sides: 1 | 2;
};

/** A text in the form in which templates are written: capitals A to Z and digits, nothing else. */
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
