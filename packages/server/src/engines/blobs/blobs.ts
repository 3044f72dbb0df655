/**
 * Where images are kept. Keys are random ids that mean nothing outside the rows that hold them, and the bytes arrive
 * sealed: whoever sees the place sees neither whose they are nor what they show.
 */
export type Blobs = {
  /** The bytes are durable when this resolves. */
  put(key: string, bytes: Uint8Array): Promise<void>;
  /** Rejects if there is nothing under the key. */
  get(key: string): Promise<Buffer>;
  /** What is not there needs no deleting. */
  delete(key: string): Promise<void>;
};
