import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { makeSpecimen } from '@grove/vision';
import sharp, { type Sharp } from 'sharp';
import { firstOf } from '../../../../../scripts/long.ts';
import {
  AUDREY,
  CARTOON,
  changed,
  crowd,
  FRANCK,
  FRANCK_TURNED,
  NO_FACE,
  picture,
} from '../../../../vision/test/pictures.ts';
import { apng, bombPng } from '../../../test/images.ts';
import { systemClock } from '../../kernel/clock.ts';
import { ApiError } from '../../kernel/errors.ts';
import { TemplateFault } from './face-templates.ts';
import { openVision } from './open-vision.ts';
import type { VisionImage, VisionMachine } from './vision.ts';

const never = new AbortController().signal;
const imageOf = (bytes: Buffer): VisionImage => ({ contentType: 'image/jpeg', read: async () => bytes });
const plain = (width: number, height: number): Sharp =>
  sharp({ create: { width, height, channels: 3, background: '#b7a' } });

async function foreign(): Promise<Record<string, Buffer>> {
  const heic = Buffer.concat([Buffer.from([0, 0, 0, 24]), Buffer.from('ftypheic\0\0\0\0mif1heic')]);
  const jpeg = picture(AUDREY);
  return {
    'no bytes at all, empty': Buffer.alloc(0),
    'text, not_an_image': Buffer.from('a passport, honestly'),
    'SVG, unsupported_format': Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'),
    'TIFF, unsupported_format': await plain(64, 64).tiff().toBuffer(),
    'HEIC, unsupported_format': heic,
    'an animation, animated': apng(await plain(64, 64).png().toBuffer()),
    'a bomb of 16000 × 16000, too_large': bombPng(16_000, 16_000),
    'half a file, truncated': jpeg.subarray(0, jpeg.length / 2),
    'a file with a hole in it, corrupt': Buffer.concat([jpeg.subarray(0, 400), Buffer.alloc(400, 7)]),
    'one pixel, too_small': await plain(1, 1).png().toBuffer(),
  };
}

