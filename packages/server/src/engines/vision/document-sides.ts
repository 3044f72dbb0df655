import type { DocumentReading } from '@grove/vision/light';

/** The reading of each side of a document. */
export type DocumentSides = { readonly front: DocumentReading; readonly back?: DocumentReading };
