import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { after, describe, it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import sharp from 'sharp';
import { apng, bombPng, JPEG, noise, PNG, picture, quadrants, WEBP, withChunk } from '../../../test/images.ts';
import { openImages, type Reencoded } from './images.ts';
import { hasTooManyPixels, limitedDecoder } from './limited-decoder.ts';
import { startChild } from './start-child.ts';

const text = (words: string) => Buffer.from(words, 'latin1');
const SHARE = { tenant: 'acme', sender: 'one' };
const ONE = openImages({ processes: 1 });
after(() => ONE.stop());

const reencode = (bytes: Uint8Array, type = 'image/png') => ONE.reencode(bytes, type, SHARE);
const refusal = (reason: string) => ({ name: 'ImageRefused', code: 100059, reason });
const pixel = async ({ bytes }: Reencoded, x: number, y: number) => {
  const raw = await sharp(bytes).extract({ left: x, top: y, width: 1, height: 1 }).raw().toBuffer();
  return [...raw];
};
const near = (one: readonly number[], other: readonly number[]) =>
  one.length === other.length && one.every((value, at) => Math.abs(value - (other[at] as number)) < 12);

describe('an accepted image', () => {
  for (const [type, bytes] of [
    ['image/jpeg', JPEG],
    ['image/png', PNG],
    ['image/webp', WEBP],
  ] as const) {
    it(`an accepted image becomes a JPEG of three channels: ${type}`, async () => {
      const result = await reencode(bytes, type);
      assert.deepEqual([result.contentType, result.width, result.height], ['image/jpeg', 32, 24]);
      const { format, channels, space, isProgressive } = await sharp(result.bytes).metadata();
      assert.deepEqual([format, channels, space, isProgressive], ['jpeg', 3, 'srgb', false]);
      assert.ok(near(await pixel(result, 5, 5), [0xb0, 0x3a, 0x2e]));
    });
  }

  it('an accepted image may have a single pixel, many colours, greys or inks', async () => {
    const images: [Buffer, string][] = [
      [await picture(1, 1).png().toBuffer(), 'image/png'],
      [await picture().toColourspace('rgb16').png().toBuffer(), 'image/png'],
      [await picture().greyscale().png().toBuffer(), 'image/png'],
      [await picture().png({ palette: true }).toBuffer(), 'image/png'],
      [await picture().toColourspace('cmyk').jpeg().toBuffer(), 'image/jpeg'],
      [await noise(64, 64).jpeg({ progressive: true }).toBuffer(), 'image/jpeg'],
    ];
    for (const [bytes, type] of images) {
      const { channels, space, depth } = await sharp((await reencode(bytes, type)).bytes).metadata();
      assert.deepEqual([channels, space, depth], [3, 'srgb', 'uchar']);
    }
  });

  it('an accepted image is white where it was transparent', async () => {
    const clear = { width: 32, height: 24, channels: 4, background: '#ff000000' } as const;
    for (const type of ['png', 'webp'] as const) {
      const bytes = await sharp({ create: clear }).toFormat(type).toBuffer();
      assert.ok(near(await pixel(await reencode(bytes, `image/${type}`), 5, 5), [255, 255, 255]), type);
    }
  });

  /** The position at which the file stores the corner that is shown at the top left: EXIF 2.32, orientation. */
  const shownFirst = ['', 'red', 'green', 'white', 'blue', 'red', 'blue', 'white', 'green'];
  const colours: Record<string, number[]> = { red: [255, 0, 0], green: [0, 128, 0], blue: [0, 0, 255] };
  for (let orientation = 1; orientation <= 8; orientation++) {
    it(`an accepted image stands upright: EXIF orientation ${orientation}`, async () => {
      const bytes = await (await quadrants()).jpeg({ quality: 100 }).withMetadata({ orientation }).toBuffer();
      const result = await reencode(bytes, 'image/jpeg');
      assert.deepEqual([result.width, result.height], orientation < 5 ? [64, 32] : [32, 64]);
      const first = await pixel(result, 3, 3);
      assert.ok(near(first, colours[shownFirst[orientation] as string] ?? [255, 255, 255]), first.join());
      assert.equal((await sharp(result.bytes).metadata()).orientation, undefined);
    });
  }

  it('an accepted image loses its metadata, its profile and whatever else it carried', async () => {
    const exif = {
      IFD0: { Copyright: 'SECRET-COPYRIGHT' },
      IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '51/1 30/1 0/1' },
    };
    const jpeg = await picture().withExif(exif).withIccProfile('p3').withXmp('<x>SECRET-XMP</x>').jpeg().toBuffer();
    assert.ok(jpeg.includes('SECRET-COPYRIGHT') && jpeg.includes('SECRET-XMP'));
    const polyglots: [Buffer, string][] = [
      [jpeg, 'image/jpeg'],
      [Buffer.concat([jpeg, text('PK\x03\x04 SECRET zip')]), 'image/jpeg'],
      [
        Buffer.concat([JPEG.subarray(0, 2), text('\xff\xfe\0\x18<script>SECRET()</script'), JPEG.subarray(2)]),
        'image/jpeg',
      ],
      [withChunk(PNG, 'tEXt', text('Comment\0<?php SECRET ?>')), 'image/png'],
      [Buffer.concat([PNG, text('%PDF-1.7 SECRET')]), 'image/png'],
      [Buffer.concat([WEBP, text('<html>SECRET')]), 'image/webp'],
    ];
    for (const [bytes, type] of polyglots) {
      const result = await reencode(bytes, type);
      assert.ok(!result.bytes.includes('SECRET'));
      const { exif: left, icc, xmp, iptc, comments } = await sharp(result.bytes).metadata();
      assert.deepEqual([left, icc, xmp, iptc, comments], Array(5).fill(undefined));
    }
  });

  it('an accepted image may have 25 megapixels, also if it must be rotated', async () => {
    const bytes = await picture(5000, 5000).jpeg().withMetadata({ orientation: 6 }).toBuffer();
    assert.deepEqual((await reencode(bytes, 'image/jpeg')).width, 5000);
  });
});

