import assert from 'node:assert/strict';
import sharp from 'sharp';
import type { EndUser } from '../../server/test/end-user.ts';
import { untilServed } from '../../server/test/harness.ts';

type Walk = {
  /** Replaces the picture of the document. */
  document?: Uint8Array<ArrayBuffer>;
  /** The browser's report about that picture. */
  hints?: Record<string, string>;
  /** Called when a step is shown. */
  onStep?(): void;
};

/** An end user who uploads pictures that can be shown. */
export async function walk(user: EndUser, { document, hints, onStep }: Walk = {}): Promise<void> {
  for (let at = 0; at < 20; at += 1) {
    const { step } = await user.settled();
    if (!step) return;
    onStep?.();
    const image = { document: 'front', face: 'image' }[step.type as string];
    if (image) {
      const headers = { 'Content-Type': 'image/jpeg' };
      const body = await (image === 'front' ? (document ?? CARD) : FACE);
      const address = `/steps/${step.id}/images/${image}`;
      const sent = await untilServed(() => user.call(address, { method: 'POST', body, headers }));
      assert.ok(sent.status < 300, sent.text);
    }
    const sent = await user.submit(step.id, {
      ...(step.type === 'consent' && { accepted: true }),
      ...(step.type === 'document' && hints && { hints }),
    });
    assert.equal(sent.status, 200, sent.text);
  }
}

const drawn = (svg: string) =>
  sharp(Buffer.from(svg))
    .jpeg()
    .toBuffer()
    .then((bytes) => new Uint8Array(bytes));
const HEAD = '<circle cx="110" cy="110" r="46" fill="#c68863"/><path d="M30 260a80 90 0 0 1 160 0z" fill="#31504a"/>';
const CARD = drawn(
  `<svg xmlns="http://www.w3.org/2000/svg" width="860" height="540"><rect width="860" height="540" rx="26" fill="#dfe9f2"/>
   <g transform="translate(40 150)"><rect width="220" height="260" fill="#fff"/>${HEAD}</g>
   <g font-family="sans-serif" fill="#20303a"><text x="40" y="90" font-size="46">UTOPIA</text>
   <text x="320" y="210" font-size="34">BYRNE</text><text x="320" y="270" font-size="34">ADA</text>
   <text x="40" y="480" font-size="34">IDUTOL898902C3&lt;&lt;&lt;&lt;&lt;&lt;</text></g></svg>`,
);
const FACE = drawn(
  `<svg xmlns="http://www.w3.org/2000/svg" width="480" height="600"><rect width="480" height="600" fill="#b9c9c2"/>
   <g transform="translate(20 120) scale(2)">${HEAD}</g></svg>`,
);
