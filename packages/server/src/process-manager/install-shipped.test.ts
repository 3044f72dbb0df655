import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { onBothEngines, openTestApp } from '../../test/harness.ts';
import { toDtm } from '../kernel/clock.ts';
import { checkDefinition, deploymentFaults } from './definitions/check-definition.ts';
import { lookupIn } from './definitions/lookup.ts';
import { readShipped, SHIPPED } from './install-shipped.ts';

describe('the shipped definitions', () => {
  for (const name of SHIPPED) {
    it(`the shipped definition ${name} has no fault, and is written with every default like the result of a check`, () => {
      const { definition, faults } = checkDefinition(readShipped(name));
      assert.deepEqual(faults, []);
      assert.equal(definition?.name, name);
      assert.equal(JSON.stringify(readShipped(name), null, 2), JSON.stringify(definition, null, 2));
    });
  }
});

onBothEngines('a new tenant', (_engine, places) => {
  it('a new tenant has the shipped definitions, deployed, and they can be deployed again unchanged', async (t) => {
    const grove = await openTestApp(await places.create());
    t.after(() => grove.stop());
    const { processDefinitions } = grove.client;
    const { content } = await processDefinitions.list({ query: { sort: ['name'] } });
    assert.deepEqual(
      content.map(({ name, version, status, createdBy, deployedDtm }) => [
        name,
        version,
        status,
        createdBy,
        deployedDtm,
      ]),
      SHIPPED.toSorted().map((name) => [name, 1, 'DEPLOYED_ACTIVE', 'Grove', toDtm(grove.clock.now())]),
    );
    const db = grove.app.db.of(grove.tenantId as never);
    for (const { id } of content) {
      const { document } = await processDefinitions.get({ processDefinitionId: id });
      assert.deepEqual(await deploymentFaults(checkDefinition(document), lookupIn(db, 'live')), []);
    }
  });

  it('a new tenant may change the shipped definitions, and they are not installed again when the server restarts', async () => {
    const place = await places.create();
    const first = await openTestApp(place);
    const { processDefinitions } = first.client;
    const { content } = await processDefinitions.list();
    for (const { id } of content) await processDefinitions.archive({ processDefinitionId: id });
    await first.stop();
    const second = await openTestApp(place);
    const { totalElements } = await second.client.processDefinitions.list({ query: { status: 'ARCHIVED' } });
    assert.equal(totalElements, SHIPPED.length);
    assert.equal((await second.client.processDefinitions.list()).totalElements, SHIPPED.length);
    await second.stop();
  });
});