describe('100059: a refused image', () => {
  it('an image is refused with 100059 if it is empty or larger than 12 MiB', async () => {
    await assert.rejects(reencode(Buffer.alloc(0)), refusal('empty'));
    const large = Buffer.concat([PNG, Buffer.alloc(12 * 2 ** 20)]);
    await assert.rejects(reencode(large), refusal('too_large'));
  });

  it('an image is refused with 100059 if it is not a JPEG, PNG or WebP, whatever its content type says', async () => {
    const others: [string, Buffer][] = [
      ['SVG', text('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>')],
      ['PDF', text('%PDF-1.7')],
      ['HEIC', text('\0\0\0\x18ftypheic\0\0\0\0mif1heic')],
      ['GIF', await picture().gif().toBuffer()],
      ['TIFF', await picture().tiff().toBuffer()],
      ['AVIF', await picture().avif().toBuffer()],
      ['words', text('an image')],
      ['half a signature', Buffer.from(PNG.subarray(0, 5))],
    ];
    for (const [name, bytes] of others) {
      for (const type of ['image/png', 'image/jpeg', 'image/webp', 'image/gif']) {
        await assert.rejects(reencode(bytes, type), refusal('not_an_image'), name);
      }
    }
  });

  it('an image is refused with 100059 if its content type names another of the three types', async () => {
    await assert.rejects(reencode(PNG, 'image/jpeg'), refusal('another_type'));
    await assert.rejects(reencode(JPEG, 'image/webp'), refusal('another_type'));
  });

  it('an image is refused with 100059 if only its first bytes are those of an image', async () => {
    const svg = text('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>');
    const tiff = await picture().tiff().toBuffer();
    for (const rest of [svg, tiff, Buffer.alloc(100)]) {
      await assert.rejects(reencode(Buffer.concat([JPEG.subarray(0, 3), rest]), 'image/jpeg'), { code: 100059 });
      await assert.rejects(reencode(Buffer.concat([PNG.subarray(0, 8), rest])), { code: 100059 });
      await assert.rejects(reencode(Buffer.concat([WEBP.subarray(0, 12), rest]), 'image/webp'), { code: 100059 });
    }
  });

  it('an image is refused with 100059 if it has more than 25 million pixels, before they are decoded', async () => {
    const bomb = bombPng(16_000, 16_000);
    assert.ok(bomb.length < 40_000);
    await assert.rejects(reencode(bomb), refusal('too_many_pixels'));
    await assert.rejects(reencode(bombPng(5001, 5000)), refusal('too_many_pixels'));
    await assert.rejects(reencode(bombPng(100_000, 8)), refusal('too_many_pixels'));
    await assert.rejects(reencode(bombPng(2 ** 31 - 1, 2 ** 31 - 1)), { code: 100059 });
  });

  it('an image is refused with 100059 by its header from 25 million pixels and 65,500 on a side, and by the decoder whatever the header says', async () => {
    const sizes = [
      [5000, 5000, false],
      [5001, 5000, true],
      [65_500, 1, false],
      [65_501, 1, true],
      [1, 65_501, true],
    ] as const;
    for (const [width, height, isTooLarge] of sizes) {
      assert.equal(hasTooManyPixels({ width, height }), isTooLarge, `${width} by ${height}`);
    }
    const decode = (bytes: Buffer) => limitedDecoder(bytes, { ignoreIcc: false }).resize(8).jpeg().toBuffer();
    await assert.rejects(decode(bombPng(5001, 5000)), /pixel limit/);
    assert.ok((await decode(bombPng(5000, 5000))).length > 0);
  });

  it('an image is refused with 100059 if it is animated', async () => {
    await assert.rejects(reencode(apng(PNG)), refusal('animated'));
    const frames = [await picture().png().toBuffer(), await noise(32, 24).png().toBuffer()];
    const webp = await sharp(frames, { join: { animated: true } })
      .webp()
      .toBuffer();
    assert.equal((await sharp(webp).metadata()).pages, 2);
    await assert.rejects(reencode(webp, 'image/webp'), refusal('animated'));
  });

  it('an image is refused with 100059 if its end is missing, wherever it was cut', async () => {
    for (const type of ['jpeg', 'png', 'webp'] as const) {
      const whole = await noise(120, 120).toFormat(type).toBuffer();
      for (const length of [whole.length >> 1, whole.length - 30]) {
        await assert.rejects(reencode(whole.subarray(0, length), `image/${type}`), refusal('truncated'), type);
      }
      await assert.rejects(reencode(whole.subarray(0, 40), `image/${type}`), { code: 100059 }, type);
    }
  });

  it('an image is refused with 100059 if it is damaged in the middle so that its decoder notices', async () => {
    const whole = await noise(120, 120).png().toBuffer();
    whole.fill(0, whole.length >> 1, (whole.length >> 1) + 50);
    await assert.rejects(reencode(whole), { code: 100059 });
  });
});

