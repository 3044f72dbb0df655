import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { uploadOnce } from './upload-once.ts';

const picture = (text: string) => new Blob([text]);

/** Stands in for a server that responds when the test says so. */
function server() {
  const requests: string[] = [];
  const answers: { done(): void; lost(): void }[] = [];
  const upload = uploadOnce<string, object>(async (name, blob) => {
    const text = `${name} ${await blob.text()}`;
    requests.push(text);
    return new Promise((done, lost) => answers.push({ done: () => done(text), lost: () => lost(new Error('lost')) }));
  });
  /** Waits until this number of images has come: each is hashed first, which takes some time. */
  const arrived = async (images: number) => {
    while (requests.length < images) await new Promise(setImmediate);
  };
  return { asked: requests, answers, upload, arrived };
}

describe('uploading', () => {
  test('an upload sends the same bytes under the same name once, during and after', async () => {
    const { asked, answers, upload, arrived } = server();
    const [one, other] = [upload('frame1', picture('a')), upload('frame1', picture('a'))];
    await arrived(1);
    answers[0]?.done();
    assert.deepEqual(await Promise.all([one, other, upload('frame1', picture('a'))]), Array(3).fill('frame1 a'));
    void upload('frame2', picture('a'));
    await arrived(2);
    assert.deepEqual(asked, ['frame1 a', 'frame2 a']);
  });

  test('images of one name are sent in the order of the calls, however long each takes to be read', async () => {
    const { asked, answers, upload, arrived } = server();
    const slow = Object.assign(picture('old'), {
      arrayBuffer: async () => {
        await new Promise((done) => setTimeout(done, 20));
        return picture('old').arrayBuffer();
      },
    });
    const unreadable = Object.assign(picture('none'), { arrayBuffer: () => Promise.reject(new Error('unreadable')) });
    void upload('front', slow);
    const failed = assert.rejects(upload('front', unreadable), /unreadable/);
    void upload('front', picture('new'));
    await arrived(1);
    answers[0]?.done();
    await failed;
    await arrived(2);
    assert.deepEqual(asked, ['front old', 'front new']);
  });

  test('another image of the same name is sent after the previous one has arrived or is lost, and a lost one is sent again', async () => {
    const { asked, answers, upload, arrived } = server();
    const first = assert.rejects(upload('front', picture('old')));
    const second = upload('front', picture('new'));
    await arrived(1);
    assert.deepEqual(asked, ['front old']);
    answers[0]?.lost();
    await arrived(2);
    answers[1]?.done();
    await first;
    assert.equal(await second, 'front new');
    void upload('front', picture('old'));
    await arrived(3);
    assert.deepEqual(asked, ['front old', 'front new', 'front old']);
  });
});
