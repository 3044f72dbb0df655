import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { frameOf, openVision, verifyChallenge } from '@grove/vision';
import type { Page } from 'playwright-core';
import { driveCamera } from './capture-camera.ts';
import { type Head, headPictures } from './capture-clips.ts';
import { type CaptureStage, openCamera, openCaptureStage, untilSubmitted, WAIT } from './capture-stage.ts';

let stage: CaptureStage;
let head: Head;
before(async () => {
  stage = await openCaptureStage();
  head = await headPictures();
});
after(() => stage?.close());

describe('a selfie', () => {
  test('is taken by itself when a face looks ahead, and not before', async () => {
    const pictures = { none: stage.card, face: head.pictures.centre as Buffer };
    let show: (name: string) => Promise<void> = async () => undefined;
    const sent = await stage.visit(
      { type: 'face', settings: { liveness: 'passive' } },
      async (page) => {
        await openCamera(page);
        await page.waitForSelector('[data-hint]', WAIT);
        assert.equal(await page.locator('.shot').count(), 0);
        await show('face');
        await page.getByRole('button', { name: 'Use this photo' }).tap(WAIT);
        await untilSubmitted(page);
      },
      { prepare: async (page) => ({ show } = await driveCamera(page, pictures, { first: 'none' })) },
    );
    assert.deepEqual(
      sent.uploads.map(({ name, type }) => [name, type]),
      [['image', 'image/jpeg']],
    );
    const { hints } = sent.submitted[0] as { hints: { source: string } };
    assert.equal(hints.source, 'auto');
  });

  /** What the server's own verification says of the frames that one run sends. */
  const judgeMovements = async () => {
    const poses = ['centre', 'right', 'down', 'left', 'up'] as const;
    let blobs: string[] = [];
    const sent = await stage.visit(
      { type: 'face', settings: { liveness: 'active' }, poses: poses.join() },
      async (page) => {
        await openCamera(page);
        await untilSubmitted(page, 60_000);
        blobs = await page.evaluate(() => (window as unknown as { readBlobs(): Promise<string[]> }).readBlobs());
      },
      { prepare: (page) => driveCamera(page, head.pictures, { first: 'centre', followed: head.ways }) },
    );
    const submitted = sent.submitted[0] as { nonce: string; frames: { name: string; at: number }[] };
    const bytesOf = (name: string) =>
      Buffer.from(blobs[sent.uploads.findIndex((upload) => upload.name === name)] ?? '', 'base64');
    assert.ok(submitted.frames.length >= 10 && submitted.frames.length <= 24);
    const engine = await openVision({ workers: 1 });
    try {
      const image = await engine.analyseFace(bytesOf('image'));
      assert.deepEqual(image.reasons, []);
      const frames = [];
      for (const { name, at } of submitted.frames) {
        const bytes = bytesOf(name);
        frames.push(frameOf(bytes, await engine.analyseFace(bytes), at));
      }
      const challenge = { nonce: 'nonce', poses, issuedAt: 0, expiresAt: 60_000 };
      const { nonce } = submitted;
      const verdict = verifyChallenge({ challenge, nonce, alreadyUsed: false, now: 30_000, frames });
      const angles = frames.map(({ yaw, pitch }) => `${yaw.toFixed(0)}/${pitch.toFixed(0)}`).join(' ');
      return { reasons: verdict.reasons, angles };
    } finally {
      await engine.stop();
    }
  };

  test('with movements sends frames that the server’s own verification accepts, in one of three tries', async () => {
    const refused: string[] = [];
    for (let tries = 0; tries < 3; tries++) {
      const { reasons, angles } = await judgeMovements();
      if (reasons.length === 0) return;
      refused.push(`${reasons.join()}: ${angles}`);
    }
    assert.fail(refused.join('\n'));
  });

  test('with movements goes by the clock where WebAssembly is missing', async () => {
    const sent = await stage.visit(
      { type: 'face', settings: { liveness: 'active' }, poses: 'centre' },
      async (page) => {
        await openCamera(page);
        await untilSubmitted(page);
      },
      { prepare: (page) => page.addInitScript(() => Reflect.deleteProperty(window, 'WebAssembly')) },
    );
    const names = sent.uploads.map(({ name }) => name);
    assert.ok(names.includes('image') && names.includes('frame5'));
  });

  test('with movements goes by the clock where fewer than four looks a second are had, also for who is in place at once', async () => {
    const slowly = (page: Page) =>
      page.addInitScript(() => {
        const { postMessage } = Worker.prototype;
        Worker.prototype.postMessage = function (this: Worker, question: { id?: number }, ...rest: never[]) {
          setTimeout(() => postMessage.call(this, question, ...rest), question.id === undefined ? 0 : 300);
        } as typeof postMessage;
      });
    const sent = await stage.visit(
      { type: 'face', settings: { liveness: 'active' }, poses: 'centre,left' },
      async (page) => {
        await openCamera(page);
        await untilSubmitted(page);
      },
      {
        prepare: async (page) => {
          await slowly(page);
          // He looks ahead and never turns: whoever watched him would never come to an end.
          await driveCamera(page, { centre: head.pictures.centre as Buffer }, { first: 'centre' });
        },
      },
    );
    const { frames } = sent.submitted[0] as { frames: { at: number }[] };
    assert.ok(frames.length >= 9, `${frames.length}`);
  });

  test('offers a person’s help on every screen, and no file where somebody alive is asked for', async () => {
    const help = (page: Page) => page.getByRole('button', { name: 'I can’t do this' });
    await stage.visit({ type: 'face', settings: { liveness: 'passive' } }, async (page) => {
      assert.ok(await help(page).isVisible());
      assert.equal(await page.locator('input[type=file]').count(), 0);
      await openCamera(page);
      await page.waitForSelector('.stage', WAIT);
      assert.ok(await help(page).isVisible());
    });
    await stage.visit({ type: 'face', settings: { liveness: 'none' } }, async (page) => {
      assert.equal(await page.locator('input[type=file]').count(), 1);
    });
    const person = (page: Page) => page.getByRole('button', { name: 'Let a person look at it' });
    const failed = { fault: { reason: 'not_live', advice: 'retry' } };
    const once = { type: 'face', settings: { liveness: 'active' }, step: { ...failed, attempt: 2, triesLeft: 2 } };
    await stage.visit(once, async (page) => {
      assert.deepEqual([await person(page).count(), await help(page).count()], [0, 1]);
    });
    const { events } = await stage.visit({ ...once, step: { ...failed, attempt: 3, triesLeft: 1 } }, async (page) => {
      await person(page).tap(WAIT);
      assert.equal(await help(page).count(), 0, 'the same is not offered twice');
    });
    assert.deepEqual(events, ['unable'], 'after two tries it is offered like the camera');
  });
});
