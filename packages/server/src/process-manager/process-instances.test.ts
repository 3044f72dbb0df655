import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { onBothEngines } from '../../test/harness.ts';
import { DAY, type InstanceWorld, openInstanceWorld, PATH } from '../../test/instance-world.ts';
import { addTestDefinition, addTestToken } from '../../test/processes.ts';
import { sql } from '../db/db.ts';
import { openFolder } from '../engines/blobs/folder.ts';
import { HOUR, MINUTE, toDtm } from '../kernel/clock.ts';
import { newId } from '../kernel/ids.ts';
import { compileDefinition } from './engine/compile-definition.ts';
import { createInstance } from './instances/create-instance.ts';
import { totalsOf } from './instances/instance-totals.ts';
import type { InstanceRow } from './instances/process-instances.repository.ts';

onBothEngines('process instances', (_engine, places) => {
  let world: InstanceWorld;
  before(async () => {
    world = await openInstanceWorld(await places.create());
  });
  after(() => world.grove.stop());

  describe('the views of an instance', () => {
    const parameters = JSON.stringify({
      firstName: '  Ada ',
      lastName: 'Lovelace',
      email: 'ada@x.example',
      phoneNumber: '+44 20',
      orderId: 'A-7',
      dateOfBirth: '1815-12-10',
      toString: 'x',
      hasOwnProperty: 'y',
    });

    it('the plain view of an instance has the fields of the specification', async () => {
      const { id } = await world.newInstance({ parameters });
      const createdAt = world.grove.clock.now();
      world.grove.clock.advance(90 * 1000);
      const { status, body } = await world.get(id);
      assert.equal(status, 200);
      assert.deepEqual(body, {
        id,
        tenantId: 'acme',
        processDefnId: world.definition.id,
        processDefnName: 'onboarding',
        processDefnVersion: 1,
        lastName: 'Lovelace',
        firstName: 'Ada',
        phoneNumber: '+44 20',
        email: 'ada@x.example',
        status: 'PENDING',
        environment: 'live',
        retentionDays: 30,
        expiringDtm: toDtm(createdAt + 30 * DAY),
        createdAt: toDtm(createdAt),
        elapsedMilliseconds: 90_000,
        statusMapped: 'Pending',
      });
    });

    it('the view of an instance with parameters has the fields of the specification, and the parameters of its creation', async () => {
      const row = await world.newInstance({ parameters });
      const at = toDtm(row.created_at);
      assert.deepEqual((await world.get(`${row.id}/withParameters`)).body, {
        id: row.id,
        tenantId: 'acme',
        processDefnId: world.definition.id,
        processDefnName: 'onboarding',
        processDefnVersion: 1,
        lastName: 'Lovelace',
        firstName: 'Ada',
        phoneNumber: '+44 20',
        email: 'ada@x.example',
        status: 'PENDING',
        environment: 'live',
        retentionDays: 30,
        expiringDtm: toDtm(row.created_at + 30 * DAY),
        createdDtm: at,
        lastUpdatedDtm: at,
        processTokenId: row.token_id,
        processTokenCounter: 1,
        processServerId: 'fir',
        dateOfBirth: '1815-12-10',
        processDefinitionType: 'VERIFICATION',
        processTokenParameters: JSON.parse(parameters),
      });
    });

    it('the view of an instance shows no invalid date of birth, and cuts names to the length that lists accept', async () => {
      const odd = JSON.stringify({ dateOfBirth: '2001-02-30', firstName: '𝒜'.repeat(1000), lastName: '   ' });
      const { id } = await world.newInstance({ parameters: odd });
      const { body } = await world.get(`${id}/withParameters`);
      assert.deepEqual([body.dateOfBirth, [...body.firstName].length, body.lastName], [undefined, 255, undefined]);
    });

    it('the view of an instance maps every status, and its duration stops at the end', async () => {
      const mapped = {
        PENDING: 'Pending',
        ACTIVE: 'In Progress',
        PAUSED: 'Paused',
        REVIEW: 'Review',
        COMPLETED_ENDED_SUCCESS: 'Accepted',
        COMPLETED_ENDED_ERROR: 'Declined',
        COMPLETED_PROCESS_ERROR: 'Error',
        COMPLETED_TERMINATED: 'Abandoned',
      } as const;
      const { id, created_at } = await world.newInstance();
      for (const [status, statusMapped] of Object.entries(mapped)) {
        const completed_at = status.startsWith('COMPLETED') ? created_at + 5 : null;
        await world.change(id, { status: status as InstanceRow['status'], completed_at });
        world.grove.clock.advance(MINUTE);
        const { body } = await world.get(id);
        assert.deepEqual([body.status, body.statusMapped], [status, statusMapped]);
        if (completed_at !== null) assert.equal(body.elapsedMilliseconds, 5);
      }
    });

    it('the view of an instance shows the review if there is one', async () => {
      const { id } = await world.newInstance();
      await world.change(id, { status: 'REVIEW', review_status: 'PENDING' });
      assert.deepEqual((await world.get(id)).body.review, { status: 'PENDING' });
      await world.change(id, { review_status: 'REJECTED', review_comment: 'blurred', reviewer: 'Eve' });
      assert.deepEqual((await world.get(id)).body.review, { status: 'REJECTED', comment: 'blurred', reviewer: 'Eve' });
    });

    it('the view of an instance shows the earliest of all its expiry times', async () => {
      const now = world.grove.clock.now();
      const short = await addTestDefinition(world.acme, { name: 'short', maxDuration: 'PT10M' });
      const { id } = await addTestToken(world.acme, short);
      assert.equal((await world.rowOf((await world.create(id)).body.processInstanceId)).deadline_at, now + 10 * MINUTE);
      assert.equal((await world.newInstance({ max_process_duration: 'PT1M' })).deadline_at, now + MINUTE);
      assert.equal((await world.newInstance()).deadline_at, now + 48 * HOUR);
    });
  });

  describe('100022 for instances', () => {
    it('100022 is the answer of every operation on an instance that does not exist, is of the sandbox or of another tenant', async () => {
      const { id: testToken } = await addTestToken(world.acme, world.definition, { environment: 'test' });
      const { processInstanceId: ofSandbox } = (await world.create(testToken, world.testKey)).body;
      assert.equal((await world.get(ofSandbox, world.testKey)).body.environment, 'test');
      const { apiKey } = await world.grove.app.tenants.create({ id: 'foreigner' });
      const foreigner = await world.grove.token(apiKey);
      const { id: own } = await world.newInstance();
      const bodies = new Set<string>();
      for (const [id, key] of [
        ['nothing', undefined],
        [newId(0), undefined],
        [ofSandbox, undefined],
        [own, world.testKey],
        [own, foreigner],
      ] as const) {
        for (const [method, tail] of [
          ['GET', ''],
          ['GET', '/withParameters'],
          ['GET', '/events'],
          ['DELETE', ''],
          ['POST', '/resume'],
          ['POST', '/resumeLink'],
        ] as const) {
          const { status, body } = await world.grove.call(`${PATH}/${id}${tail}`, {
            method,
            ...(key && { token: key }),
          });
          assert.deepEqual([status, body.code], [404, 100022], `${method} ${tail}`);
          bodies.add(JSON.stringify({ ...body, requestId: '' }));
        }
      }
      assert.equal(bodies.size, 1, 'nobody can tell which of them it is');
      assert.equal((await world.get(own)).status, 200);
    });
  });

  describe('the deletion of an instance', () => {
    it('the deletion of an instance answers 200 without a body, and removes all its rows', async () => {
      const row = await world.newInstance({ parameters: '{"firstName":"Grace","email":"g@x.example"}' });
      const blob = newId(world.grove.clock.now());
      await openFolder(world.grove.config.blobFolder).put(blob, Buffer.from('sealed'));
      const vault = world.grove.app.vault;
      const sealed = await world.acme.write(async (tx) => {
        await tx.run(
          sql(`INSERT INTO instance_images (tenant_id, instance_id, step, attempt, name, blob_key, content_type, bytes,
            sha256, created_at) VALUES ('acme', $1, 'doc', 1, 'front', $2, 'image/jpeg', 6, 'x', 0)`),
          [row.id, blob],
        );
        await tx.run(
          sql(`INSERT INTO journeys (tenant_id, instance_id, revision, state) VALUES ('acme', $1, 1, '{}')`),
          [row.id],
        );
        const child = await createInstance(tx, {
          definition: compileDefinition(world.definition),
          environment: 'live',
          parameters: {},
          now: world.grove.clock.now(),
          parent: { row, step: 'sub', id: newId(world.grove.clock.now()) },
        });
        assert.deepEqual([child.code, child.row.code_hash, child.row.parent_id], [undefined, null, row.id]);
        return vault.sealFor(tx, `instance:${row.id}`, 'test', Buffer.from('secret'));
      });
      const before = (await totalsOf(world.acme, 'live')).reduce((sum, { total }) => sum + total, 0);

      const { status, text } = await world.grove.call(`${PATH}/${row.id}`, { method: 'DELETE' });
      assert.deepEqual([status, text], [200, '']);
      assert.equal((await world.get(row.id)).body.code, 100022);
      for (const table of ['instance_terms', 'instance_events', 'instance_images', 'journeys']) {
        assert.equal((await world.rowsOf(table, row.id)).length, 0, table);
      }
      assert.equal((await world.rowsOf('instance_tombstones', row.id)).length, 1);
      const children = await world.acme.all({ text: 'SELECT id FROM process_instances WHERE parent_id = $1' }, [
        row.id,
      ]);
      assert.equal(children.length, 0);
      assert.equal(
        (await totalsOf(world.acme, 'live')).reduce((sum, { total }) => sum + total, 0),
        before - 2,
      );
      await assert.rejects(vault.openFor(world.acme, `instance:${row.id}`, 'test', sealed), /destroyed/);
      await world.grove.app.jobs.runDue();
      const path = join(world.grove.config.blobFolder, blob.slice(-2), blob.slice(-4, -2), blob);
      assert.ok(!existsSync(path), 'the blob is gone');
    });

    it('the second deletion of an instance answers 100022', async () => {
      const { id } = await world.newInstance();
      await world.grove.call(`${PATH}/${id}`, { method: 'DELETE' });
      assert.equal((await world.grove.call(`${PATH}/${id}`, { method: 'DELETE' })).body.code, 100022);
    });

    it('the first event of a child instance names its parent', async () => {
      const row = await world.newInstance();
      const child = await world.acme.write((tx) =>
        createInstance(tx, {
          definition: compileDefinition(world.definition),
          environment: 'live',
          parameters: {},
          now: world.grove.clock.now(),
          parent: { row, step: 'sub', id: newId(world.grove.clock.now()) },
        }),
      );
      const { body } = await world.get(`${child.row.id}/events`);
      assert.deepEqual(body.content[0].data, {
        parentProcessDefnId: world.definition.id,
        parentProcessDefnName: 'onboarding',
        parentProcessDefnVersion: 1,
        parentProcessInstanceId: row.id,
        childProcessDefnName: 'onboarding',
        childProcessDefnVersion: 1,
      });
      assert.equal((await world.get(`${child.row.id}/withParameters`)).body.parentProcessInstanceId, row.id);
    });
  });
});
