import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { addressesOf, needsBody, operations } from '@grove/contract';
import { openTestApp, type TestApp, testPlaces } from './harness.ts';

const NOBODY = '01JZ4MCW8A0C2E4G6J8M0P2R4T';
const STORE = 'customers';
const POLICY = 'second';
const EXT_ID = 'customer-1';

/** The least that is taken where a body is required. */
const BODIES: Readonly<Record<string, object>> = {
  'passkeys.update': { status: 'ACTIVE' },
  'appkeys.updateKey': { status: 'ACTIVE' },
  'appkeys.updateDevice': { pushToken: 'token' },
  'totps.completeRegistration': { code: '000000' },
  'totps.authenticate': { code: '000000' },
  'biometrics.recordFailure': { type: 'FACE' },
  'pushNotifications.answer': { status: 'DELIVERED' },
};

/** What is not there is named by its own code, at every address of the identity store. */
describe('the identity store', () => {
  const places = testPlaces();
  let grove: TestApp;
  let user: string;
  before(async () => {
    grove = await openTestApp(await places.create());
    const create = async (path: string, given: object) => {
      const body = JSON.stringify(given);
      const made = await grove.call(`/api/identity-store/stores${path}`, { method: 'POST', body });
      assert.ok(made.status === 200 || made.status === 201, made.text);
      return made.body;
    };
    await create('', { name: STORE });
    await create(`/${STORE}/totpPolicy`, { name: POLICY });
    user = (await create(`/${STORE}/users`, { extId: EXT_ID })).id;
  });
  after(() => grove.stop());

  const asked = operations().filter(
    ({ id, operation }) => operation.path.includes('{storeName}') && (!needsBody(operation) || id in BODIES),
  );
  it('the identity store has operations for this test to call', () => assert.ok(asked.length > 20));

  for (const { id, operation } of asked) {
    const codes: readonly number[] = operation.codes ?? [];
    const answersOf = async (known: Readonly<Record<string, string>>) => {
      const found: number[] = [];
      for (const { path } of addressesOf(operation)) {
        const url = path.replace(/\{(\w+)\}/g, (_, name: string) => known[name] ?? NOBODY);
        const body = BODIES[id] && JSON.stringify(BODIES[id]);
        found.push((await grove.call(url, { method: operation.method, ...(body && { body }) })).body?.code);
      }
      return new Set(found);
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
        const known = { storeName: STORE, userId: user, userExtId: EXT_ID };
        assert.deepEqual(await answersOf(known), new Set([100029]));
      });
    }
  }
});
