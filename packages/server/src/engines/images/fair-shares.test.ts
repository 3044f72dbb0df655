import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { JPEG, PNG, picture } from '../../../test/images.ts';
import { PDF, slowPdf } from '../../../test/pdfs.ts';
import { openImages } from './images.ts';
import { slowSenders } from './slow-senders.ts';

const ATTACKER = { tenant: 'acme', sender: 'attacker' };
const NEIGHBOUR = { tenant: 'acme', sender: 'neighbour' };
const OTHER = { tenant: 'other', sender: 'applicant' };
const jpeg = (images: ReturnType<typeof openImages>, share = OTHER) => images.reencode(JPEG, 'image/jpeg', share);

describe('PDFs of one applicant that need all the time they may have', () => {
  const images = openImages({ processes: 1, timeoutMs: 1500 });
  after(() => images.stop());

  it('slow PDFs of one applicant do not delay pictures of others until the first of these PDFs ends', async () => {
    await jpeg(images);
    let endCount = 0;
    const attack = Array.from({ length: 3 }, () =>
      images.firstPage(slowPdf(), ATTACKER).catch(({ reason }) => {
        endCount += 1;
        return reason;
      }),
    );
    for (let count = 0; count < 5; count++) {
      assert.equal((await jpeg(images, count % 2 === 0 ? OTHER : NEIGHBOUR)).width, 32);
    }
    assert.equal(endCount, 0);
    assert.deepEqual(await Promise.all(attack), Array(3).fill('too_slow'));
  });

  it('a PDF of another tenant waits for at most one slow PDF of an applicant', async (t) => {
    // This is enough time for a good page, also on a busy machine.
    const images = openImages({ processes: 1, timeoutMs: 4000 });
    const order: string[] = [];
    const attack = Array.from({ length: 2 }, () =>
      images.firstPage(slowPdf(), ATTACKER).catch(() => order.push('slow')),
    );
    t.after(async () => {
      await images.stop();
      await Promise.all(attack);
    });
    const page = await images.firstPage(PDF, OTHER);
    order.push('other');
    assert.equal(page.width, 1809);
    assert.ok(order.indexOf('other') <= 1, order.join());
  });

  it('slow PDFs of one applicant run one at a time, so that the second process is free for others', async (t) => {
    const images = openImages({ processes: 2 });
    let endCount = 0;
    const attack = Array.from({ length: 3 }, () =>
      images.firstPage(slowPdf(), ATTACKER).catch(() => {
        endCount += 1;
      }),
    );
    t.after(async () => {
      await images.stop();
      await Promise.all(attack);
    });
    assert.equal((await images.firstPage(PDF, NEIGHBOUR)).width, 1809);
    assert.equal(endCount, 0);
  });
});

describe('a sender whose file reached the time limit', () => {
  it('a sender whose file reached the time limit has its pictures decoded after its PDFs, and no longer between those of others', async (t) => {
    const images = openImages({ processes: 1, timeoutMs: 1500 });
    t.after(() => images.stop());
    await assert.rejects(images.firstPage(slowPdf(), ATTACKER), { reason: 'too_slow' });
    const order: string[] = [];
    const slow = images.firstPage(slowPdf(), ATTACKER).catch(() => order.push('PDF'));
    const own = images.reencode(PNG, 'image/png', ATTACKER).then(() => order.push('own picture'));
    await jpeg(images, NEIGHBOUR);
    assert.ok(!order.includes('own picture'));
    await Promise.all([slow, own]);
    assert.deepEqual(order, ['PDF', 'own picture']);
  });

  it('a sender whose file reached the time limit has half the time for the next file, at least a second, until that is forgotten', () => {
    let now = 0;
    const slow = slowSenders(() => now);
    const limits = Array.from({ length: 6 }, () => {
      slow.add(ATTACKER, true);
      return slow.limitOf(ATTACKER, 10_000);
    });
    assert.deepEqual(limits, [5000, 2500, 1250, 1000, 1000, 1000]);
    assert.deepEqual([slow.has(ATTACKER), slow.has(NEIGHBOUR), slow.limitOf(NEIGHBOUR, 10_000)], [true, false, 10_000]);
    now = 11 * 60_000;
    assert.deepEqual([slow.has(ATTACKER), slow.limitOf(ATTACKER, 10_000)], [false, 10_000]);
  });

  it('many senders whose files reached the time limit lower the limit of their tenant, but of no other tenant', () => {
    let now = 0;
    const slow = slowSenders(() => now);
    const limits = Array.from({ length: 7 }, (_, at) => {
      slow.add({ tenant: ATTACKER.tenant, sender: `session ${at}` }, true);
      return slow.limitOf(NEIGHBOUR, 10_000);
    });
    assert.deepEqual(limits, [10_000, 10_000, 10_000, 5000, 2500, 2500, 2500]);
    assert.deepEqual([slow.has(NEIGHBOUR), slow.limitOf(OTHER, 10_000)], [false, 10_000]);
    now = 11 * 60_000;
    assert.equal(slow.limitOf(NEIGHBOUR, 10_000), 10_000);
  });
});

describe('a picture that takes longer than usual', () => {
  it('a picture that takes longer than usual moves to another process, and is not lost', async (t) => {
    const images = openImages({ processes: 1, quickMs: 1 });
    t.after(() => images.stop());
    const large = await picture(5000, 5000).jpeg().toBuffer();
    assert.equal((await images.reencode(large, 'image/jpeg', OTHER)).width, 5000);
    assert.equal((await jpeg(images)).width, 32);
  });
});

describe('100010: files that wait to be decoded', () => {
  it('100010: waiting files take at most three quarters of the room if they are of one tenant, and 30 places if they are of one sender', async (t) => {
    const images = openImages({ processes: 1, maxWaitingBytes: JPEG.length * 100 });
    t.after(() => images.stop());
    const results: Promise<unknown>[] = [];
    const put = (share: typeof OTHER) => {
      const result = jpeg(images, share).then(
        () => 'done',
        ({ code }) => code,
      );
      results.push(result);
    };
    for (let count = 0; count < 32; count++) put(ATTACKER);
    for (let count = 0; count < 60; count++) put({ tenant: 'acme', sender: `${count}` });
    put(OTHER);
    const outcomes = await Promise.all(results);
    const refusals = outcomes.flatMap((outcome, index) => (outcome === 100010 ? [index] : []));
    // One image is decoded and 30 wait, so the last image of the sender is refused. 75 of the tenant may wait.
    assert.deepEqual(refusals, [31, ...Array.from({ length: 15 }, (_, index) => 77 + index)]);
    assert.equal(outcomes.at(-1), 'done');
  });
});
