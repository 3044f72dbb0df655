import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { addressesOf, needsBody, operations } from '@grove/contract';
import { openTestApp, type TestApp, testPlaces } from './harness.ts';

const NOBODY = '01JZ4MCW8A0C2E4G6J8M0P2R4T';
const STORE = 'customers';
const POLICY = 'second';
const EXT_ID = 'customer-1';

/** The smallest accepted body of each operation that needs one. */
const BODIES: Readonly<Record<string, object>> = {
  'passkeys.update': { status: 'ACTIVE' },
  'appkeys.updateKey': { status: 'ACTIVE' },
  'appkeys.updateDevice': { pushToken: 'token' },
  'totps.completeRegistration': { code: '000000' },
  'totps.authenticate': { code: '000000' },
  'biometrics.recordFailure': { type: 'FACE' },
  'pushNotifications.answer': { status: 'DELIVERED' },
};

/** A missing object is reported with its own code, at every address of the identity store. */
describe('the identity store', () => {
  const places = testPlaces();
  let grove: TestApp;
  let user: string;
  before(async () => {
    grove = await openTestApp(await places.create());
    const create = async (path: string, fields: object) => {
      const body = JSON.stringify(fields);
      const answer = await grove.call(`/api/identity-store/stores${path}`, { method: 'POST', body });
      assert.ok(answer.status === 200 || answer.status === 201, answer.text);
      return answer.body;
    };
    await create('', { name: STORE });
    await create(`/${STORE}/totpPolicy`, { name: POLICY });
    user = (await create(`/${STORE}/users`, { extId: EXT_ID })).id;
  });
  after(() => grove.stop());

  const calls = operations().filter(
    ({ id, operation }) => operation.path.includes('{storeName}') && (!needsBody(operation) || id in BODIES),
  );
  it('the identity store has operations for this test to call', () => assert.ok(calls.length > 20));

  for (const { id, operation } of calls) {
    const codes: readonly number[] = operation.codes ?? [];
    const answersOf = async (parameters: Readonly<Record<string, string>>) => {
      const codes: number[] = [];
      for (const { path } of addressesOf(operation)) {
        const url = path.replace(/\{(\w+)\}/g, (_, name: string) => parameters[name] ?? NOBODY);
        const body = BODIES[id] && JSON.stringify(BODIES[id]);
        codes.push((await grove.call(url, { method: operation.method, ...(body && { body }) })).body?.code);
      }
      return new Set(codes);
    };

    if (codes.includes(100027)) {
      it(`100027: ${id} is refused for an unknown store`, async () => {
        assert.deepEqual(await answersOf({}), new Set([100027]));
      });
    }
    if (codes.includes(100028) && operation.userBy && !operation.userBy.includes('none')) {
      it(`100028: ${id} is refused for an unknown user`, async () => {
        assert.deepEqual(await answersOf({ storeName: STORE, policyName: POLICY }), new Set([100028]));
      });
    }
    if (codes.includes(100029) && operation.path.includes('{rpId}')) {
      it(`100029: ${id} is refused for an unknown relying party`, async () => {
        const parameters = { storeName: STORE, userId: user, userExtId: EXT_ID };
        assert.deepEqual(await answersOf(parameters), new Set([100029]));
      });
    }
  }
});
