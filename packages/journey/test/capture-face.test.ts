import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { firstOf } from '../../../scripts/long.ts';
import { driveCamera } from './capture-camera.ts';
import { type Head, headPictures } from './capture-clips.ts';
import { type CaptureStage, captureStage, openCamera, untilSubmitted, WAIT } from './capture-stage.ts';

/** The time for which the page shows why a challenge starts again. */
const NOTICE_MS = 3_500;

let stage: CaptureStage;
let head: Head;

/** Makes landmarks take half a second each. */
function slowly(page: Page): Promise<unknown> {
  return page.addInitScript(() => {
    const { postMessage } = Worker.prototype;
    Worker.prototype.postMessage = function (this: Worker, question: { id?: number }, ...rest: never[]) {
      setTimeout(() => postMessage.call(this, question, ...rest), question.id === undefined ? 0 : 500);
    } as typeof postMessage;
  });
}

/** Records what screen readers announce: some instructions are shown for a moment only. */
function noteWords(page: Page): Promise<unknown> {
  return page.addInitScript(() => {
    const said: string[] = [];
    Object.assign(window, { said });
    const note = () => {
      const words = document.querySelector('[aria-live=assertive]')?.textContent ?? '';
      if (words && words !== said.at(-1)) said.push(words);
    };
    new MutationObserver(note).observe(document, { subtree: true, childList: true, characterData: true });
  });
}

