import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { fitWithin, frameWithin, visibleRegion } from './geometry.ts';
import { encodePicture, PDF_TYPE, PICTURE_LIMITS, pictureOfFile } from './picture.ts';
import { sniffFile } from './sniff-file.ts';

test('only the middle of a video that covers its place is visible', () => {
  assert.deepEqual(visibleRegion({ width: 1920, height: 1080 }, { width: 300, height: 300 }), {
    left: 420,
    top: 0,
    width: 1080,
    height: 1080,
  });
  const portrait = visibleRegion({ width: 1080, height: 1920 }, { width: 300, height: 300 });
  assert.deepEqual(portrait, { left: 0, top: 420, width: 1080, height: 1080 });
  const same = visibleRegion({ width: 640, height: 480 }, { width: 320, height: 240 });
  assert.deepEqual(same, { left: 0, top: 0, width: 640, height: 480 });
});

test('a video that is not laid out yet is visible as a whole', () => {
  const region = visibleRegion({ width: 640, height: 480 }, { width: 0, height: 0 });
  assert.deepEqual(region, { left: 0, top: 0, width: 640, height: 480 });
});

test('the frame has the shape of the document and fits both ways', () => {
  for (const size of [
    { width: 640, height: 360 },
    { width: 360, height: 640 },
  ]) {
    const frame = frameWithin(size, 1.586);
    assert.ok(Math.abs(frame.width / frame.height - 1.586) < 1e-9);
    assert.ok(frame.left > 0 && frame.top > 0);
    assert.ok(Math.abs(frame.left * 2 + frame.width - size.width) < 1e-9);
  }
});

test('a picture is never enlarged', () => {
  assert.deepEqual(fitWithin({ width: 4000, height: 3000 }, 2560), { width: 2560, height: 1920 });
  assert.deepEqual(fitWithin({ width: 800, height: 600 }, 2560), { width: 800, height: 600 });
});

test('the type of a file is that of its first bytes, whatever its name', () => {
  const bytes = (text: string) => Uint8Array.from(text, (letter) => letter.charCodeAt(0));
  const kinds = {
    jpeg: '\u00ff\u00d8\u00ff\u00e0',
    png: '\u0089PNG\r\n\u001a\n',
    webp: 'RIFF1234WEBPVP8 ',
    heic: '\0\0\0\u0018ftypheic',
    pdf: '%PDF-1.7',
    tiff: 'II*\0',
    gif: 'GIF89a',
    svg: '<?xml version="1.0"?><svg/>',
    other: 'hello',
  };
  for (const [kind, text] of Object.entries(kinds)) assert.equal(sniffFile(bytes(text)), kind);
  assert.equal(sniffFile(new Uint8Array(0)), 'other');
});

test('a PDF is unchanged where PDFs are accepted, and is refused elsewhere or if it is too large', async () => {
  const pdf = new Blob(['%PDF-1.7 a page'], { type: 'image/jpeg' });
  const { blob } = await pictureOfFile(pdf, { pdf: true });
  assert.deepEqual([blob.type, blob.size], [PDF_TYPE, pdf.size]);
  await assert.rejects(pictureOfFile(pdf, { pdf: false }), { fault: 'wrongType', kind: 'pdf' });
  const large = new Blob(['%PDF-1.7', new Uint8Array(PICTURE_LIMITS.pdfBytes)]);
  await assert.rejects(pictureOfFile(large, { pdf: true }), { fault: 'tooLarge', kind: 'pdf' });
});

/** Stands in for a canvas whose JPEG has this many bytes for each pixel at full quality. */
function canvasOf(width: number, height: number, bytesPerPixel: number): HTMLCanvasElement {
  return {
    width,
    height,
    getContext: () => ({ drawImage: () => undefined }),
    toBlob(this: HTMLCanvasElement, take: (blob: Blob) => void, type: string, quality: number) {
      const size = Math.round(this.width * this.height * bytesPerPixel * quality ** 4);
      take({ size, type } as Blob);
    },
  } as unknown as HTMLCanvasElement;
}

afterEach(() => void Reflect.deleteProperty(globalThis, 'document'));

test('a photograph is sent at its best, then coarser, then smaller, until it has at most 4 MB', async () => {
  for (const [bytesPerPixel, width] of [
    [0.5, 2560],
    [1.6, 2560],
    [5, 1920],
    [10, 1280],
  ] as const) {
    Object.assign(globalThis, { document: { createElement: () => canvasOf(0, 0, bytesPerPixel) } });
    const picture = await encodePicture(canvasOf(4000, 3000, bytesPerPixel));
    assert.deepEqual([picture.width, picture.blob.type], [width, 'image/jpeg'], String(bytesPerPixel));
    assert.ok(picture.blob.size <= 4 * 1024 * 1024);
  }
  Object.assign(globalThis, { document: { createElement: () => canvasOf(0, 0, 60) } });
  await assert.rejects(encodePicture(canvasOf(4000, 3000, 60)), { fault: 'tooLarge' });
});