describe('the process that decodes images', () => {
  it('the process that decodes images ends at an image that needs too much memory, and the next image gets a new process', async () => {
    const small = openImages({ processes: 1, memoryBytes: 64 * 2 ** 20 });
    const large = await picture(5000, 5000).jpeg().withMetadata({ orientation: 6 }).toBuffer();
    await assert.rejects(small.reencode(large, 'image/jpeg', SHARE), refusal('broke'));
    assert.equal((await small.reencode(PNG, 'image/png', SHARE)).width, 32);
    await small.stop();
  });

  it('the process that decodes images is ended when it takes too long', async () => {
    const hasty = openImages({ processes: 1, timeoutMs: 1 });
    const large = await picture(5000, 5000).jpeg().toBuffer();
    await assert.rejects(hasty.reencode(large, 'image/jpeg', SHARE), refusal('too_slow'));
    await hasty.stop();
  });

  it('the process that decodes images does not get the environment of the server, and ends when it is told to', async (t) => {
    process.env.GROVE_MASTER_KEY_OF_A_TEST = 'SECRET';
    t.after(() => delete process.env.GROVE_MASTER_KEY_OF_A_TEST);
    const child = await startChild({ memoryBytes: 2 ** 29, pages: false, niceness: 5 });
    const environment = `/proc/${child.pid}/environ`;
    if (existsSync(environment)) assert.ok(!readFileSync(environment, 'utf8').includes('SECRET'));
    await child.end();
    assert.throws(() => process.kill(child.pid as number, 0));
  });

  it('the process that decodes images is not started before the first image, and ends after a time without images', async (t) => {
    const children = `/proc/self/task/${process.pid}/children`;
    if (!existsSync(children)) return t.skip('nobody says here what processes there are');
    const count = () => readFileSync(children, 'utf8').split(' ').filter(Boolean).length;
    const before = count();
    const idle = openImages({ processes: 1, idleMs: 1 });
    assert.equal(count(), before);
    await idle.reencode(PNG, 'image/png', SHARE);
    for (let tries = 0; count() > before; tries++) {
      assert.ok(tries < 1000, 'it stays');
      await wait(10);
    }
    assert.equal((await idle.reencode(PNG, 'image/png', SHARE)).width, 32);
    await idle.stop();
  });

  it('the process that decodes images is started once for an announced image, and ends if none comes', async (t) => {
    const children = `/proc/self/task/${process.pid}/children`;
    if (!existsSync(children)) return t.skip('nobody says here what processes there are');
    const count = () => readFileSync(children, 'utf8').split(' ').filter(Boolean).length;
    const before = count();
    const announced = openImages({ processes: 2, idleMs: 1 });
    announced.warm();
    announced.warm();
    assert.equal(count(), before + 1);
    for (let tries = 0; count() > before; tries++) {
      assert.ok(tries < 1000, 'it stays');
      await wait(10);
    }
    announced.warm();
    await announced.stop();
    announced.warm();
    assert.equal(count(), before);
  });

  it('the process that decodes images does not keep its parent process running', () => {
    const script = `
      import { openImages } from ${JSON.stringify(new URL('./images.ts', import.meta.url).href)};
      await openImages().reencode(Buffer.from('${Buffer.from(PNG).toString('base64')}', 'base64'), 'image/png', { tenant: 'a', sender: 'b' });
      console.log('done');`;
    const run = spawnSync(process.execPath, ['--input-type=module', '-e', script], { timeout: 30_000 });
    assert.deepEqual([run.status, run.stdout.toString().trim()], [0, 'done']);
  });

  it('100010: the process that decodes images has a limited queue, and the next caller is asked to come back', async () => {
    const narrow = openImages({ processes: 1, maxWaitingBytes: PNG.length });
    const first = narrow.reencode(PNG, 'image/png', SHARE);
    const second = narrow.reencode(PNG, 'image/png', SHARE);
    await assert.rejects(narrow.reencode(PNG, 'image/png', SHARE), (error: { code: number; detail: object }) => {
      assert.equal(error.code, 100010);
      assert.deepEqual(error.detail, { detail: 'too many images are waiting', retryAfterSeconds: 5 });
      return true;
    });
    assert.deepEqual([(await first).width, (await second).width], [32, 32]);
    await narrow.stop();
  });

  it('100010: images that still wait are refused when the server stops', async () => {
    const stopping = openImages({ processes: 1 });
    const results = Promise.allSettled([
      stopping.reencode(PNG, 'image/png', SHARE),
      stopping.reencode(PNG, 'image/png', SHARE),
    ]);
    await stopping.stop();
    const [, second] = await results;
    assert.equal(second.status === 'rejected' && second.reason.code, 100010);
    await assert.rejects(stopping.reencode(PNG, 'image/png', SHARE), { code: 100010 });
  });
});
