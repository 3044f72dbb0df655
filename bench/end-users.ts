import sharp from 'sharp';
import { createInstanceRequest } from './requests.ts';

/** The requests of end users that prepare a measurement. */

/** A picture of noise with about this many bytes, like a photograph of twelve megapixels from a good telephone. */
export async function pictureOf(bytes: number): Promise<Uint8Array<ArrayBuffer>> {
  const noise = { type: 'gaussian', mean: 128, sigma: 30 } as const;
  const create = { width: 4000, height: 3000, channels: 3, background: '#808080', noise } as const;
  const raw = await sharp({ create }).png({ compressionLevel: 0 }).toBuffer();
  for (let quality = 98; ; quality -= 2) {
    const jpeg = await sharp(raw).jpeg({ quality }).toBuffer();
    if (jpeg.length <= bytes * 1.1 || quality <= 60) return new Uint8Array(jpeg);
  }
}

/** A journey that waits for the front of a document. */
export async function atDocument(origin: string, bearer: string, tokenId: string) {
  const create = createInstanceRequest(bearer, tokenId);
  const headers = { 'Content-Type': 'application/json' };
  const send = async (path: string, body: object, more: Record<string, string> = {}) => {
    const init = { method: 'POST', headers: { ...headers, ...more }, body: JSON.stringify(body) };
    const answer = await fetch(`${origin}${path}`, init);
    if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`);
    return { cookie: (answer.headers.getSetCookie()[0] ?? '').split(';')[0] ?? '', body: await answer.json() };
  };
  const { body } = await send(create.path, {}, create.variants[0]?.headers);
  const { processInstanceId: id, redirectUrl } = body as { processInstanceId: string; redirectUrl: string };
  const code = new URLSearchParams(new URL(redirectUrl).hash.slice(1)).get('c');
  const { cookie } = await send('/api/journey/sessions', { code });
  const now = (await (await fetch(`${origin}/api/journey/${id}`, { headers: { cookie } })).json()) as {
    revision: number;
  };
  await send(`/api/journey/${id}/steps/consent`, { revision: now.revision, result: { accepted: true } }, { cookie });
  return {
    id,
    path: `/api/journey/${id}/steps/document/images/front`,
    cookie,
  };
}
