import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import sharp, { type Sharp } from 'sharp';
import { bombPng } from '../../../server/test/images.ts';
import { ImageFault } from './image-fault.ts';
import { decodeImage, decodeWithScale, MAX_IMAGE_BYTES } from './raster.ts';

/** The left half is red, the right half blue, the upper left corner white: every orientation looks different. */
async function flag(): Promise<Sharp> {
  const block = (width: number, height: number, background: string) =>
    sharp({ create: { width, height, channels: 3, background } })
      .png()
      .toBuffer();
  return sharp(
    await sharp({ create: { width: 80, height: 60, channels: 3, background: '#0000ff' } })
      .composite([
        { input: await block(40, 60, '#ff0000'), left: 0, top: 0 },
        { input: await block(20, 20, '#ffffff'), left: 0, top: 0 },
      ])
      .removeAlpha()
      .png()
      .toBuffer(),
  );
}

function pixel({ width, data }: { width: number; data: Uint8Array }, x: number, y: number): number[] {
  return [...data.subarray((y * width + x) * 3, (y * width + x) * 3 + 3)];
}

function isClose(actual: number[], wanted: number[], tolerance: number): boolean {
  return actual.every((value, at) => Math.abs(value - (wanted[at] ?? 0)) <= tolerance);
}

async function reasonFor(bytes: Uint8Array): Promise<string> {
  const error = await decodeImage(bytes).then(
    () => assert.fail('it was taken'),
    (fault: unknown) => fault,
  );
  assert.ok(error instanceof ImageFault, String(error));
  return error.reason;
}

async function noise(width: number, height: number): Promise<Sharp> {
  return sharp({
    create: { width, height, channels: 3, background: '#808080', noise: { type: 'gaussian', mean: 128, sigma: 40 } },
  });
}

describe('a picture is refused with a reason before a decoder works on it', () => {
  test('empty bytes, text, SVG, TIFF, HEIC and GIF are refused', async () => {
    const plain = await flag();
    assert.equal(await reasonFor(Buffer.alloc(0)), 'empty');
    assert.equal(await reasonFor(Buffer.from('Dear Sir, no picture is attached to this letter')), 'not_an_image');
    assert.equal(
      await reasonFor(Buffer.from('<?xml version="1.0"?><svg width="9" height="9"></svg>')),
      'unsupported_format',
    );
    assert.equal(await reasonFor(await plain.clone().tiff().toBuffer()), 'unsupported_format');
    assert.equal(await reasonFor(await plain.clone().gif().toBuffer()), 'unsupported_format');
    assert.equal(await reasonFor(Buffer.from('\0\0\0\x18ftypheic\0\0\0\0mif1heic', 'latin1')), 'unsupported_format');
  });

  test('an SVG that begins as a JPEG does is not rendered', async () => {
    const disguised = Buffer.concat([
      Buffer.from([0xff, 0xd8, 0xff]),
      Buffer.from('<svg width="99" height="99"></svg>'),
    ]);
    assert.match(await reasonFor(disguised), /^(corrupt|truncated)$/);
  });

  test('a file larger than any camera writes is refused', async () => {
    assert.equal(await reasonFor(Buffer.alloc(MAX_IMAGE_BYTES + 1, 0xff)), 'too_many_bytes');
  });

  test('a decompression bomb of 16000 × 16000 pixels is refused', async () => {
    const bytes = bombPng(16_000, 16_000);
    assert.ok(bytes.length < 2 ** 20);
    const before = process.memoryUsage.rss();
    assert.equal(await reasonFor(bytes), 'too_large');
    assert.ok(process.memoryUsage.rss() - before < 100 * 2 ** 20);
  });

  test('a picture of one pixel is refused', async () => {
    assert.equal(await reasonFor(await (await flag()).resize(1, 1).png().toBuffer()), 'too_small');
  });

  test('an animated WebP and an animated PNG are refused', async () => {
    const frames = await (await noise(64, 128)).raw().toBuffer();
    const raw = { width: 64, height: 128, channels: 3 as const, pageHeight: 64 };
    assert.equal(await reasonFor(await sharp(frames, { raw }).webp({ loop: 0 }).toBuffer()), 'animated');
    const still = await (await flag()).png().toBuffer();
    const control = Buffer.alloc(20);
    control.writeUInt32BE(8);
    control.write('acTL', 4);
    const afterHeader = 8 + 25;
    const moving = Buffer.concat([still.subarray(0, afterHeader), control, still.subarray(afterHeader)]);
    assert.equal(await reasonFor(moving), 'animated');
  });

  for (const format of ['jpeg', 'png', 'webp'] as const) {
    test(`a ${format} that was cut short anywhere is refused`, async () => {
      const whole = await (await noise(200, 150)).toFormat(format).toBuffer();
      for (const share of [0.03, 0.3, 0.6, 0.9, 0.99]) {
        const reason = await reasonFor(whole.subarray(0, Math.floor(whole.length * share)));
        assert.equal(reason, 'truncated', `${share}`);
      }
    });
  }

  test('a complete file with wrong bytes in its pixels is refused', async () => {
    const whole = await (await noise(200, 150)).png().toBuffer();
    const pixels = whole.indexOf('IDAT') + 10;
    whole.fill(0xa5, pixels, pixels + 400);
    assert.equal(await reasonFor(whole), 'corrupt');
  });
});

