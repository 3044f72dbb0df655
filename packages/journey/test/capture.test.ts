import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { driveCamera, fakeLenses, refuseCamera } from './capture-camera.ts';
import { specimenPicture } from './capture-clips.ts';
import { type CaptureStage, captureStage, DOCUMENT, openCamera, untilSubmitted, WAIT } from './capture-stage.ts';

let stage: CaptureStage;

/** Imitates two fingers that move apart. */
async function pinch(page: Page, { x, y }: { x: number; y: number }, times: number): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const at = (distance: number) => [
    { x: x - distance / 2, y, id: 0 },
    { x: x + distance / 2, y, id: 1 },
  ];
  await session.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: at(60) });
  for (let step = 1; step <= 4; step += 1) {
    const touchPoints = at(60 * (1 + ((times - 1) * step) / 4));
    await session.send('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints });
  }
  await session.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
}

const seeHint = (page: Page, hint: string) => page.waitForSelector(`[data-hint="${hint}"]`, WAIT);

describe('a document', () => {
  before(async () => {
    stage = await captureStage();
  });

  test('a document is photographed by itself, shown, and sent; then its other side is asked for', async () => {
    const sent = await stage.visit({ settings: DOCUMENT }, async (page) => {
      await openCamera(page);
      await page.waitForSelector('.shot img', WAIT);
      await page.getByRole('button', { name: 'Enlarge' }).tap();
      await page.getByRole('button', { name: 'Use this photo' }).tap();
      await page.getByRole('heading', { name: 'The back of your identity card' }).waitFor(WAIT);
      // The fake camera still shows the front.
      await seeHint(page, 'turnOver');
    });
    assert.deepEqual([sent.uploads.length, sent.submitted.length], [1, 0]);
    const [upload] = sent.uploads;
    assert.deepEqual([upload?.name, upload?.type], ['front', 'image/jpeg']);
    assert.ok((upload?.bytes ?? 0) > 20_000 && (upload?.bytes ?? 0) < 4 * 1024 * 1024);
  });

  test('a document that is missing, far away, blurred or in the dark gets that hint, and is photographed when it is good', async () => {
    const pictures = {
      none: await sharp({ create: { width: 1280, height: 720, channels: 3, background: '#6b5a48' } })
        .jpeg()
        .toBuffer(),
      far: await specimenPicture({ photograph: { share: 0.2 } }),
      blurred: await specimenPicture({ photograph: { blur: 5 } }),
      dark: await specimenPicture({ photograph: { light: 0.2 } }),
      good: stage.card,
    };
    const settings = { ...DOCUMENT, sides: 'front' };
    let show: (name: string) => Promise<void> = async () => undefined;
    const sent = await stage.visit(
      { settings },
      async (page) => {
        await openCamera(page);
        await seeHint(page, 'noDocument');
        await show('far');
        await seeHint(page, 'closer');
        await show('blurred');
        await seeHint(page, 'blurred');
        await show('dark');
        await seeHint(page, 'dark');
        await show('good');
        await page.getByRole('button', { name: 'Use this photo' }).tap(WAIT);
        await untilSubmitted(page);
      },
      { prepare: async (page) => ({ show } = await driveCamera(page, pictures, { first: 'none' })) },
    );
    const { hints, ...submitted } = sent.submitted[0] as { hints: Record<string, unknown> };
    assert.deepEqual(submitted, { documentType: 'ID_CARD', countryCode: 'UTO' });
    assert.deepEqual([hints.frontSource, hints.frontWidth], ['auto', 720]);
  });

  test('a document can be photographed by hand at once without a pointer', async () => {
    const dark = await specimenPicture({ photograph: { light: 0.1 } });
    const sent = await stage.visit(
      { settings: { ...DOCUMENT, sides: 'front' } },
      async (page) => {
        await page.getByRole('button', { name: 'Open the camera' }).focus();
        await page.keyboard.press('Enter');
        const shutter = page.getByRole('button', { name: 'Take the photo' });
        await shutter.waitFor(WAIT);
        await shutter.focus();
        await page.keyboard.press('Enter');
        await page.waitForSelector('.shot img', WAIT);
      },
      { prepare: (page) => driveCamera(page, { dark }, { first: 'dark' }) },
    );
    assert.equal(sent.uploads.length, 0);
  });

  test('a document can be photographed by hand at once with reduced motion, and after seven seconds by everybody', async () => {
    const dark = await specimenPicture({ photograph: { light: 0.1 } });
    const settings = { ...DOCUMENT, sides: 'front' };
    const prepare = (page: Page) => driveCamera(page, { dark }, { first: 'dark' });
    const shutterOf = (page: Page) => page.getByRole('button', { name: 'Take the photo' });
    await stage.visit(
      { settings },
      async (page) => {
        const moves = () => page.evaluate(() => document.getAnimations().length);
        assert.equal(await moves(), 0, 'the picture of what to do stands still');
        await openCamera(page);
        await seeHint(page, 'dark');
        assert.equal(await shutterOf(page).count(), 1);
        assert.equal(await moves(), 0, 'and so does what lies over the camera');
      },
      { prepare, reducedMotion: 'reduce' },
    );
    await stage.visit(
      { settings },
      async (page) => {
        await openCamera(page);
        await seeHint(page, 'dark');
        assert.equal(await shutterOf(page).count(), 0);
        await page.clock.fastForward(7_000);
        await shutterOf(page).waitFor(WAIT);
      },
      {
        async prepare(page) {
          await page.clock.install();
          await prepare(page);
        },
      },
    );
  });

  test('a lens without colours gives way to one with colours; the lens can be changed, and its torch turned on', async () => {
    const lenses = [
      { label: 'Infrared', colour: '#777777' },
      { label: 'Colour', colour: '#b06030', torch: true },
    ];
    const sent = await stage.visit(
      { settings: { ...DOCUMENT, sides: 'front' } },
      async (page) => {
        await openCamera(page);
        const lamp = page.getByRole('button', { name: 'Turn the light on' });
        await lamp.tap(WAIT);
        await page.getByRole('button', { name: 'Turn the light off', pressed: true }).waitFor(WAIT);
        await page.getByRole('button', { name: 'Take the photo' }).tap(WAIT);
        await page.getByRole('button', { name: 'Use this photo' }).tap(WAIT);
        await untilSubmitted(page);
      },
      { prepare: (page) => fakeLenses(page, lenses), reducedMotion: 'reduce' },
    );
    const { hints } = sent.submitted[0] as { hints: Record<string, unknown> };
    assert.deepEqual([hints.frontCameraLabel, hints.frontTorch], ['Colour', true]);
    await stage.visit(
      { settings: DOCUMENT },
      async (page) => {
        await openCamera(page);
        await page.getByRole('button', { name: 'Turn the light on' }).waitFor(WAIT);
        await page.getByRole('button', { name: 'Switch camera' }).tap();
        await page.getByRole('button', { name: 'Turn the light on' }).waitFor({ ...WAIT, state: 'detached' });
      },
      {
        prepare: (page) =>
          fakeLenses(page, [
            { ...lenses[1], label: 'One' },
            { label: 'Two', colour: '#3060b0' },
          ] as never),
      },
    );
  });

  test('a document can be photographed by hand where WebAssembly is missing', async () => {
    await stage.visit(
      { settings: DOCUMENT },
      async (page) => {
        await openCamera(page);
        await page.getByRole('button', { name: 'Take the photo' }).tap(WAIT);
        await page.waitForSelector('.shot img', WAIT);
      },
      { prepare: (page) => page.addInitScript(() => Reflect.deleteProperty(window, 'WebAssembly')) },
    );
  });

  test('a document can come from a file; a file that is no photograph is explained, and the next one is used', async () => {
    const png = await sharp(stage.card).resize(900).png().toBuffer();
    const file = (name: string, buffer: Buffer) => ({ name, mimeType: 'image/jpeg', buffer });
    const sent = await stage.visit({ settings: { ...DOCUMENT, sides: 'front' } }, async (page) => {
      const input = page.locator('input[type=file]');
      await input.setInputFiles(file('photo.jpg', Buffer.from('\0\0\0\u0018ftypheic0000', 'latin1')));
      await page.getByText('HEIC').waitFor(WAIT);
      await input.setInputFiles(file('empty.jpg', Buffer.alloc(0)));
      await page.getByText('This file is empty').waitFor(WAIT);
      await input.setInputFiles(file('broken.jpg', Buffer.from([0xff, 0xd8, 0xff, 0xe0, 1, 2, 3])));
      await page.getByText('cannot be opened').waitFor(WAIT);
      await input.setInputFiles(file('small.jpg', await sharp(stage.card).resize(200).jpeg().toBuffer()));
      await page.getByText('too small').waitFor(WAIT);
      await input.setInputFiles(file('card.jpg', png));
      await page.getByRole('button', { name: 'Use this photo' }).tap(WAIT);
      await untilSubmitted(page);
    });
    assert.deepEqual(
      sent.uploads.map(({ name, type }) => [name, type]),
      [['front', 'image/jpeg']],
    );
  });

  test('a huge file is sent as a JPEG of at most 2560 pixels, with its hash among the hints', async () => {
    const huge = await sharp(stage.card).resize(4000).jpeg({ quality: 60 }).toBuffer();
    let sentBytes = Buffer.alloc(0);
    const sent = await stage.visit({ settings: { ...DOCUMENT, sides: 'front' } }, async (page) => {
      const photo = { name: 'huge.jpg', mimeType: 'image/jpeg', buffer: huge };
      await page.locator('input[type=file]').setInputFiles(photo);
      await page.getByRole('button', { name: 'Use this photo' }).tap(WAIT);
      await untilSubmitted(page);
      const read = () => (window as unknown as { readBlobs(): Promise<string[]> }).readBlobs();
      sentBytes = Buffer.from((await page.evaluate(read))[0] ?? '', 'base64');
    });
    const { width, format } = await sharp(sentBytes).metadata();
    assert.deepEqual([format, width], ['jpeg', 2560]);
    const { hints } = sent.submitted[0] as { hints: Record<string, unknown> };
    const sha256 = createHash('sha256').update(sentBytes).digest('hex');
    assert.deepEqual([hints.frontSource, hints.frontSha256], ['file', sha256]);
  });

  test('a document can be a PDF, which is sent unchanged and shown as the server’s picture of it', async () => {
    const pdf = { name: 'scan.jpg', mimeType: 'image/jpeg', buffer: Buffer.from('%PDF-1.7 one page and another') };
    const sent = await stage.visit({ settings: { ...DOCUMENT, sides: 'front' } }, async (page) => {
      const input = page.locator('input[type=file]');
      assert.match((await input.getAttribute('accept')) ?? '', /application\/pdf/);
      await input.setInputFiles(pdf);
      await page.getByText('Only the first one is used').waitFor(WAIT);
      await page.getByRole('button', { name: 'Use this photo' }).tap(WAIT);
      await untilSubmitted(page);
    });
    assert.deepEqual(
      sent.uploads.map(({ name, type, bytes }) => [name, type, bytes]),
      [['front', 'application/pdf', pdf.buffer.length]],
    );
    const { hints } = sent.submitted[0] as { hints: Record<string, unknown> };
    assert.deepEqual([hints.frontSource, hints.frontPages], ['pdf', 2]);
  });

  test('a photograph that was poor twice is shown with its fault, and can be used anyway', async () => {
    const step = { attempt: 3, triesLeft: 3, images: ['back'], mayUseAnyway: true };
    const fault = { reason: 'blurred', advice: 'retry', picture: 'front' };
    const sent = await stage.visit({ settings: DOCUMENT, step: { ...step, fault } }, async (page) => {
      await page.getByRole('heading', { name: 'The photo was blurred' }).waitFor(WAIT);
      await page.waitForSelector('.shot img', WAIT);
      await page.getByText('You have 3 tries left').waitFor(WAIT);
      await page.getByRole('button', { name: 'Use it anyway' }).tap();
      await page.waitForFunction(() => (window as unknown as { sent: { events: string[] } }).sent.events.length > 0);
    });
    assert.deepEqual([sent.events, sent.uploads], [['useAnyway'], []]);
  });

  test('a document with one good side needs only its other side, where the fault is named', async () => {
    const fault = { reason: 'glare', advice: 'retry', picture: 'back' };
    const step = { attempt: 2, triesLeft: 4, images: ['front'], fault };
    const sent = await stage.visit({ settings: DOCUMENT, step }, async (page) => {
      await page.getByRole('heading', { name: 'The back of your identity card' }).waitFor(WAIT);
      await page.getByText('There was a reflection').waitFor(WAIT);
      assert.equal(await page.getByRole('button', { name: 'Use it anyway' }).count(), 0);
      await openCamera(page);
      await page.getByRole('button', { name: 'Use this photo' }).tap(WAIT);
      await untilSubmitted(page);
    });
    assert.deepEqual(
      sent.uploads.map(({ name }) => name),
      ['back'],
    );
    await stage.visit({ settings: DOCUMENT, step }, async (page) => {
      await page.getByRole('button', { name: 'Photograph both sides again' }).tap();
      await page.getByRole('heading', { name: 'The front of your identity card' }).waitFor(WAIT);
    });
  });

  test('a photograph is enlarged by buttons, keys, two fingers and a second tap', async () => {
    await stage.visit({ settings: { ...DOCUMENT, sides: 'front' } }, async (page) => {
      await page.locator('input[type=file]').setInputFiles({ name: 'a', mimeType: 'image/jpeg', buffer: stage.card });
      const shot = page.locator('.shot');
      const untilScale = (percent: number) => page.waitForSelector(`.shot[data-scale="${percent}"]`, WAIT);
      await shot.locator('img').waitFor(WAIT);
      await page.getByRole('button', { name: 'Enlarge' }).tap();
      await untilScale(150);
      await page.getByRole('button', { name: 'Reduce' }).tap();
      await untilScale(100);
      await shot.focus();
      await page.keyboard.press('+');
      await page.keyboard.press('+');
      await untilScale(225);
      const before = await shot.evaluate((room) => room.scrollLeft);
      await page.keyboard.press('ArrowRight');
      await page.waitForFunction((left) => (document.querySelector('.shot')?.scrollLeft ?? 0) > left, before, WAIT);
      await page.keyboard.press('0');
      await untilScale(100);
      const { x = 0, y = 0, width = 0, height = 0 } = (await shot.boundingBox()) ?? {};
      const middle = { x: x + width / 2, y: y + height / 2 };
      await pinch(page, middle, 3);
      await untilScale(300);
      await page.getByRole('button', { name: 'Show the whole photo' }).tap();
      await untilScale(100);
      await shot.dblclick();
      await untilScale(250);
    });
  });

  test('a document can be a sample in the sandbox, and nowhere else', async () => {
    const settings = { ...DOCUMENT, accept: ['PASSPORT'] };
    const sent = await stage.visit({ settings, environment: 'test' }, async (page) => {
      await page.getByRole('button', { name: 'Use a sample passport' }).tap();
      await untilSubmitted(page);
    });
    assert.deepEqual(JSON.parse(sent.uploads[0]?.text ?? ''), {
      documentType: 'PASSPORT',
      countryCode: 'UTO',
      person: 'sample',
    });
    await stage.visit({ settings }, async (page) => {
      assert.equal(await page.getByRole('button', { name: 'Use a sample passport' }).count(), 0);
    });
  });
});

