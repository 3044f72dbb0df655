import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { addressesOf, operations, paramNames } from '@grove/contract';
import { GroveError } from 'grove-idv-sdk';
import { openTestApp, type TestApp, testPlaces } from './harness.ts';

type Loose = Record<string, Record<string, (args: object) => Promise<unknown>>>;

/** An id and a name that do not exist. */
const NOBODY = '01JZ4MCW8A0C2E4G6J8M0P2R4T';

describe('the operations of the SDK', () => {
  const places = testPlaces();
  let grove: TestApp;
  before(async () => {
    grove = await openTestApp(await places.create());
  });
  after(() => grove.stop());

  it('every operation of the SDK gets an answer of the server: a result, or a problem with a code', async () => {
    const client = grove.client as unknown as Loose;
    let called = 0;
    for (const { id, group, name, operation } of operations()) {
      const method = client[group]?.[name];
      if (!method || operation.auth === 'journey' || operation.auth === 'public') continue;
      const ways = addressesOf(operation).map(({ userBy = 'none' }) => userBy);
      const user = ways.includes('id') ? { id: NOBODY } : { extId: NOBODY };
      const params = Object.fromEntries(paramNames(operation.path).map((each) => [each, NOBODY]));
      const body = operation.consumes
        ? { contentType: operation.consumes[0], bytes: new Uint8Array(4) }
        : operation.body && {};
      called += 1;
      try {
        await method({ ...params, ...(!ways.includes('none') && { user }), ...(body && { body }) });
      } catch (error) {
        assert.ok(error instanceof GroveError, `${id}: ${error}`);
        assert.equal(typeof error.code, 'number', `${id}: ${error.message}`);
        assert.notEqual(error.code, 100003, `${id} is not served where the SDK asks for it`);
        assert.ok((error.status ?? 0) < 500, `${id}: ${error.message}`);
      }
    }
    assert.ok(called > 90, `${called} operations`);
  });

  it('the operations of the SDK delete a process instance, and return nothing for it', async () => {
    const { processTokens, processInstances, erasures } = grove.client;
    const token = await processTokens.create({
      body: { name: 'one', processDefnName: 'document-and-selfie', processDefnVersion: 1 },
    });
    const { processInstanceId } = await processInstances.create({ query: { pt: token.id } });
    assert.equal(await processInstances.delete({ processInstanceId }), undefined);
    assert.match((await erasures.get({ processInstanceId })).state, /^ERAS/);
  });
});
