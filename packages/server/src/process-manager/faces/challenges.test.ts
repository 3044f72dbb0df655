import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { startJourney } from '../../../test/end-user.ts';
import { onBothEngines, openTestApp, type TestApp } from '../../../test/harness.ts';
import type { TenantDb } from '../../db/db.ts';
import { CHALLENGE_LIMITS, expire } from '../../engines/vision/challenge.ts';
import { asTenantId } from '../../kernel/ids.ts';
import { type Challenges, MAX_STARTS, type OpenedChallenge, openChallenges } from './challenges.ts';

const LATE_MS = CHALLENGE_LIMITS.instructionMs + CHALLENGE_LIMITS.revealPauseMs + 1;

onBothEngines('a challenge of which the server refused a frame', (_engine, places) => {
  let app: TestApp;
  let db: TenantDb;
  let challenges: Challenges;
  let testKey: string;
  before(async () => {
    app = await openTestApp(await places.create());
    db = app.app.db.of(asTenantId('acme'));
    challenges = openChallenges(app.app.vault);
    testKey = (await app.app.tenants.createApiKey('acme', { name: 'test', environment: 'test' })).apiKey;
  });
  after(() => app.stop());

  type End = (started: OpenedChallenge, now: number) => { progress: OpenedChallenge['progress']; refusedAt: number };
  /** Starts and ends all challenges of an attempt. Returns the code that refuses one more. */
  const codeAfter = async (end: End): Promise<number | undefined> => {
    const { processInstanceId: instanceId } = await startJourney(app, testKey);
    const attempt = { instanceId, step: 'selfie', attempt: 1 };
    let now = app.clock.now();
    const start = () => db.write((tx) => challenges.start(tx, attempt, { publicKey: {}, omit: [] }, now));
    for (let starts = 0; starts < MAX_STARTS; starts++) {
      const started = await start();
      const { progress, refusedAt } = end(started, now);
      await db.write(async (tx) => {
        await challenges.save(tx, started, progress);
        await challenges.noteRefusal(tx, instanceId, refusedAt);
      });
      now += 2 * CHALLENGE_LIMITS.challengeMs;
    }
    return start().then(
      () => undefined,
      (error: { code: number }) => error.code,
    );
  };

  it('a challenge of which the server refused a frame does not count as a start if it ran out of time', async () => {
    const end: End = ({ progress }, now) => ({ progress: expire(progress, now + LATE_MS), refusedAt: now + 1000 });
    assert.equal(await codeAfter(end), undefined);
  });

  it('a challenge of which the server refused a frame counts as a start if it ended for another reason (100131)', async () => {
    const end: End = ({ progress }, now) => ({
      progress: { ...progress, state: 'ENDED', reason: 'wrong_movement' },
      refusedAt: now + 1000,
    });
    assert.equal(await codeAfter(end), 100131);
  });

  it('a challenge of which the server refused a frame counts as a start if the frame came after any challenge could be open (100131)', async () => {
    const end: End = ({ progress }, now) => ({
      progress: expire(progress, now + LATE_MS),
      refusedAt: now + CHALLENGE_LIMITS.challengeMs + 1,
    });
    assert.equal(await codeAfter(end), 100131);
  });
});