describe('a selfie', () => {
  before(async () => {
    stage = await captureStage();
    head = await headPictures();
  });

  test('a selfie is taken by itself when a face looks ahead, and not before', async () => {
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

  const active = { type: 'face', settings: { liveness: 'active' } };
  /** The picture never moves: the scripted server counts frames. */
  const still = (page: Page) => driveCamera(page, { centre: head.pictures.centre as Buffer }, { first: 'centre' });
  const eyes = { kinds: ['centre', 'right', 'closeEyes', 'openMouth'] };
  /** The page's clock is controlled, because the reason for a restart is shown for a few seconds. */
  const stillWithClock = async (page: Page) => {
    await page.clock.install();
    await still(page);
  };
  const haveRead = (page: Page) => page.clock.fastForward(NOTICE_MS);
  const shown = (page: Page, text: string | RegExp) => page.locator('.hint', { hasText: text }).first().waitFor(WAIT);

  test('a selfie with movements sends one signed frame at a time, for each instruction as the server reveals it', async () => {
    let said: string[] = [];
    const sent = await stage.visit(
      { ...active, challenges: [eyes] },
      async (page) => {
        await openCamera(page);
        await untilSubmitted(page);
        said = await page.evaluate(() => (window as unknown as { said: string[] }).said);
      },
      {
        prepare: async (page) => {
          await still(page);
          await noteWords(page);
        },
      },
    );
    assert.deepEqual(said, [
      'Look straight ahead',
      'Turn your head left',
      'Look straight ahead',
      'Close your eyes until you hear the sound or feel the vibration',
      'Open your eyes',
      'Open your mouth wide',
      'Close your mouth',
    ]);
    const steps = sent.frames.map(({ token, kind, phase }) => `${token} ${kind} ${phase}`);
    assert.deepEqual(steps, [
      'T1 centre do',
      'T1 centre do',
      'T2 right do',
      'T2 right do',
      'T2 right return',
      'T3 closeEyes do',
      'T3 closeEyes do',
      'T3 closeEyes return',
      'T4 openMouth do',
      'T4 openMouth do',
      'T4 openMouth return',
    ]);
    assert.ok(sent.frames.every(({ signed }) => signed));
    assert.deepEqual([sent.starts.length, sent.overlaps, sent.uploads], [1, 0, []]);
    const sizes = sent.frames.map(({ longest }) => longest);
    assert.deepEqual([sizes[0], sizes.at(-1)], [600, 480], 'no larger than the camera, no larger than is asked for');
    const gaps = sent.frames.slice(1).map(({ at }, before) => at - (sent.frames[before]?.at ?? 0));
    assert.ok(Math.min(...gaps) >= 240, `not more than four a second: ${gaps}`);
    const { challengeId, hints } = sent.submitted[0] as { challengeId: string; hints: Record<string, unknown> };
    assert.equal(challengeId, 'C1');
    const { cameraCount, trackClass, nativeGetUserMedia, automated, frameRate, frameJitterMs } = hints;
    assert.deepEqual(
      { trackClass, nativeGetUserMedia, automated, cameraCount },
      { trackClass: 'CanvasCaptureMediaStreamTrack', nativeGetUserMedia: false, automated: true, cameraCount: 1 },
    );
    assert.ok(Number(frameRate) > 1 && Number(frameJitterMs) > 0, `${frameRate} ${frameJitterMs}`);
  });

  test('a selfie reports whether the camera function is the browser’s own', async () => {
    const sent = await stage.visit(
      { ...active, challenges: [{ kinds: ['centre'] }] },
      async (page) => {
        await openCamera(page);
        await untilSubmitted(page);
      },
      { prepare: (page) => page.addInitScript(() => Reflect.deleteProperty(window, 'WebAssembly')) },
    );
    const { trackClass, nativeGetUserMedia } = (sent.submitted[0] as { hints: Record<string, unknown> }).hints;
    assert.deepEqual([trackClass, nativeGetUserMedia], ['MediaStreamTrack', true]);
  });

  test('a sound is played and the phone vibrates when closed eyes were seen', async () => {
    await stage.visit(
      { ...active, challenges: [{ kinds: ['centre', 'closeEyes'] }] },
      async (page) => {
        await openCamera(page);
        await untilSubmitted(page);
        const signals = await page.evaluate(() => (window as unknown as { signals: string[] }).signals);
        assert.deepEqual(signals, ['30', 'tone', '120,60,120']);
      },
      {
        prepare: async (page) => {
          await still(page);
          await page.addInitScript(() => {
            const signals: string[] = [];
            Object.assign(window, { signals });
            const { start } = OscillatorNode.prototype;
            OscillatorNode.prototype.start = function (when) {
              signals.push('tone');
              start.call(this, when);
            };
            navigator.vibrate = (pattern) => signals.push(`${pattern}`) > 0;
          });
        },
      },
    );
  });

  for (const [title, prepare] of firstOf(1, [
    [
      'where WebAssembly is missing',
      (page: Page) => page.addInitScript(() => Reflect.deleteProperty(window, 'WebAssembly')),
    ],
    ['where landmarks come slowly', slowly],
  ] as const)) {
    test(`a selfie with movements works in the same way ${title}`, async () => {
      const sent = await stage.visit(
        { ...active, challenges: [{ kinds: ['centre', 'up'] }] },
        async (page) => {
          await openCamera(page);
          await untilSubmitted(page, 40_000);
        },
        {
          prepare: async (page) => {
            await prepare(page);
            await driveCamera(page, { none: stage.card }, { first: 'none' });
          },
        },
      );
      assert.deepEqual([sent.starts.length, sent.frames.length], [1, 5]);
    });
  }

  test('a challenge that ended is explained and starts again by itself once, then the person chooses', async () => {
    const lost = { kinds: ['centre', 'up'], end: 'face_lost' };
    const quick = { kinds: ['centre', 'up'], end: 'too_quick' };
    const sent = await stage.visit(
      { ...active, challenges: [lost, quick, eyes] },
      async (page) => {
        await openCamera(page);
        await shown(page, 'Your face was out of the picture');
        await haveRead(page);
        await page.getByRole('heading', { name: 'Let’s try that again' }).waitFor(WAIT);
        await page.getByText('That was too fast').waitFor(WAIT);
        assert.ok(await page.getByRole('button', { name: 'Let a person look at it' }).isVisible());
        await page.getByRole('button', { name: 'Try again' }).tap();
        await untilSubmitted(page, 40_000);
      },
      { prepare: stillWithClock },
    );
    assert.equal(sent.starts.length, 3);
    assert.equal(new Set(sent.starts.map(({ key }) => key)).size, 3, 'a key for each');
    assert.deepEqual(
      sent.submitted.map(({ challengeId }) => challengeId),
      ['C3'],
    );
  });

  test('a person who bows or turns too far to be recognised is told to do a little less', async () => {
    await stage.visit(
      { ...active, challenges: [{ kinds: ['down'], frames: 1000, hint: 'too_far' }] },
      async (page) => {
        await openCamera(page);
        await shown(page, 'Look down');
        await page.locator('[data-hint=tooFar]', { hasText: 'A little less far' }).waitFor(WAIT);
      },
      { prepare: still },
    );
  });

  test('an attempt that has had all its challenges is offered a person', async () => {
    const { events } = await stage.visit(
      { ...active, challenges: [{ refuse: 100131 }] },
      async (page) => {
        await openCamera(page);
        await page.getByRole('button', { name: 'Let a person look at it' }).tap(WAIT);
      },
      { prepare: still },
    );
    assert.deepEqual(events, ['unable']);
  });

  test('an end user who cannot make a movement continues without it', async () => {
    const sent = await stage.visit(
      {
        ...active,
        challenges: [
          { kinds: ['closeEyes'], frames: 1000 },
          { kinds: ['openMouth'], frames: 1000 },
          { kinds: ['centre'] },
        ],
      },
      async (page) => {
        await openCamera(page);
        const omit = page.getByRole('button', { name: 'I can’t do this movement' });
        await shown(page, 'Close your eyes');
        await omit.tap(WAIT);
        await shown(page, /A person will look at it/);
        await haveRead(page);
        await shown(page, 'Open your mouth');
        await omit.tap(WAIT);
        await shown(page, /A person will look at it/);
        await haveRead(page);
        await untilSubmitted(page, 40_000);
      },
      { prepare: stillWithClock },
    );
    assert.deepEqual(
      sent.starts.map(({ omit }) => omit),
      [[], ['eyes'], ['eyes', 'mouth']],
    );
  });

  test('every screen of a selfie offers a person’s help, and no file if liveness is required', async () => {
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
