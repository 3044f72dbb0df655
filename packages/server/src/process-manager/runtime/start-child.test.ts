import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { onBothEngines } from '../../../test/harness.ts';
import { DECIDE, openTestJourney, type TestJourney } from '../../../test/journey.ts';
import type { Step } from '../engine/definition.ts';
import { countDescendants, findInstance } from '../instances/process-instances.repository.ts';
import { CHILDREN_PER_TRANSACTION } from './drive.ts';
import type { ChildPayload } from './job-kinds.ts';

onBothEngines('children of a journey', (_engine, places) => {
  let journey: TestJourney;
  before(async () => {
    journey = await openTestJourney(await places.create());
  });
  after(() => journey.stop());

  const open = async (children: number) => {
    const { id: leaf } = await journey.instance({ steps: [DECIDE] });
    const row = await findInstance(journey.acme, leaf);
    const steps = Array.from({ length: children }, (_, at) => ({
      id: `sub${at}`,
      type: 'subprocess',
      key: `sub${at}`,
      definition: row?.process_defn_name,
      parameters: {},
    })) as unknown as Step[];
    const { id } = await journey.instance({ steps: [...steps, DECIDE] });
    await journey.apply(id, { type: 'open' });
    return id;
  };
  const start = (child: ChildPayload) =>
    journey.acme.write((tx) => journey.drive.startChild(tx, child, journey.clock.now()));
  const countChildren = (id: string) => countDescendants(journey.acme, id);

  it(`children of a journey are created ${CHILDREN_PER_TRANSACTION} in a transaction; the rest by jobs, each in its own, until the journey ends`, async () => {
    const id = await open(12);
    assert.equal(await countChildren(id), CHILDREN_PER_TRANSACTION);
    assert.equal((await journey.drive.look(journey.acme, id))?.state.flow.current?.phase, 'child');
    for (const expected of [10, 12]) {
      const { kind, payload } = journey.enqueued.splice(0)[0] as TestJourney['enqueued'][number];
      assert.deepEqual([kind, (payload as ChildPayload).instanceId], ['process-manager.start-child', id]);
      await start(payload as ChildPayload);
      assert.equal(await countChildren(id), expected);
      await start(payload as ChildPayload);
      assert.equal(await countChildren(id), expected, 'a job that is run twice makes no second child');
    }
    assert.deepEqual(journey.enqueued, []);
    assert.equal((await findInstance(journey.acme, id))?.status, 'COMPLETED_ENDED_SUCCESS');
  });

  it('children of a journey are not created for a parent that has ended meanwhile', async () => {
    const id = await open(7);
    const [job] = journey.enqueued.splice(0);
    await journey.apply(id, { type: 'expire' });
    await start(job?.payload as ChildPayload);
    assert.equal(await countChildren(id), CHILDREN_PER_TRANSACTION);
    assert.equal((await findInstance(journey.acme, id))?.status, 'COMPLETED_TERMINATED');
  });
});
