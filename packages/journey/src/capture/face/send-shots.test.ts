import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { JourneyApi } from '../../api.ts';
import { sendAhead, sendShots } from './send-shots.ts';

const blob = new Blob(['picture']);
const chosen = (name: string, nonce = 'first') => ({ nonce, name, blob });

/** Uploads that end when the test says so. */
function line() {
  const sent: string[] = [];
  const ends: (() => void)[] = [];
  const uploadImage = (name: string) => {
    sent.push(name);
    return new Promise((done) => ends.push(() => done({})));
  };
  return {
    sent,
    api: { uploadImage } as unknown as JourneyApi,
    async end() {
      ends.shift()?.();
      await new Promise(setImmediate);
    },
  };
}

describe('sending a challenge', () => {
  test('sends what is chosen while it runs, two at a time and in its order', async () => {
    const { sent, api, end } = line();
    const send = sendAhead(api);
    for (const name of ['image', 'frame1', 'frame2']) send(chosen(name));
    assert.deepEqual(sent, ['image', 'frame1']);
    await end();
    assert.deepEqual(sent, ['image', 'frame1', 'frame2']);
  });

  test('sends nothing more of a try that was given up', async () => {
    const { sent, api, end } = line();
    const send = sendAhead(api);
    for (const name of ['image', 'frame1', 'frame2', 'frame3']) send(chosen(name));
    send(chosen('image', 'second'));
    for (let ended = 0; ended < 3; ended += 1) await end();
    assert.deepEqual(sent, ['image', 'frame1', 'image']);
  });

  test('goes on after what could not be sent, and sends all of it in the end', async () => {
    const sent: string[] = [];
    const lost = async (name: string) => {
      sent.push(name);
      throw new Error('lost');
    };
    const send = sendAhead({ uploadImage: lost } as unknown as JourneyApi);
    for (const name of ['image', 'frame1', 'frame2']) send(chosen(name));
    await new Promise(setImmediate);
    assert.deepEqual(sent, ['image', 'frame1', 'frame2']);
    const again: string[] = [];
    const uploadImage = async (name: string) => again.push(name);
    const shares: number[] = [];
    const shots = {
      ...{ nonce: 'first', image: { blob, width: 1, height: 1 } },
      frames: [
        { name: 'frame2', blob, at: 10 },
        { name: 'frame1', blob, at: 20 },
      ],
    };
    const submitted = await sendShots({ uploadImage } as unknown as JourneyApi, shots, (share) => shares.push(share));
    assert.deepEqual([again.sort(), shares.at(-1)], [['frame1', 'frame2', 'image'], 1]);
    assert.deepEqual(submitted, {
      nonce: 'first',
      frames: [
        { name: 'frame2', at: 10 },
        { name: 'frame1', at: 20 },
      ],
    });
  });
});