describe('a camera that does not open', () => {
  before(async () => {
    stage = await captureStage();
  });

  const REFUSALS: [name: string, message: string, fault: string][] = [
    ['NotAllowedError', 'Permission denied', 'denied'],
    ['NotAllowedError', 'Permission denied by system', 'deniedBySystem'],
    ['NotFoundError', '', 'notFound'],
    ['NotReadableError', '', 'inUse'],
    ['OverconstrainedError', '', 'unsuitable'],
    ['SecurityError', '', 'blocked'],
    ['AbortError', '', 'aborted'],
  ];

  test('a camera that does not open is explained, with another attempt and another way', async () => {
    await stage.visit({ settings: DOCUMENT }, async (page) => {
      for (const [name, message, fault] of REFUSALS) {
        await refuseCamera(page, name, message);
        const again = page.getByRole('button', { name: 'Try again' });
        await ((await again.isVisible()) ? again.tap() : openCamera(page));
        await page.waitForSelector(`[data-camera-fault="${fault}"]`, WAIT);
        assert.ok(await again.isVisible());
        assert.ok(await page.getByRole('button', { name: 'Use a photo or PDF' }).isVisible());
      }
    });
  });

  test('a camera opens at another attempt once it is allowed', async () => {
    await stage.visit({ settings: DOCUMENT }, async (page) => {
      const allow = await refuseCamera(page, 'NotAllowedError');
      await openCamera(page);
      await page.waitForSelector('[data-camera-fault="denied"]', WAIT);
      await allow();
      await page.getByRole('button', { name: 'Try again' }).tap();
      await page.waitForSelector('.shot img', WAIT);
    });
  });

  test('a camera that does not open offers no file where only the camera counts, and still offers a person’s help', async () => {
    const sent = await stage.visit({ settings: { ...DOCUMENT, requireLiveCapture: true } }, async (page) => {
      await refuseCamera(page, 'NotFoundError');
      await openCamera(page);
      await page.waitForSelector('[data-camera-fault="notFound"]', WAIT);
      assert.equal(await page.locator('input[type=file]').count(), 0);
      await page.getByRole('button', { name: 'I can’t do this' }).tap();
    });
    assert.deepEqual(sent.events, ['unable']);
  });

  test('the browser of an app leads to the phone’s own, with the number of the hand-off', async () => {
    const instagram = 'Instagram 300.0.0.0.0';
    const android = `Mozilla/5.0 (Linux; Android 14; Pixel 8; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/123.0.0.0 Mobile Safari/537.36 ${instagram}`;
    const iphone = `Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 ${instagram}`;
    await stage.visit(
      { settings: DOCUMENT },
      async (page) => {
        await page.getByRole('button', { name: 'Continue in another browser' }).tap();
        const link = page.getByRole('link', { name: 'Open in Chrome' });
        assert.match((await link.getAttribute('href', WAIT)) ?? '', /^intent:\/\/grove\.example\/web\/\?h=1#Intent;/);
        assert.ok(await page.getByText('42').isVisible());
      },
      { userAgent: android },
    );
    await stage.visit(
      { settings: DOCUMENT },
      async (page) => {
        await page.getByRole('button', { name: 'Continue in another browser' }).tap();
        await page.getByRole('button', { name: 'Copy the link' }).waitFor(WAIT);
        await page.getByRole('button', { name: 'Try it here' }).tap();
        await page.getByRole('button', { name: 'Open the camera' }).waitFor(WAIT);
      },
      { userAgent: iphone },
    );
  });
});
