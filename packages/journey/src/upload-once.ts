/**
 * Uploads images by name. The same bytes under the same name are sent once, however often it is called. Only the newest
 * image of a name counts, so an older one that is still being sent never arrives after it.
 */
export type Upload<Uploaded, Options> = (name: string, blob: Blob, options?: Options) => Promise<Uploaded>;

export function uploadOnce<Uploaded, Options>(send: Upload<Uploaded, Options>): Upload<Uploaded, Options> {
  const newest = new Map<string, { hash: string | undefined; upload: Promise<Uploaded> }>();
  const lines = new Map<string, Promise<unknown>>();
  return async (name, blob, options) => {
    const begin = (hash: string | undefined) => {
      const before = newest.get(name);
      if (before && hash !== undefined && before.hash === hash) return before;
      const upload = waitFor(before?.upload).then(() => send(name, blob, options));
      const own = { hash, upload };
      newest.set(name, own);
      // A failed upload is sent again at the next call.
      upload.catch(() => newest.get(name) === own && newest.delete(name));
      return own;
    };
    // A later image may be hashed sooner, but must not be sent first.
    const hashed = hashOf(blob);
    const entry = Promise.allSettled([hashed, lines.get(name)]).then(async () => begin(await hashed));
    lines.set(name, entry);
    return (await entry).upload;
  };
}

/** Insecure pages cannot hash, but they cannot use a camera either. */
export async function hashOf(blob: Blob): Promise<string | undefined> {
  if (!globalThis.crypto?.subtle) return undefined;
  const digest = await crypto.subtle.digest('SHA-256', await blob.arrayBuffer());
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

async function waitFor(work: Promise<unknown> | undefined): Promise<void> {
  await work?.catch(() => undefined);
}
