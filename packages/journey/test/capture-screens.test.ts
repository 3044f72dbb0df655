import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { firstOf } from '../../../scripts/long.ts';
import { axeFaults } from './axe.ts';
import { driveCamera, refuseCamera } from './capture-camera.ts';
import { type Head, headPictures } from './capture-clips.ts';
import { type CaptureStage, captureStage, DOCUMENT, hurryUntil, WAIT } from './capture-stage.ts';
import { keepScreens } from './keep-screens.ts';

let stage: CaptureStage;
let head: Head;

describe('every screen of the camera', () => {
  before(async () => {
    stage = await captureStage();
    head = await headPictures();
  });

  const look = async (page: Page, name: string, lang: string) => {
    assert.deepEqual(await axeFaults(page), [], name);
    if (name !== 'live') await keepScreens(page, `camera ${name} ${lang}`);
  };
  const open = (page: Page) => page.locator('button.primary').first().tap();

  for (const [lang, colorScheme] of firstOf(1, [
    ['en', 'light'],
    ['ar', 'dark'],
  ] as const)) {
    test(`axe finds no fault on any screen of the camera (${lang}, ${colorScheme})`, async () => {
      const options = { colorScheme, bypassCSP: true };
      const fault = { attempt: 2, fault: { reason: 'blurred', advice: 'retry' } };
      await stage.visit(
        { settings: DOCUMENT, lang, environment: 'test', step: fault },
        async (page) => {
          await look(page, 'primer with a fault', lang);
          await open(page);
          await page.waitForSelector('.hint', WAIT);
          await look(page, 'live', lang);
          await page.waitForSelector('.shot img', WAIT);
          await page.locator('.shot-tools button').nth(1).tap();
          await look(page, 'check', lang);
        },
        options,
      );
      await stage.visit(
        { settings: DOCUMENT, lang },
        async (page) => {
          await refuseCamera(page, 'NotAllowedError');
          await open(page);
          await page.waitForSelector('[data-camera-fault]', WAIT);
          await look(page, 'trouble', lang);
        },
        options,
      );
      const face = { type: 'face', settings: { liveness: 'active' }, lang };
      // The screens are the same without landmarks, and nothing else keeps the page busy while axe runs.
      const still = {
        ...options,
        async prepare(page: Page) {
          await page.clock.install();
          await page.addInitScript(() => Reflect.deleteProperty(window, 'WebAssembly'));
          await driveCamera(page, head.pictures, { first: 'centre' });
        },
      };
      const endless = { frames: 1000 };
      const omitted = [{ kinds: ['closeEyes'], hint: 'too_dark' }, { kinds: ['openMouth'] }, { kinds: ['left'] }];
      await stage.visit(
        { ...face, challenges: [...omitted.map((script) => ({ ...script, ...endless })), { refuse: 100131 }] },
        async (page) => {
          await look(page, 'selfie', lang);
          await open(page);
          await page.waitForSelector('.stage', WAIT);
          for (const { kinds } of omitted) {
            await hurryUntil(page, page.locator(`[data-pose=${kinds}]`));
            await look(page, `movement ${kinds}`, lang);
            await page.locator('.stage ~ .button.quiet').last().tap();
          }
          await hurryUntil(page, page.locator('.actions .primary'));
          await look(page, 'no more challenges', lang);
        },
        still,
      );
      await stage.visit(
        { ...face, challenges: [{ kinds: ['centre'], end: 'face_lost' }] },
        async (page) => {
          await open(page);
          await page.waitForSelector('.stage', WAIT);
          await hurryUntil(page, page.locator('.hint.long'));
          await look(page, 'starts again', lang);
          await hurryUntil(page, page.locator('.actions .primary'));
          await look(page, 'challenge ended', lang);
        },
        still,
      );
    });
  }
});
