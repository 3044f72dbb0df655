export type VisualFieldName =
  | 'surname'
  | 'givenNames'
  | 'name'
  | 'documentNumber'
  | 'nationality'
  | 'birthDate'
  | 'birthPlace'
  | 'sex'
  | 'issueDate'
  | 'expiryDate'
  | 'authority'
  | 'address'
  | 'personalNumber';

/** A line of print on the straightened document; positions are shares of its width and height. */
export type VisualLine = {
  readonly text: string;
  readonly confidence: number;
  /** For each character of the text, its other possible readings: see `Line` of the reader. */
  readonly rivals?: readonly string[];
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
};

export type VisualField = {
  readonly name: VisualFieldName;
  readonly label: string;
  readonly value: string;
  readonly confidence: number;
  /** The date as YYYY-MM-DD, if the template tells the order of its parts. */
  readonly date?: string;
};
