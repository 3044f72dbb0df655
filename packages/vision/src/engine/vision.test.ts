import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import sharp from 'sharp';
import { IS_LONG } from '../../../../scripts/long.ts';
import { bombPng } from '../../../server/test/images.ts';
import { AUDREY, changed, FRANCK, FRANCK_TURNED, picture } from '../../test/pictures.ts';
import { ImageFault } from '../images/image-fault.ts';
import { makeSpecimen } from '../specimens/make-specimen.ts';
import { VisionFault } from './fault.ts';
import { openPool } from './pool.ts';
import { openVision, type VisionEngine } from './vision.ts';

/** A generous limit: these tests check the findings, not their duration on a busy machine. */
const PATIENT_MS = 120_000;
let vision: VisionEngine;
before(async () => {
  vision = await openVision({ workers: 1, timeoutMs: PATIENT_MS });
});
after(() => vision.stop());

describe('the engine', () => {
  test('the engine matches two pictures of one person and not two of two', async () => {
    const same = await vision.matchFaces(picture(FRANCK), picture(FRANCK_TURNED));
    const others = await vision.matchFaces(picture(FRANCK), picture(AUDREY));
    assert.deepEqual([same.match?.match, others.match?.match], [true, false]);
  });

  test('the engine gives no result when a picture shows no face', async () => {
    const wall = await sharp({ create: { width: 300, height: 300, channels: 3, background: '#999' } })
      .png()
      .toBuffer();
    const { match, other } = await vision.matchFaces(picture(FRANCK), wall);
    assert.deepEqual([match, other.template], [null, null]);
  });

  test('the engine gives the same answer each time', async () => {
    const [one, other] = await Promise.all([vision.analyseFace(picture(AUDREY)), vision.analyseFace(picture(AUDREY))]);
    assert.deepEqual(one, other);
  });

  test('the engine answers bad pictures with a reason and stays up', async () => {
    const jpeg = picture(FRANCK);
    const bad: [Buffer, string][] = [
      [Buffer.alloc(0), 'empty'],
      [Buffer.from('hello'), 'not_an_image'],
      [bombPng(16_000, 16_000), 'too_large'],
      [jpeg.subarray(0, jpeg.length / 2), 'truncated'],
      [await changed(FRANCK, (image) => image.resize(1, 1)), 'too_small'],
    ];
    for (const [bytes, reason] of bad) {
      await assert.rejects(
        vision.analyseFace(bytes),
        (error) => error instanceof ImageFault && error.reason === reason,
      );
    }
    assert.deepEqual((await vision.analyseFace(picture(FRANCK))).reasons, []);
    assert.equal(vision.stats().replaced, 0);
  });

  test('the engine leaves the bytes of the caller unchanged', async () => {
    const bytes = Buffer.from(picture(AUDREY));
    await vision.embedFace(bytes);
    assert.deepEqual(bytes, picture(AUDREY));
  });

  test('the engine returns the memory of many large pictures', async () => {
    const large = await sharp(picture(AUDREY)).resize(4800, 4800, { fit: 'cover' }).jpeg().toBuffer();
    await vision.analyseFace(large);
    const before = vision.stats().residentMb;
    for (let times = 0; times < 4; times += 1) await vision.analyseFace(large);
    assert.ok(vision.stats().residentMb - before < 200, `${vision.stats().residentMb - before} MB more`);
  });

  test('the engine outlives workers that are ended by force in the middle of a picture', async () => {
    const pool = await openPool({
      script: new URL('./worker.ts', import.meta.url),
      workerData: { pack: 'faceplugin' },
      workers: 1,
      queueLimit: 10,
      timeoutMs: 200,
      graceMs: 1,
      heapLimitMb: 256,
      residentLimitMb: 100_000,
    });
    const { jpeg } = await makeSpecimen({ kind: 'passport', seed: 1 });
    // Before native calls were counted, one of two such jobs aborted the process.
    for (let job = 0; job < (IS_LONG ? 4 : 2); job += 1) {
      const reading = pool.run('readDocument', { bytes: new Uint8Array(jpeg), options: { today: '2026-01-01' } });
      await assert.rejects(reading, (error) => error instanceof VisionFault && error.reason === 'timed_out');
    }
    await pool.stop();
  });

  test('the engine survives pictures that take too long, and a stop while it works', async () => {
    const hasty = await openVision({ workers: 1, timeoutMs: 5 });
    for (let times = 0; times < (IS_LONG ? 3 : 1); times += 1) {
      const error = await hasty.analyseFace(picture(FRANCK)).catch((fault: unknown) => fault);
      assert.ok(error instanceof VisionFault && error.reason === 'timed_out');
    }
    const last = assert.rejects(hasty.analyseFace(picture(FRANCK)), VisionFault);
    await hasty.stop();
    await last;
  });

  test('the engine reads a document and matches its photograph with the person', async () => {
    const order = { kind: 'passport', seed: 3, portrait: picture(FRANCK), photograph: { tilt: 5 } } as const;
    const { jpeg, mrz } = await makeSpecimen(order);
    const reading = await vision.readDocument(jpeg, { today: '2026-01-01', visualZone: false, straightened: true });
    assert.deepEqual(reading.mrz?.lines, mrz);
    const portrait = reading.portrait?.jpeg as Uint8Array;
    assert.equal((await vision.matchFaces(portrait, picture(FRANCK_TURNED))).match?.match, true);
    assert.equal((await vision.matchFaces(portrait, picture(AUDREY))).match?.match, false);
    const { width = 0, height = 0 } = await sharp(reading.straightened).metadata();
    assert.ok(Math.abs(width / height - 125 / 88) < 0.05, `${width} × ${height}`);
  });
});
