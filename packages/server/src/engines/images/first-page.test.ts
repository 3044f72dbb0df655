import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { deflateSync } from 'node:zlib';
import sharp from 'sharp';
import { JPEG, quadrants } from '../../../test/images.ts';
import { A4, onePage, PDF, type PdfObject, pageOfJpeg, pdfOf, TWO_HALVES } from '../../../test/pdfs.ts';
import { openImages, type Reencoded } from './images.ts';
import { pdfiumCode } from './render-page.ts';

const images = openImages({ processes: 1 });
after(() => images.stop());

const SHARE = { tenant: 'acme', sender: 'one' };
const firstPage = (bytes: Uint8Array) => images.firstPage(bytes, SHARE);
const refusal = (reason: string) => ({ name: 'ImageRefused', code: 100059, reason });
const colourAt = async ({ bytes }: Reencoded, left: number, top: number) => {
  const raw = await sharp(bytes).extract({ left, top, width: 1, height: 1 }).raw().toBuffer();
  return [...raw].map((value) => Math.round(value / 255)).join('');
};
const [RED, GREEN, BLUE, WHITE] = ['100', '010', '001', '111'];

describe('the first page of a PDF', () => {
  it('the first page of a PDF becomes an upright JPEG of 2560 pixels without anything else in it', async () => {
    const page = await firstPage(PDF);
    assert.deepEqual([page.contentType, page.width, page.height, page.pages], ['image/jpeg', 1809, 2560, 1]);
    assert.deepEqual([await colourAt(page, 900, 100), await colourAt(page, 900, 2400)], [BLUE, RED]);
    const { exif, icc, xmp, channels, space } = await sharp(page.bytes).metadata();
    assert.deepEqual([exif, icc, xmp, channels, space], [undefined, undefined, undefined, 3, 'srgb']);
  });

  it('the first page of a PDF is rotated as the PDF says, and is white where nothing is drawn', async () => {
    const turned = await firstPage(onePage('1 0 0 rg 0 0 297 842 re f', { page: '/Rotate 90' }));
    assert.deepEqual([turned.width, turned.height], [2560, 1809]);
    assert.deepEqual([await colourAt(turned, 1280, 100), await colourAt(turned, 1280, 1700)], [RED, WHITE]);
  });

  it('the first page of a PDF shows a photograph with its own colours, and a page of a card at 600 dots per inch', async () => {
    const small = await (await quadrants()).png().toBuffer();
    const photograph = await sharp(small).resize(640, 320).jpeg({ quality: 100 }).toBuffer();
    const page = await firstPage(pageOfJpeg(photograph, 640, 320));
    assert.deepEqual([page.width, page.height], [2560, 1280]);
    const corners = [await colourAt(page, 99, 99), await colourAt(page, 2400, 99), await colourAt(page, 99, 1200)];
    assert.deepEqual(corners, [RED, '010', BLUE]);
    const card = await firstPage(onePage('0 1 0 rg 0 0 243 153 re f', { box: '[0 0 243 153]' }));
    assert.deepEqual([card.width, card.height, await colourAt(card, 1000, 600)], [2025, 1275, GREEN]);
  });

  it('the first page of a PDF is the only page that is drawn, however many there are', async () => {
    const count = 10_000;
    const kids = Array.from({ length: count }, (_, index) => `${index + 4} 0 R`).join(' ');
    const pages = Array.from({ length: count }, () => `<</Type/Page/Parent 2 0 R/MediaBox${A4}/Contents 3 0 R>>`);
    const drawing: PdfObject = { head: '', stream: Buffer.from(TWO_HALVES) };
    const catalog = '<</Type/Catalog/Pages 2 0 R>>';
    const page = await firstPage(pdfOf([catalog, `<</Type/Pages/Kids[${kids}]/Count ${count}>>`, drawing, ...pages]));
    assert.deepEqual([page.pages, await colourAt(page, 900, 100)], [count, BLUE]);
  });

  it('the first page of a PDF runs no script, opens no file and follows no link', async () => {
    const script = '<</S/JavaScript/JS(while\\(true\\){}; app.launchURL\\("http://127.0.0.1:9/"\\))>>';
    const link = `<</Type/Annot/Subtype/Link/Rect${A4}/A<</S/URI/URI(http://127.0.0.1:9/)>>>>`;
    const launch = '<</S/Launch/F(/bin/sh)>>';
    const outside: PdfObject = { head: '/F(/etc/passwd)/FFilter/FlateDecode', stream: Buffer.from(TWO_HALVES) };
    const attached: PdfObject = { head: '/Type/EmbeddedFile', stream: Buffer.from('SECRET') };
    const page = await firstPage(
      onePage(TWO_HALVES, {
        catalog: `/OpenAction ${script}/AA<</WC ${script}>>/Names<</JavaScript<</Names[(a)${script}]>>/EmbeddedFiles<</Names[(b)<</Type/Filespec/EF<</F 6 0 R>>>>]>>>>`,
        page: `/Annots[${link}]/AA<</O ${script}/C ${launch}>>/Resources<</XObject<</X 5 0 R>>>>`,
        more: [outside, attached],
      }),
    );
    assert.deepEqual([await colourAt(page, 900, 100), page.bytes.includes('SECRET')], [BLUE, false]);
  });

  it('the first page of a PDF is drawn by code that can import only memory, the time and files of its own', async () => {
    const imports = WebAssembly.Module.imports(await pdfiumCode()).map(({ name }) => name);
    const own =
      /^(__syscall_(fcntl64|fstat64|ftruncate64|getdents64|ioctl|lstat64|newfstatat|openat|rmdir|stat64|unlinkat)|fd_(close|read|seek|sync|write)|environ_(get|sizes_get)|_(gm|local)time_js|_tzset_js|_abort_js|_emscripten_throw_longjmp|emscripten_(date_now|resize_heap)|invoke_[iv]+)$/;
    assert.deepEqual(
      imports.filter((name) => !own.test(name)),
      [],
    );
  });

  it('the first page of a PDF is found only at the beginning of the file, and other content of the file is dropped', async () => {
    const both = Buffer.concat([PDF, JPEG, Buffer.from('PK\x03\x04 SECRET %%EOF')]);
    const page = await firstPage(both);
    assert.deepEqual([await colourAt(page, 900, 100), page.bytes.includes('SECRET')], [BLUE, false]);
    await assert.rejects(firstPage(Buffer.concat([JPEG, PDF])), refusal('not_a_pdf'));
    const picture = await images.reencode(Buffer.concat([JPEG, PDF]), 'image/jpeg', SHARE);
    assert.deepEqual([picture.width, picture.bytes.includes('PDF')], [32, false]);
  });
});

