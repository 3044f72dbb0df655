import type { DocumentReading } from '@grove/vision/light';

/** What was read of each side of a document. */
export type DocumentSides = { readonly front: DocumentReading; readonly back?: DocumentReading };
