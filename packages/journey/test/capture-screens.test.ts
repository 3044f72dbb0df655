import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { driveCamera, refuseCamera } from './capture-camera.ts';
import { type Head, headPictures } from './capture-clips.ts';
import { type CaptureStage, DOCUMENT, openCaptureStage, WAIT } from './capture-stage.ts';

let stage: CaptureStage;
let head: Head;
before(async () => {
  stage = await openCaptureStage();
  head = await headPictures();
});
after(() => stage?.close());

describe('every screen of the camera', () => {
  const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  type Finding = { id: string; nodes: { target: unknown[] }[] };

  /** What axe has to say about the page as it is now. */
  const findings = async (page: Page): Promise<string[]> => {
    if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(source);
    const { violations } = await page.evaluate(() =>
      (
        window as unknown as { axe: { run(node: Document, options: object): Promise<{ violations: Finding[] }> } }
      ).axe.run(document, {
        runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'],
      }),
    );
    return violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id} ${target.join(' ')}`));
  };
  const open = (page: Page) => page.locator('button.primary').first().tap();

  for (const [lang, colorScheme] of [
    ['en', 'light'],
    ['ar', 'dark'],
  ] as const) {
    test(`gives axe nothing to complain about (${lang}, ${colorScheme})`, async () => {
      const options = { colorScheme, bypassCSP: true };
      const fault = { attempt: 2, fault: { reason: 'blurred', advice: 'retry' } };
      await stage.visit(
        { settings: DOCUMENT, lang, environment: 'test', step: fault },
        async (page) => {
          assert.deepEqual(await findings(page), [], 'primer with a fault');
          await open(page);
          await page.waitForSelector('.hint', WAIT);
          assert.deepEqual(await findings(page), [], 'live');
          await page.waitForSelector('.shot img', WAIT);
          await page.locator('.shot-tools button').nth(1).tap();
          assert.deepEqual(await findings(page), [], 'check');
        },
        options,
      );
      await stage.visit(
        { settings: DOCUMENT, lang },
        async (page) => {
          await refuseCamera(page, 'NotAllowedError');
          await open(page);
          await page.waitForSelector('[data-camera-fault]', WAIT);
          assert.deepEqual(await findings(page), [], 'trouble');
        },
        options,
      );
      await stage.visit(
        { type: 'face', settings: { liveness: 'active' }, lang },
        async (page) => {
          assert.deepEqual(await findings(page), [], 'selfie');
          await open(page);
          await page.waitForSelector('.hint', WAIT);
          assert.deepEqual(await findings(page), [], 'movements');
        },
        { ...options, prepare: (page) => driveCamera(page, head.pictures, { first: 'centre', followed: head.ways }) },
      );
    });
  }
});
