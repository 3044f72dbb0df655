import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { driveCamera, refuseCamera } from './capture-camera.ts';
import { specimenPicture } from './capture-clips.ts';
import { type CaptureStage, DOCUMENT, openCamera, openCaptureStage, untilSubmitted, WAIT } from './capture-stage.ts';

let stage: CaptureStage;
before(async () => {
  stage = await openCaptureStage();
});
after(() => stage?.close());

const seeHint = (page: Page, hint: string) => page.waitForSelector(`[data-hint="${hint}"]`, WAIT);

describe('a document', () => {
  test('is photographed by itself, shown, and sent; then its other side is asked for', async () => {
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

  test('that is missing, far away, blurred or in the dark gets that hint, and is photographed when it is good', async () => {
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

  test('can be photographed by hand at once by who uses no pointer', async () => {
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

  test('can be photographed by hand where WebAssembly is missing', async () => {
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

  test('can come from a file; what is no photograph is explained, and the next choice is taken', async () => {
    const png = await sharp(stage.card).resize(900).png().toBuffer();
    const file = (name: string, buffer: Buffer) => ({ name, mimeType: 'image/jpeg', buffer });
    const sent = await stage.visit({ settings: { ...DOCUMENT, sides: 'front' } }, async (page) => {
      const input = page.locator('input[type=file]');
      await input.setInputFiles(file('photo.jpg', Buffer.from('\0\0\0\u0018ftypheic0000', 'latin1')));
      await page.getByText('HEIC').waitFor(WAIT);
      await input.setInputFiles(file('scan.jpg', Buffer.from('%PDF-1.7 …')));
      await page.getByText('This is a PDF').waitFor(WAIT);
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

  test('can be a sample in the sandbox, and nowhere else', async () => {
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
  const REFUSALS: [name: string, message: string, fault: string][] = [
    ['NotAllowedError', 'Permission denied', 'denied'],
    ['NotAllowedError', 'Permission denied by system', 'deniedBySystem'],
    ['NotFoundError', '', 'notFound'],
    ['NotReadableError', '', 'inUse'],
    ['OverconstrainedError', '', 'unsuitable'],
    ['SecurityError', '', 'blocked'],
    ['AbortError', '', 'aborted'],
  ];

  test('is explained by its reason, with another try and another way', async () => {
    await stage.visit({ settings: DOCUMENT }, async (page) => {
      for (const [name, message, fault] of REFUSALS) {
        await refuseCamera(page, name, message);
        const again = page.getByRole('button', { name: 'Try again' });
        await ((await again.isVisible()) ? again.tap() : openCamera(page));
        await page.waitForSelector(`[data-camera-fault="${fault}"]`, WAIT);
        assert.ok(await again.isVisible());
        assert.ok(await page.getByRole('button', { name: 'Use a photo from this device' }).isVisible());
      }
    });
  });

  test('opens with another try once it is allowed', async () => {
    await stage.visit({ settings: DOCUMENT }, async (page) => {
      const allow = await refuseCamera(page, 'NotAllowedError');
      await openCamera(page);
      await page.waitForSelector('[data-camera-fault="denied"]', WAIT);
      await allow();
      await page.getByRole('button', { name: 'Try again' }).tap();
      await page.waitForSelector('.shot img', WAIT);
    });
  });

  test('offers no file where only the camera counts, and still offers a person’s help', async () => {
    const sent = await stage.visit({ settings: { ...DOCUMENT, requireLiveCapture: true } }, async (page) => {
      await refuseCamera(page, 'NotFoundError');
      await openCamera(page);
      await page.waitForSelector('[data-camera-fault="notFound"]', WAIT);
      assert.equal(await page.locator('input[type=file]').count(), 0);
      await page.getByRole('button', { name: 'I can’t do this' }).tap();
    });
    assert.deepEqual(sent.events, ['unable']);
  });

  test('leads from the browser of an app to the phone’s own, with the number of the hand-off', async () => {
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
