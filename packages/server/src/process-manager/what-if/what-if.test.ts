import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { startJourney } from '../../../test/end-user.ts';
import { onBothEngines, openTestApp, type TestApp } from '../../../test/harness.ts';
import { asTenantId, newId } from '../../kernel/ids.ts';
import { findJourney, saveJourney } from '../instances/journeys.repository.ts';
import { addInstance, findInstance } from '../instances/process-instances.repository.ts';

/** `GROVE_WHAT_IF_INSTANCES=100000` measures the time. */
const MANY = Number(process.env.GROVE_WHAT_IF_INSTANCES ?? 500);
const AT_ONCE = 500;
/** The number of instances that are read at once: other requests are served between two parts. */
const REPLAYED_AT_ONCE = 100;

type Count = { recorded: string; outcome: string; verdict: string; instances: number };

/** Counts the turns of the event loop until the returned function is called. */
function countTurns(): () => number {
  let turns = 0;
  let isOver = false;
  const turn = () => {
    turns += 1;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  return () => {
    isOver = true;
    return turns;
  };
}

onBothEngines('a what-if run', (_engine, places) => {
  let app: TestApp;
  let token: string;
  let document: { steps: Record<string, unknown>[] };
  const ids: string[] = [];
  before(async () => {
    app = await openTestApp(await places.create());
    const testKey = (await app.app.tenants.createApiKey('acme', { name: 'test', environment: 'test' })).apiKey;
    token = await app.token(testKey);
    for (const _scenario of ['passed', 'face-mismatch', 'face-mismatch', 'document-expired']) {
      const { user, processInstanceId } = await startJourney(app, testKey, { parameters: { _scenario } });
      await user.finish();
      ids.push(processInstanceId);
    }
    await post(`reviews/${ids[1]}/approve`, { comment: 'the same' });
    await post(`reviews/${ids[2]}/reject`, { comment: 'not the same' });
    await startJourney(app, testKey);
    const list = await app.call('/api/process-manager/processDefinitions?name=document-and-selfie', { token });
    const { body } = await app.call(`/api/process-manager/processDefinitions/${list.body.content[0].id}`, { token });
    document = body.document;
  });
  after(() => app.stop());

  const post = (path: string, body: object) =>
    app.call(`/api/process-manager/${path}`, { method: 'POST', token, body: JSON.stringify(body) });
  const whatIf = (definition: object, more: object = {}) =>
    post('whatIf', { definition, startDateTime: '2000-01-01T00:00:00Z', ...more });

  it('a what-if run of the same version has the recorded outcome of every instance', async () => {
    const { status, body, text } = await whatIf(document);
    assert.equal(status, 200, text);
    assert.equal(body.examined, 5);
    assert.deepEqual(body.changed, []);
    assert.ok(body.counts.every(({ recorded, outcome }: Count) => recorded === outcome));
    assert.equal(body.next, undefined);
  });

  /** The version that declines everybody whom the other sends to a human. */
  const failing = () => ({
    ...document,
    steps: document.steps.map((step) => (step.type === 'decision' ? { ...step, onAnyFailure: 'FAIL' } : step)),
  });
  /** Reads all instances, part by part. */
  const replay = async (definition: object) => {
    const before = process.cpuUsage();
    const startedAt = performance.now();
    const turns = countTurns();
    let examined = 0;
    let changed = 0;
    let next: string | undefined;
    do {
      const { status, body, text } = await whatIf(definition, { size: 20_000, ...(next && { after: next }) });
      assert.equal(status, 200, text);
      examined += body.examined;
      changed += body.changed.length;
      next = body.next;
    } while (next !== undefined);
    const { user, system } = process.cpuUsage(before);
    const wallMs = Math.round(performance.now() - startedAt);
    return { examined, changed, turns: turns(), cpuMs: Math.round((user + system) / 1000), wallMs };
  };

  it('a what-if run shows who would have another outcome, beside the verdicts of reviewers', async () => {
    const { body } = await whatIf(failing());
    const changed = body.changed.map(
      ({ processInstanceId, recorded, outcome, verdict }: Count & { processInstanceId: string }) => [
        ids.indexOf(processInstanceId),
        recorded,
        outcome,
        verdict,
      ],
    );
    assert.deepEqual(changed.toSorted(), [
      [1, 'REVIEW', 'FAIL', 'APPROVED'],
      [2, 'REVIEW', 'FAIL', 'REJECTED'],
      [3, 'REVIEW', 'FAIL', 'NONE'],
    ]);
  });

  it('a what-if run says NOT_KNOWN if personal data decides, and answers in parts', async () => {
    const rules = [{ when: 'params.firstName == "Ada"', outcome: 'FAIL' }];
    const steps = document.steps.map((step) => (step.type === 'decision' ? { ...step, rules } : step));
    let next: string | undefined;
    const outcomes: string[] = [];
    do {
      const { body } = await whatIf({ ...document, steps }, { size: 2, ...(next && { after: next }) });
      outcomes.push(...body.changed.map(({ outcome }: Count) => outcome));
      next = body.next;
    } while (next !== undefined);
    assert.deepEqual(outcomes, ['NOT_KNOWN', 'NOT_KNOWN', 'NOT_KNOWN', 'NOT_KNOWN']);
  });

  it('a what-if run replays every instance by the same version and by another, in parts, without opening personal data', async (t) => {
    const of = app.app.db.of(asTenantId('acme'));
    const pattern = await findInstance(of, ids[1] as string);
    const journey = await findJourney(of, { instanceId: ids[1] as string });
    assert.ok(pattern && journey);
    for (let count = 0; count < MANY; count += AT_ONCE) {
      await of.write(async (tx) => {
        for (let at = 0; at < AT_ONCE; at += 1) {
          const id = newId(app.clock.now());
          await addInstance(tx, { ...pattern, id });
          // Nobody could open these, so reading them would fail.
          saveJourney(tx, { ...journey, instance_id: id, sealed: Buffer.from('not to be opened') });
        }
      });
    }
    const same = await replay(document);
    assert.deepEqual([same.examined, same.changed], [MANY + 5, 0]);
    const stricter = await replay(failing());
    assert.deepEqual([stricter.examined, stricter.changed], [MANY + 5, MANY + 3]);
    // Other requests are served meanwhile.
    assert.ok(same.turns >= MANY / REPLAYED_AT_ONCE);
    for (const [name, { examined, cpuMs, wallMs }] of Object.entries({ same, stricter })) {
      t.diagnostic(`${name} version, ${examined} instances: ${cpuMs} ms of processor time, ${wallMs} ms in all`);
    }
  });

  it('100048: a what-if run refuses a definition with faults, and reads nothing of the other environment', async () => {
    const faulty = await whatIf({ name: 'document-and-selfie', steps: [{ id: 'a', type: 'consent' }] });
    assert.deepEqual([faulty.status, faulty.body.code], [400, 100048]);
    const live = await app.token();
    const { body } = await app.call('/api/process-manager/whatIf', {
      method: 'POST',
      token: live,
      body: JSON.stringify({ definition: document, startDateTime: '2000-01-01T00:00:00Z' }),
    });
    assert.equal(body.examined, 0);
  });
});
