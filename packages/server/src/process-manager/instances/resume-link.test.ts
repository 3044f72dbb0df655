import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { codeOf } from '../../../test/end-user.ts';
import { onBothEngines } from '../../../test/harness.ts';
import { DAY, type InstanceWorld, openInstanceWorld, PATH } from '../../../test/instance-world.ts';
import { addTestDefinition, addTestToken } from '../../../test/processes.ts';
import { toDtm } from '../../kernel/clock.ts';
import { newId } from '../../kernel/ids.ts';
import { compileDefinition } from '../engine/compile-definition.ts';
import { openDrive } from '../runtime/drive.ts';
import { createInstance } from './create-instance.ts';

onBothEngines('paused process instances', (_engine, places) => {
  let world: InstanceWorld;
  before(async () => {
    world = await openInstanceWorld(await places.create());
  });
  after(() => world.grove.stop());

  describe('resuming an instance', () => {
    it('resuming an instance continues a paused one, once', async () => {
      const paused = await addTestDefinition(world.acme, {
        name: 'paused',
        steps: [
          { id: 'wait', type: 'pause', key: 'pause1' },
          { id: 'decide', type: 'decision', onAnyFailure: 'FAIL', onUncertain: 'REVIEW' },
        ],
      });
      const { id: pt } = await addTestToken(world.acme, paused);
      const { processInstanceId: id } = (await world.create(pt)).body;
      const { vault, jobs } = world.grove.app;
      const drive = openDrive({
        notifyEvents: async () => undefined,
        expectNotified: () => undefined,
        eventsOfView: async () => [],
        rememberViews: () => undefined,
        sendWebhook: async () => true,
        identity: {} as never,
        vault,
        jobs,
        warn: () => undefined,
        changed: () => undefined,
      });
      await world.acme.write((tx) => drive.apply(tx, id, { type: 'open' }, world.grove.clock.now()));
      assert.equal((await world.get(id)).body.statusMapped, 'Paused');
      const resume = (body: object) =>
        world.grove.call(`${PATH}/${id}/resume`, { method: 'POST', body: JSON.stringify(body) });
      assert.equal((await resume({ variables: { a: 1 } })).body.code, 100001);
      const { status, body } = await resume({ variables: { approved: 'yes' } });
      assert.deepEqual([status, body.status, body.id], [200, 'COMPLETED_ENDED_SUCCESS', id]);
      assert.equal((await resume({})).body.code, 100062);
      const { content } = (await world.get(`${id}/events?sort=sequence,desc`)).body;
      assert.equal(content[0].type, 'instance.completed');
    });

    it('resuming an instance is refused with 100062 if it is not paused', async () => {
      const { id } = await world.newInstance();
      const { status, body } = await world.grove.call(`${PATH}/${id}/resume`, { method: 'POST', body: '{}' });
      assert.deepEqual([status, body.code], [409, 100062]);
    });

    it('a resume link works for 24 hours, and leads to the parent journey of a child', async () => {
      const row = await world.newInstance({ ui_url: 'https://good.example/ui' });
      const { row: child } = await world.acme.write((tx) =>
        createInstance(tx, {
          definition: compileDefinition(world.definition),
          environment: 'live',
          parameters: {},
          now: world.grove.clock.now(),
          parent: { row, step: 'sub', id: newId(world.grove.clock.now()) },
        }),
      );
      for (const id of [row.id, child.id]) {
        const { status, body } = await world.grove.call(`${PATH}/${id}/resumeLink`, { method: 'POST', body: '{}' });
        assert.deepEqual([status, body.expiringDtm], [201, toDtm(world.grove.clock.now() + DAY)]);
        const url = new URL(body.redirectUrl);
        assert.equal(url.origin, 'https://good.example');
        assert.equal(url.search, `?pi=${row.id}`);
        const hash = createHash('sha256').update(codeOf(body.redirectUrl)).digest();
        const [storedCode] = await world.acme.all<{ kind: string; expires_at: number }>(
          { text: `SELECT kind, expires_at FROM journey_codes WHERE tenant_id = 'acme' AND code_hash = $1` },
          [hash],
        );
        assert.deepEqual({ ...storedCode }, { kind: 'RESUME', expires_at: world.grove.clock.now() + DAY });
        const query = 'action=processInstance.resumeLinkCreated';
        const { body: audit, text } = await world.grove.call(`/api/process-manager/auditEvents?${query}`);
        assert.ok(audit.content.some(({ item }: { item: string }) => item === id));
        assert.ok(!text.includes(codeOf(body.redirectUrl)), 'the audit trail does not hold the link');
      }
    });

    it('the resume links of an instance are limited to twenty, and expired ones are removed', async () => {
      const { id } = await world.newInstance();
      const link = () => world.grove.call(`${PATH}/${id}/resumeLink`, { method: 'POST', body: '{}' });
      for (let at = 0; at < 25; at++) assert.equal((await link()).status, 201);
      assert.equal((await world.rowsOf('journey_codes', id)).length, 20);
      world.grove.clock.advance(DAY);
      // By now the bearer token has expired, too.
      const token = await world.grove.token();
      await world.grove.call(`${PATH}/${id}/resumeLink`, { method: 'POST', body: '{}', token });
      assert.equal((await world.rowsOf('journey_codes', id)).length, 1);
      world.grove.clock.advance(-DAY);
    });

    it('a resume link of a journey that has ended is refused with 100057', async () => {
      const { id } = await world.newInstance();
      await world.change(id, { status: 'COMPLETED_TERMINATED', completed_at: world.grove.clock.now() });
      const { status, body } = await world.grove.call(`${PATH}/${id}/resumeLink`, { method: 'POST', body: '{}' });
      assert.deepEqual([status, body.code], [409, 100057]);
    });
  });
});
