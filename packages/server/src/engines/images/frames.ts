import type { Readable } from 'node:stream';

/**
 * The messages between the two processes: a few words as JSON, then bytes. Both lengths come first, and either side
 * refuses lengths that the other has no reason to send.
 */
export type Frame = { readonly words: Readonly<Record<string, unknown>>; readonly bytes: Buffer };

const LENGTHS = 8;
const MAX_WORDS_BYTES = 1024;

export function frameParts(words: object, bytes: Uint8Array = Buffer.alloc(0)): [Buffer, Uint8Array] {
  const text = Buffer.from(JSON.stringify(words));
  const head = Buffer.alloc(LENGTHS + text.length);
  head.writeUInt32BE(text.length, 0);
  head.writeUInt32BE(bytes.length, 4);
  text.copy(head, LENGTHS);
  return [head, bytes];
}

/** Ends with the stream. A stream that ends within a frame, or holds anything but frames, is a fault. */
export async function* readFrames(stream: Readable, maxBytes: number): AsyncGenerator<Frame> {
  let lengths = Buffer.alloc(0);
  let body: { readonly words: number; readonly buffer: Buffer; filled: number } | undefined;
  for await (const part of stream as AsyncIterable<Buffer>) {
    let rest = part;
    for (;;) {
      if (!body) {
        const lengthBytes = rest.subarray(0, LENGTHS - lengths.length);
        lengths = Buffer.concat([lengths, lengthBytes]);
        rest = rest.subarray(lengthBytes.length);
        if (lengths.length < LENGTHS) break;
        body = newBody(lengths.readUInt32BE(0), lengths.readUInt32BE(4), maxBytes);
        lengths = Buffer.alloc(0);
      }
      // Each part is copied as it arrives: joining megabytes at the end would hold up other requests.
      const copied = rest.copy(body.buffer, body.filled);
      body.filled += copied;
      rest = rest.subarray(copied);
      if (body.filled < body.buffer.length) break;
      const { words, buffer } = body;
      body = undefined;
      yield { words: JSON.parse(buffer.toString('utf8', 0, words)), bytes: buffer.subarray(words) };
    }
  }
  if (body || lengths.length > 0) throw new Error('the stream ended within a frame');
}

function newBody(words: number, bytes: number, maxBytes: number) {
  if (words > MAX_WORDS_BYTES || bytes > maxBytes) throw new Error('a frame is too long');
  return { words, buffer: Buffer.allocUnsafeSlow(words + bytes), filled: 0 };
}
