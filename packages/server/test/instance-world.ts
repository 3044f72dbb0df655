import assert from 'node:assert/strict';
import { HOUR } from '../src/kernel/clock.ts';
import { asTenantId } from '../src/kernel/ids.ts';
import {
  changeInstance,
  findInstance,
  findInstanceForUpdate,
  type InstanceRow,
} from '../src/process-manager/instances/process-instances.repository.ts';
import type { TokenRow } from '../src/process-manager/tokens/process-tokens.repository.ts';
import { openTestApp, type TestPlace } from './harness.ts';
import { addTestDefinition, addTestToken } from './processes.ts';

export const PATH = '/api/process-manager/processInstances';
export const DAY = 24 * HOUR;

export type InstanceWorld = Awaited<ReturnType<typeof openInstanceWorld>>;

/** A tenant with a definition and a token, and the calls of its back end about instances. */
export async function openInstanceWorld(place: TestPlace) {
  const grove = await openTestApp(place);
  const acme = grove.app.db.of(asTenantId('acme'));
  const definition = await addTestDefinition(acme, { name: 'onboarding', attributes: { searchable: ['orderId'] } });
  const token = await addTestToken(acme, definition);
  const settings = { redirectOrigins: ['https://good.example'], allowSpecimens: false };
  await grove.call('/api/process-manager/settings', { method: 'POST', body: JSON.stringify(settings) });
  const testKey = await grove.app.tenants.createApiKey('acme', { name: 'Test key', environment: 'test' });
  const create = (pt = token.id, key?: string) =>
    grove.call(`${PATH}/create?pt=${pt}`, { method: 'POST', body: '{}', ...(key && { token: key }) });
  const rowOf = async (id: string): Promise<InstanceRow> => {
    const row = await findInstance(acme, id);
    assert.ok(row);
    return row;
  };

  return {
    grove,
    acme,
    definition,
    token,
    /** A token of the same tenant's sandbox. */
    testKey: await grove.token(testKey.apiKey),
    base: `http://acme.fir.localhost:${new URL(grove.baseUrl).port}`,
    get: (path: string, key?: string) => grove.call(`${PATH}/${path}`, key ? { token: key } : {}),
    create,
    start: (body?: object, pt = token.id) =>
      grove.call(`${PATH}?pt=${pt}`, { method: 'POST', ...(body && { body: JSON.stringify(body) }) }),
    rowOf,
    async newInstance(more: Partial<TokenRow> = {}): Promise<InstanceRow> {
      const { id } = await addTestToken(acme, definition, more);
      return rowOf((await create(id)).body.processInstanceId);
    },
    change: (id: string, more: Partial<InstanceRow>) =>
      acme.write(async (tx) => {
        const row = await findInstanceForUpdate(tx, id);
        assert.ok(row);
        return changeInstance(tx, row, { ...row, ...more });
      }),
    rowsOf: (table: string, id: string) =>
      acme.all({ text: `SELECT 1 AS one FROM ${table} WHERE tenant_id = 'acme' AND instance_id = $1` }, [id]),
  };
}