describe('real image analysis', () => {
  let machine: VisionMachine;
  before(() => {
    machine = openVision({
      mode: 'lazy',
      clock: systemClock,
      onError: (what, error) => assert.fail(`${what}: ${error}`),
    });
  });
  after(() => machine.stop());

  const faceOf = async (bytes: Buffer) => {
    const { checks } = await machine.readFace({ image: imageOf(bytes), liveness: 'none', frames: [] }, never);
    return checks.map(({ name, status, reason, advice }) => [name, status, reason, advice].filter(Boolean).join(' '));
  };
  const documentOf = async (bytes: Buffer) => {
    const { checks } = await machine.readDocument({ front: imageOf(bytes), accept: ['PASSPORT'] }, never);
    return checks.map(({ name, status, reason, advice }) => [name, status, reason, advice].filter(Boolean).join(' '));
  };

  it('real image analysis names the reason why it does not accept a file, and keeps running', async () => {
    for (const [title, bytes] of Object.entries(await foreign())) {
      const reason = title.slice(title.lastIndexOf(' ') + 1);
      const expected =
        reason === 'corrupt' ? /^\w+ FAILED (corrupt|truncated) retry$/ : new RegExp(`^\\w+ FAILED ${reason} retry$`);
      assert.match((await faceOf(bytes)).join(), expected, title);
      assert.match((await documentOf(bytes)).join(), expected, title);
      const { template, ...refusal } = { reason: '', ...(await machine.faceTemplate(imageOf(bytes), never)) };
      assert.equal(template, undefined, title);
      assert.match(refusal.reason, reason === 'corrupt' ? /corrupt|truncated/ : new RegExp(reason), title);
    }
    assert.deepEqual(await faceOf(picture(AUDREY)), ['faceQuality PASSED']);
  });

  it('real image analysis accepts pictures of every format, and sees the same face in all of them', async () => {
    const { template: plainly } = await machine.faceTemplate(imageOf(picture(AUDREY)), never);
    const makes: Record<string, (image: Sharp) => Promise<Buffer>> = {
      CMYK: (image) => image.toColourspace('cmyk').jpeg().toBuffer(),
      '16-bit': (image) => image.toColourspace('rgb16').png().toBuffer(),
      alpha: (image) => image.ensureAlpha(0.9).png().toBuffer(),
      grey: (image) => image.greyscale().jpeg().toBuffer(),
      WebP: (image) => image.webp().toBuffer(),
    };
    for (const [title, make] of Object.entries(makes)) {
      const result = await machine.faceTemplate(imageOf(await make(sharp(picture(AUDREY)))), never);
      assert.ok(result.template, title);
      assert.ok(machine.compareFaces(plainly as Buffer, result.template).match, title);
    }
  });

  it('real image analysis turns pictures as their EXIF says', async () => {
    const { template: upright } = await machine.faceTemplate(imageOf(picture(AUDREY)), never);
    // A phone held upright, one upside down, and a mirrored picture; then all other orientations.
    for (const orientation of firstOf(3, [6, 3, 5, 1, 2, 4, 7, 8])) {
      const undone = [0, 0, 0, 180, 180, 270, 270, 90, 90][orientation] as number;
      const mirrored = [2, 4, 5, 7].includes(orientation);
      const stored = mirrored ? sharp(await sharp(picture(AUDREY)).flop().toBuffer()) : sharp(picture(AUDREY));
      const bytes = await stored.rotate(undone).withMetadata({ orientation }).jpeg().toBuffer();
      const result = await machine.faceTemplate(imageOf(bytes), never);
      assert.ok(result.template, `orientation ${orientation}`);
      assert.ok(machine.compareFaces(upright as Buffer, result.template).match, `orientation ${orientation}`);
    }
  });

  it('real image analysis names what is wrong with a picture that shows no face, twenty faces, or a drawn one', async () => {
    const cartoon = await changed(CARTOON, (image) => image.resize(400, 400).flatten({ background: '#fff' }));
    assert.deepEqual(await faceOf(await plain(400, 300).png().toBuffer()), ['faceQuality FAILED no_face retry']);
    assert.deepEqual(await faceOf(await crowd(AUDREY, { columns: 5, rows: 4 })), [
      'faceQuality FAILED several_faces retry',
    ]);
    assert.deepEqual(await faceOf(cartoon), ['faceQuality FAILED no_face retry']);
    assert.match((await faceOf(picture(NO_FACE))).join(), /^faceQuality FAILED \w+ retry$/);
  });

  it('real image analysis asks for another picture if there is no document, and for a human if the document has no machine-readable part', async () => {
    assert.deepEqual(await documentOf(await plain(800, 600).png().toBuffer()), [
      'documentQuality FAILED no_document retry',
    ]);
    const { jpeg } = await makeSpecimen({ kind: 'idCard', side: 'front', seed: 8, photograph: { tilt: 3 } });
    const front = { front: imageOf(jpeg), accept: ['ID_CARD', 'PASSPORT'] };
    const { checks, documentType } = await machine.readDocument(front, never);
    const statusOf = (name: string) => checks.find((check) => check.name === name)?.status;
    assert.equal(documentType, 'ID_CARD');
    assert.deepEqual([statusOf('documentMrz'), statusOf('documentConsistency')], ['NOT_PERFORMED', 'NOT_PERFORMED']);
    assert.equal(statusOf('documentExpiry'), 'PASSED');
  });

  it('real image analysis asks for the side with the code for licences that always have one, and for no other document', async () => {
    const licence = {
      kind: 'licence',
      seed: 12,
      photograph: { share: 0.9, size: { width: 1100, height: 825 } },
    } as const;
    const pictureOf = async (side: 'front' | 'back'): Promise<VisionImage> => ({
      ...imageOf((await makeSpecimen({ ...licence, side })).jpeg),
      id: `licence ${side}`,
    });
    const [front, back] = await Promise.all([pictureOf('front'), pictureOf('back')]);
    const faultsOf = async (other: VisionImage, countryCode: string) => {
      const settings = { accept: ['DRIVERS_LICENSE'], documentType: 'DRIVERS_LICENSE', countryCode };
      return (await machine.readDocument({ front, back: other, ...settings }, never)).pictures;
    };
    assert.deepEqual(await faultsOf(front, 'USA'), [{ picture: 'back', reasons: ['wrong_side'] }]);
    assert.deepEqual(await faultsOf(front, 'FRA'), []);
    assert.deepEqual(await faultsOf(back, 'USA'), []);
  });

  it('real image analysis computes templates that match only the same person, and refuses those of another algorithm', async () => {
    const [one, same, other] = (await Promise.all(
      [FRANCK, FRANCK_TURNED, AUDREY].map(async (name) => {
        const result = await machine.faceTemplate(imageOf(picture(name)), never);
        assert.ok(result.template && result.quality > 0.5 && result.reasons.length === 0, name);
        return result.template;
      }),
    )) as [Buffer, Buffer, Buffer];
    assert.ok(machine.compareFaces(one, same).match);
    assert.ok(!machine.compareFaces(one, other).match);
    const foreignTemplate = Buffer.from(one);
    foreignTemplate.write('OTHER_FACE_1', 4);
    assert.throws(() => machine.compareFaces(one, foreignTemplate), TemplateFault);
  });

  it('real image analysis uses the result of an earlier look ahead, and analyses anew an image with another id', async () => {
    const bytes = picture(AUDREY);
    const unreadable: VisionImage = {
      id: 'selfie',
      contentType: 'image/jpeg',
      read: async () => Buffer.from('not there'),
    };
    machine.lookAhead({ ...imageOf(bytes), id: 'selfie', bytes: bytes.length }, 'face');
    // The look ahead has begun by then, and a request for the same image waits for it.
    await new Promise(setImmediate);
    const { checks } = await machine.readFace({ image: unreadable, liveness: 'none', frames: [] }, never);
    assert.deepEqual(
      checks.map(({ status }) => status),
      ['PASSED'],
    );
    const match = await machine.matchFaces({ document: imageOf(bytes), face: unreadable }, never);
    assert.deepEqual([match.status, match.reason, match.score], ['REVIEW', 'same_picture', 1]);
    const { template, ...refusal } = {
      reason: '',
      ...(await machine.faceTemplate({ ...unreadable, id: 'other' }, never)),
    };
    assert.deepEqual([template, refusal.reason], [undefined, 'not_an_image']);
  });

  it('real image analysis answers 100010 once it is stopped, also if it was never used', async () => {
    const unused = openVision({ mode: 'lazy', clock: systemClock, onError: assert.fail });
    await unused.stop();
    const error = await unused.faceTemplate(imageOf(picture(AUDREY)), never).catch((fault: unknown) => fault);
    assert.ok(error instanceof ApiError && error.code === 100010);
  });

  it('real image analysis looks at nothing when it is off', async () => {
    const off = openVision({ mode: 'off', clock: systemClock, onError: assert.fail });
    const findings = await off.readDocument({ front: imageOf(picture(AUDREY)), accept: ['PASSPORT'] }, never);
    assert.deepEqual(
      findings.checks.map(({ status, reason }) => [status, reason]),
      [['NOT_PERFORMED', 'engine_not_available']],
    );
    assert.deepEqual(await off.faceTemplate(imageOf(picture(AUDREY)), never), {
      template: undefined,
      reason: 'engine_not_available',
    });
    await off.stop();
  });
});

describe('a process without image analysis, beside others with it', () => {
  it('a process without image analysis, beside others with it, refers callers to another process with 100010, and decides nothing', async () => {
    const machine = openVision({ mode: 'off', isElsewhere: true, clock: systemClock, onError: assert.ifError });
    const image = imageOf(Buffer.alloc(9));
    const requests = {
      frame: machine.observeFrame(
        Buffer.alloc(9),
        { neutral: null, movement: 'centre', roles: [], lastLook: null },
        'a',
      ),
      template: machine.faceTemplate(image, never),
      document: machine.readDocument({ front: image, accept: [] }, never),
      face: machine.readFace({ image, liveness: 'none', frames: [] }, never),
      match: machine.matchFaces({ document: image, face: image }, never),
    };
    for (const [what, answer] of Object.entries(requests)) {
      await assert.rejects(answer, (error: ApiError) => error.code === 100010, what);
    }
  });
});
