import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Challenge, openChallengePage } from '../../test/challenge.ts';
import { startJourney } from '../../test/end-user.ts';
import { openTestApp, type TestApp, testPlaces } from '../../test/harness.ts';
import { S3_KEY, S3_REGION, type S3Server, startS3 } from '../../test/s3-server.ts';
import { CHALLENGE_LIMITS } from '../engines/vision/challenge.ts';
import { MAX_FORGIVEN, MAX_STARTS } from '../process-manager/faces/challenges.ts';

const DEFINITION = {
  name: 'moving',
  processDefinitionType: 'VERIFICATION',
  steps: [
    { id: 'moving', type: 'face', key: 'face1', liveness: 'active' },
    { id: 'decide', type: 'decision', onAnyFailure: 'REVIEW' },
  ],
};
const MAX_FRAMES = 60;
const PACE_MS = 1000;

const putsOf = ({ calls }: S3Server) => calls.filter((call) => call.startsWith('PUT')).length;
const refuse: S3Server['next'][number] = (request, response) =>
  void request.resume().on('end', () => response.writeHead(403).end());

describe('the frames of a challenge', () => {
  const places = testPlaces();
  let app: TestApp;
  let s3: S3Server;
  let testKey: string;
  before(async () => {
    s3 = await startS3('images');
    const environment = {
      BLOB_URL: `s3://images?region=${S3_REGION}&endpoint=${s3.endpoint}`,
      AWS_ACCESS_KEY_ID: S3_KEY.accessKeyId,
      AWS_SECRET_ACCESS_KEY: S3_KEY.secretAccessKey,
    };
    app = await openTestApp(await places.create(), { environment });
    testKey = (await app.app.tenants.createApiKey('acme', { name: 'mover', environment: 'test' })).apiKey;
    const definition = await app.client.processDefinitions.create({ body: DEFINITION as never });
    await app.call(`/api/process-manager/processDefinitions/${definition.id}/deploy`, { method: 'POST' });
  });
  after(async () => {
    await app.stop();
    await s3.stop();
  });

  /** Answers a challenge, and sends refused frames again. `isRefused` says which calls to the store fail. */
  const run = async (isRefused: (put: number) => boolean) => {
    const { user } = await startJourney(app, testKey, { processDefnName: 'moving' });
    const page = openChallengePage(user, 'moving', app.clock);
    let challenge = (await page.start()).body as Challenge;
    let [puts, refusals] = [0, 0];
    for (let frames = 0; frames < MAX_FRAMES && challenge.state === 'OPEN'; frames++) {
      app.clock.advance(PACE_MS);
      const before = putsOf(s3);
      if (isRefused(puts)) s3.next.push(refuse);
      const answer = await page.send(challenge, { live: true, frames });
      s3.next.length = 0;
      puts += putsOf(s3) - before;
      if (answer.status === 200) challenge = answer.body as Challenge;
      else {
        assert.equal(answer.body.code, 100010, answer.text);
        refusals += 1;
      }
    }
    assert.equal(challenge.state, 'DONE');
    const submitted = await user.submit('moving', { challengeId: challenge.challengeId });
    return { refusals, submitted: submitted.status, text: submitted.text, user };
  };
  const imagesOf = async (instanceId: string) => {
    const rows = await app.app.db
      .of('acme' as never)
      .all<{ name: string; blob_key: string }>(
        { text: 'SELECT name, blob_key FROM instance_images WHERE tenant_id = $1 AND instance_id = $2' },
        ['acme', instanceId],
      );
    for (const { blob_key } of rows) {
      assert.ok(
        [...s3.objects.keys()].some((key) => key.endsWith(blob_key)),
        'a row has its blob',
      );
    }
    return rows.map(({ name }) => name).toSorted();
  };

  /**
   * The store refuses a frame of the first instruction; the same frame is sent again if `isSentAgain`. Then time runs
   * out.
   */
  const runOut = async (page: ReturnType<typeof openChallengePage>, { isSentAgain }: { isSentAgain: boolean }) => {
    // An image of an earlier challenge that is deleted meanwhile would otherwise be the refused call.
    await app.app.jobs.runDue();
    const started = await page.start();
    assert.equal(started.status, 201, started.text);
    let challenge = started.body as Challenge;
    let refusals = 0;
    const isOver = () => refusals > 0 && (!isSentAgain || Number(challenge.number) > 1);
    for (let frames = 0; frames < MAX_FRAMES && !isOver(); frames++) {
      app.clock.advance(PACE_MS);
      if (refusals === 0) s3.next.push(refuse);
      const answer = await page.send(challenge, { live: true, frames });
      s3.next.length = 0;
      if (answer.status === 200) challenge = answer.body as Challenge;
      else {
        assert.deepEqual([answer.body.code, challenge.number], [100010, 1], answer.text);
        refusals += 1;
      }
    }
    assert.equal(refusals, 1);
    app.clock.advance(CHALLENGE_LIMITS.instructionMs + CHALLENGE_LIMITS.revealPauseMs + 1);
    return (await page.send(challenge, { live: true, late: true })).body.reason;
  };
  const openPage = async () => {
    const { user } = await startJourney(app, testKey, { processDefnName: 'moving' });
    return openChallengePage(user, 'moving', app.clock);
  };

  it('a challenge that ran out of time because the store refused its frames does not count as a start, up to ten times', async () => {
    const page = await openPage();
    for (let starts = 0; starts < MAX_FORGIVEN + MAX_STARTS; starts++) {
      assert.equal(await runOut(page, { isSentAgain: false }), 'too_slow', `start ${starts + 1}`);
    }
    assert.equal((await page.start()).body.code, 100131);
  });

  it('a challenge that runs out of time in the next instruction counts as a start, if its refused frames were stored later', async () => {
    const page = await openPage();
    for (let starts = 0; starts < MAX_STARTS; starts++) {
      assert.equal(await runOut(page, { isSentAgain: true }), 'too_slow');
    }
    assert.equal((await page.start()).body.code, 100131);
  });

  it('a challenge has all its frames although the store refused each of them once', async () => {
    const whole = await run(() => false);
    assert.equal(whole.submitted, 200, whole.text);
    const expected = await imagesOf(whole.user.processInstanceId);
    assert.ok(expected.includes('image') && expected.length > 5, String(expected));
    const again = await run((put) => put % 2 === 0);
    assert.equal(again.refusals, expected.length);
    assert.equal(again.submitted, 200, again.text);
    assert.deepEqual(await imagesOf(again.user.processInstanceId), expected);
  });
});
