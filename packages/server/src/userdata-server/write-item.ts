import { Readable } from 'node:stream';

/** Three bytes are four characters of base64, so pieces of such a length can be joined. */
const GROUP_BYTES = 3;

/**
 * An item as JSON, with its image in base64, written piece by piece: as a whole, an image of 20 MB would delay all other
 * requests, and would stay in memory until the caller has read it.
 */
export function writeItem(contentType: string, image: Readable, bytes: number): { json: Readable; length: number } {
  const head = `{"contentType":${JSON.stringify(contentType)},"data":"`;
  const tail = '"}';
  const length = head.length + 4 * Math.ceil(bytes / GROUP_BYTES) + tail.length;
  return { json: Readable.from(pieces(head, image, tail), { objectMode: false }), length };
}

/** The head comes with the first piece of the image: if that cannot be read, a problem can still be answered. */
async function* pieces(head: string, image: Readable, tail: string): AsyncGenerator<string> {
  let text = head;
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of image as AsyncIterable<Buffer>) {
    const all = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    const end = all.length - (all.length % GROUP_BYTES);
    rest = all.subarray(end);
    yield text + all.toString('base64', 0, end);
    text = '';
  }
  yield text + rest.toString('base64') + tail;
}