describe('100059: a refused PDF', () => {
  it('100059: a file is refused as a PDF if it is empty, larger than 12 MiB, or not a PDF', async () => {
    await assert.rejects(firstPage(Buffer.alloc(0)), refusal('empty'));
    await assert.rejects(firstPage(Buffer.concat([PDF, Buffer.alloc(12 * 2 ** 20)])), refusal('too_large'));
    await assert.rejects(firstPage(JPEG), refusal('not_a_pdf'));
    await assert.rejects(firstPage(Buffer.from(' %PDF-1.7')), refusal('not_a_pdf'));
    await assert.rejects(firstPage(Buffer.from('%PDF-1.7\n%%EOF')), refusal('not_a_pdf'));
    await assert.rejects(firstPage(Buffer.from(`%PDF-1.7\n${'\0\xff<</'.repeat(9999)}%%EOF`)), refusal('not_a_pdf'));
  });

  it('100059: a PDF is refused wherever an image is required', async () => {
    for (const type of ['application/pdf', 'image/png', 'image/jpeg']) {
      await assert.rejects(images.reencode(PDF, type, SHARE), refusal('not_an_image'));
    }
  });

  it('100059: a PDF is refused if its end is missing', async () => {
    for (const length of [20, PDF.length >> 1, PDF.length - 10]) {
      await assert.rejects(firstPage(PDF.subarray(0, length)), refusal('truncated'));
    }
  });

  it('100059: a PDF is refused if it needs a password or an unknown method of encryption', async () => {
    const bytes = 'ab'.repeat(32);
    const standard = `/Filter/Standard/V 2/R 3/Length 128/P -4/O<${bytes}>/U<${bytes}>`;
    for (const encrypt of [standard, '/Filter/Unheard.Of/V 9']) {
      const trailer = `/Encrypt<<${encrypt}>>/ID[<${bytes}><${bytes}>]`;
      await assert.rejects(firstPage(onePage(TWO_HALVES, { trailer })), refusal('encrypted'));
    }
  });

  it('100059: a PDF is refused if it has no page, or a page of a size that no document has', async () => {
    const none = ['<</Type/Catalog/Pages 2 0 R>>', '<</Type/Pages/Kids[]/Count 0>>'];
    await assert.rejects(firstPage(pdfOf(none)), refusal('no_pages'));
    for (const box of ['[0 0 100000 100000]', '[0 0 5 842]', '[0 0 2000000000 2000000000]', '[0 0 14401 100]']) {
      await assert.rejects(firstPage(onePage(TWO_HALVES, { box })), refusal('page_size'), box);
    }
  });

  it('100059: a PDF is refused if it needs all the memory, and the next one is drawn by a new process', async () => {
    const small = openImages({ processes: 1, memoryBytes: 64 * 2 ** 20, timeoutMs: 60_000 });
    const bomb = onePage({ head: '/Filter/FlateDecode', stream: deflateSync(Buffer.alloc(2 ** 27, ' ')) });
    assert.ok(bomb.length < 300_000);
    await assert.rejects(small.firstPage(bomb, SHARE), refusal('broke'));
    assert.equal((await small.firstPage(PDF, SHARE)).width, 1809);
    await small.stop();
  });

  it('100059: a PDF is refused if it needs all the time', async () => {
    const hasty = openImages({ processes: 1, timeoutMs: 1500 });
    const level = (next: number): PdfObject => ({
      head: `/Type/XObject/Subtype/Form/BBox${A4}/Resources<</XObject<</X ${next} 0 R>>>>`,
      stream: Buffer.from('/X Do '.repeat(100)),
    });
    const drawing: PdfObject = { head: `/Type/XObject/Subtype/Form/BBox${A4}`, stream: Buffer.from(TWO_HALVES) };
    const laughs = onePage('/X Do', {
      page: '/Resources<</XObject<</X 5 0 R>>>>',
      more: [level(6), level(7), level(8), level(9), level(10), drawing],
    });
    await assert.rejects(hasty.firstPage(laughs, SHARE), refusal('too_slow'));
    await hasty.stop();
  });

  it('100059: a PDF with deep nesting, a cycle or a huge expansion is refused or drawn, and does no harm', async () => {
    const deep = '['.repeat(100_000);
    const circle: PdfObject = { head: '/Type/XObject/Subtype/Form/BBox[0 0 9 9]', stream: Buffer.from('/X Do') };
    const folded = deflateSync(deflateSync(Buffer.alloc(2 ** 25, ' ')));
    const files = [
      onePage(TWO_HALVES, { catalog: `/Deep ${deep}` }),
      onePage(`${deep} TJ`),
      onePage('q '.repeat(500_000)),
      onePage('/X Do', { page: '/Resources<</XObject<</X 5 0 R>>>>', more: [circle] }),
      pdfOf(['<</Type/Catalog/Pages 2 0 R>>', '<</Type/Pages/Kids[2 0 R]/Count 1>>']),
      onePage({ head: '/Filter[/FlateDecode/FlateDecode]', stream: folded }),
    ];
    for (const file of files) {
      const outcome = await firstPage(file).catch(({ reason }) => reason);
      assert.ok(outcome.width === 1809 || ['broke', 'too_slow', 'no_pages', 'not_a_pdf'].includes(outcome), outcome);
    }
    assert.equal((await firstPage(PDF)).width, 1809);
  });
});
