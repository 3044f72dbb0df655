import assert from 'node:assert/strict';
import { after, before, beforeEach, it } from 'node:test';
import { type EndUser, startJourney } from '../../../test/end-user.ts';
import { onBothEngines, openTestApp, type TestApp } from '../../../test/harness.ts';
import { storedJobs } from '../../../test/jobs.ts';
import { S3_KEY, S3_REGION, type S3Server, startS3 } from '../../../test/s3-server.ts';
import { JobError } from '../../jobs/define-job.ts';
import { HOUR, SECOND } from '../../kernel/clock.ts';
import { LEASE_LOST, STOPPED } from '../../leases/worker.ts';
import { WORK_STEP } from './job-kinds.ts';
import { workStepJobs } from './work-step.ts';

const POSTPONED_MS = 2 * SECOND;

/** The last attempt at work that fails. Returns whether it ended the journey with an error. */
async function endsJourney(abort: AbortController): Promise<boolean> {
  const applied: unknown[] = [];
  const snapshot = {
    state: { flow: { current: { phase: 'work', step: 'unknown', attempt: 1 } } },
    definition: { step: () => undefined },
    instance: {},
  };
  const drive = {
    lookAt: async () => snapshot,
    apply: async (_tx: unknown, _id: unknown, trigger: unknown) => void applied.push(trigger),
  };
  const [job] = workStepJobs({ drive, takesLooks: true, isHopeless: () => false } as never);
  const tenant = () => ({ write: (work: (tx: unknown) => Promise<unknown>) => work({}) });
  const context = { attempt: WORK_STEP.maxAttempts, now: 0, signal: abort.signal, tenant } as never;
  await job?.run({ instanceId: 'one', step: 'unknown', attempt: 1 }, context).catch(() => undefined);
  return applied.length > 0;
}

it('a last attempt at the work of a step does not end the journey if its lease was lost or its server stops', async () => {
  assert.equal(await endsJourney(new AbortController()), true);
  for (const [reason, isOver] of [
    [LEASE_LOST, false],
    [STOPPED, false],
    [new JobError('cut off'), true],
  ] as const) {
    const abort = new AbortController();
    abort.abort(reason);
    assert.equal(await endsJourney(abort), isOver, reason.message);
  }
});

onBothEngines('the work of a step', (_engine, places) => {
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
    testKey = (await app.app.tenants.createApiKey('acme', { name: 'test', environment: 'test' })).apiKey;
  });
  beforeEach(() => {
    s3.next.length = 0;
  });
  after(async () => {
    await app.stop();
    await s3.stop();
  });

  const refuse: S3Server['next'][number] = (request, response) => {
    // The next call is refused as well, until the list is empty.
    s3.next.push(refuse);
    request.resume().on('end', () => response.writeHead(403).end());
  };
  const workJobs = async () => (await storedJobs(app.app.db)).filter(({ kind }) => kind === WORK_STEP.kind);
  const runAgain = async (ms: number) => {
    app.clock.advance(ms);
    await app.app.jobs.runDue();
  };
  /** A journey whose document cannot be read, because the bucket does not answer. */
  const inOutage = async (): Promise<EndUser> => {
    const { user } = await startJourney(app, testKey, { processDefnName: 'document-only' });
    await user.submit('consent', { accepted: true });
    await user.upload('document', 'front', { person: 'ada' });
    s3.next.push(refuse);
    assert.equal((await user.submit('document')).status, 200);
    await app.app.jobs.runDue();
    return user;
  };

  it('the work of a step waits as long as the bucket is unavailable, and is done when it is back', async () => {
    const user = await inOutage();
    for (let times = 0; times < 3 * WORK_STEP.maxAttempts; times++) {
      await runAgain(POSTPONED_MS);
      assert.equal((await user.look()).waitingFor, 'check');
    }
    assert.ok((await workJobs()).every(({ attempts }) => attempts === 0));
    assert.equal(app.logged().match(/jobs wait for something that is unavailable/g)?.length, 4, 'once in ten seconds');
    s3.next.length = 0;
    await runAgain(POSTPONED_MS);
    assert.equal((await user.finish()).status, 'COMPLETED_ENDED_SUCCESS');
  });

  it('the work of a step ends the journey with an error if the bucket was unavailable for an hour', async () => {
    const user = await inOutage();
    await runAgain(HOUR);
    assert.equal((await user.look()).status, 'COMPLETED_PROCESS_ERROR');
    await runAgain(POSTPONED_MS);
    assert.deepEqual(await workJobs(), []);
  });
});