describe('a picture becomes upright 8-bit sRGB', () => {
  for (const orientation of [1, 2, 3, 4, 5, 6, 7, 8]) {
    test(`a picture becomes upright with the EXIF orientation ${orientation}`, async () => {
      const stored = await undo(await flag(), orientation);
      const raster = await decodeImage(await stored.withMetadata({ orientation }).jpeg({ quality: 100 }).toBuffer());
      assert.deepEqual([raster.width, raster.height], [80, 60]);
      assert.ok(isClose(pixel(raster, 8, 8), [255, 255, 255], 12), 'the white corner is at the upper left');
      assert.ok(isClose(pixel(raster, 20, 50), [255, 0, 0], 12), 'red is left');
      assert.ok(isClose(pixel(raster, 60, 50), [0, 0, 255], 12), 'blue is right');
    });
  }

  test('16 bits, a palette, grey and transparency become three bytes a pixel', async () => {
    const plain = await flag();
    for (const bytes of [
      await plain.clone().toColourspace('rgb16').png().toBuffer(),
      await plain.clone().png({ palette: true }).toBuffer(),
      await plain.clone().webp({ lossless: true }).toBuffer(),
    ]) {
      const raster = await decodeImage(bytes);
      assert.equal(raster.data.length, 80 * 60 * 3);
      assert.ok(isClose(pixel(raster, 20, 50), [255, 0, 0], 2));
    }
    const grey = await decodeImage(await plain.clone().greyscale().png().toBuffer());
    const [red, green, blue] = pixel(grey, 20, 50);
    assert.ok(red === green && green === blue && grey.data.length === 80 * 60 * 3);
    const faint = await decodeImage(await plain.clone().ensureAlpha(0.5).png().toBuffer());
    assert.ok(isClose(pixel(faint, 20, 50), [255, 128, 128], 2), 'what is transparent shows white paper');
  });

  test('the four inks of a printer become colours again', async () => {
    const raster = await decodeImage(await (await flag()).toColourspace('cmyk').jpeg({ quality: 100 }).toBuffer());
    const [red = 0, , blue = 255] = pixel(raster, 20, 50);
    assert.ok(raster.data.length === 80 * 60 * 3 && red > 150 && blue < 100, `${red} ${blue}`);
  });

  test('a large photograph may be read at a half, a quarter or an eighth of its size, and says so', async () => {
    const bytes = await (await noise(1600, 1200)).jpeg().toBuffer();
    const { raster, shrink } = await decodeWithScale(bytes, { longestSideAtLeast: 390 });
    assert.deepEqual([raster.width, raster.height, shrink], [400, 300, 4]);
    assert.equal((await decodeWithScale(bytes)).shrink, 1);
    const turned = await sharp(bytes).withMetadata({ orientation: 6 }).toBuffer();
    const upright = (await decodeWithScale(turned, { longestSideAtLeast: 390 })).raster;
    assert.deepEqual([upright.width, upright.height], [300, 400]);
  });

  test('a picture of more pixels than are wanted is reduced to them, and a smaller one is left as it is', async () => {
    const bytes = await (await noise(1600, 900)).jpeg().withMetadata({ orientation: 6 }).toBuffer();
    const { raster, shrink } = await decodeWithScale(bytes, { mostPixels: 640_000 });
    assert.deepEqual([raster.width, raster.height, shrink], [600, 1067, 1.5]);
    const { width, height } = await decodeImage(bytes, { mostPixels: 1600 * 900 });
    assert.deepEqual([width, height], [900, 1600]);
  });

  test('the same bytes give the same pixels', async () => {
    const bytes = await (await noise(300, 200)).jpeg().toBuffer();
    assert.deepEqual(await decodeImage(bytes), await decodeImage(bytes));
  });
});

/** What the camera stored so that the given orientation puts it right. `flop` comes before `rotate`, however it is written. */
async function undo(image: Sharp, orientation: number): Promise<Sharp> {
  const turned: Record<number, (each: Sharp) => Sharp> = {
    2: (each) => each.flop(),
    3: (each) => each.rotate(180),
    4: (each) => each.flip(),
    5: (each) => each.rotate(270).flop(),
    6: (each) => each.rotate(270),
    7: (each) => each.rotate(90).flop(),
    8: (each) => each.rotate(90),
  };
  const change = turned[orientation];
  return change ? sharp(await change(image).png().toBuffer()) : image;
}
