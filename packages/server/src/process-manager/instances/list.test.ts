import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { onBothEngines, openTestApp, type TestApp } from '../../../test/harness.ts';
import { addTestDefinition } from '../../../test/processes.ts';
import type { TenantDb } from '../../db/db.ts';
import { HOUR, toDtm } from '../../kernel/clock.ts';
import { asTenantId } from '../../kernel/ids.ts';
import type { DefinitionRow } from '../definitions/definitions.repository.ts';
import { compileDefinition } from '../engine/compile-definition.ts';
import type { InstanceStatus } from '../engine/state.ts';
import { deleteInChain } from '../retention/delete-instance.ts';
import { createInstance } from './create-instance.ts';
import { changeInstance, findInstanceForUpdate } from './process-instances.repository.ts';

const PATH = '/api/process-manager/processInstances';

onBothEngines('lists of process instances', (_engine, places) => {
  let grove: TestApp;
  let acme: TenantDb;
  let one: DefinitionRow;
  let two: DefinitionRow;
  let began: number;
  const ids: string[] = [];

  const add = async (
    definition: DefinitionRow,
    parameters: Record<string, string>,
    { status = 'PENDING', environment = 'live' }: { status?: InstanceStatus; environment?: 'live' | 'test' } = {},
  ) => {
    return acme.write(async (tx) => {
      const now = grove.clock.now();
      const { row } = await createInstance(tx, {
        definition: compileDefinition(definition),
        environment,
        parameters,
        now,
      });
      if (status !== 'PENDING') await changeInstance(tx, row, { ...row, status });
      return row.id;
    });
  };

  before(async () => {
    grove = await openTestApp(await places.create());
    acme = grove.app.db.of(asTenantId('acme'));
    one = await addTestDefinition(acme, { name: 'kyc-one', attributes: { searchable: ['orderId', 'shop'] } });
    two = await addTestDefinition(acme, { name: 'kyc-two', retentionDays: 1 });
    began = grove.clock.now();
    const people = [
      { firstName: 'Ada', lastName: 'Lovelace', email: 'Ada.L@mail.example', phoneNumber: '+44 (20) 7946-0958' },
      { firstName: 'Grace', lastName: 'Hopper', email: 'grace@navy.example' },
      { firstName: 'Ada', lastName: 'Hopper-Byron', orderId: 'AB-2024/001', shop: 'North Quay' },
      { firstName: 'Åse', lastName: 'Øvergård', email: 'a_b%c@x.example' },
    ];
    const statuses: InstanceStatus[] = ['PENDING', 'ACTIVE', 'COMPLETED_ENDED_SUCCESS'];
    for (let at = 0; at < 12; at++) {
      const status = statuses[at % 3] ?? 'PENDING';
      grove.clock.advance(HOUR);
      ids.unshift(await add(at % 2 === 0 ? one : two, people[at % 4] as Record<string, string>, { status }));
    }
    await add(one, people[0] as Record<string, string>, { environment: 'test' });
  });
  after(() => grove.stop());

  type Item = { id: string; status: string; processDefnName: string; extendedSearchField?: string };
  const list = async (query: string, path = PATH) => {
    const { status, body } = await grove.call(`${path}?${query}`);
    assert.equal(status, 200, JSON.stringify(body));
    return body as { content: Item[]; totalElements: number; totalPages: number; last: boolean; empty: boolean };
  };
  const idsOf = async (query: string, path = PATH) => (await list(query, path)).content.map(({ id }) => id);
  const at = (...places: number[]) => places.map((place) => ids[place]);

  describe('list', () => {
    it('the list of instances shows the newest first, ten to a page, with the total', async () => {
      const page = await list('');
      assert.deepEqual(
        [page.content.map(({ id }) => id), page.totalElements, page.last],
        [ids.slice(0, 10), 12, false],
      );
      assert.deepEqual(await idsOf('page=1'), ids.slice(10));
      assert.deepEqual((await list('page=7')).empty, true);
    });

    it('the list of instances has the specified fields, also those of the search', async () => {
      const { content } = await list('size=12');
      const item = content.find(({ id }) => id === ids[9]) as Item & Record<string, unknown>;
      assert.deepEqual(
        [item.scheduledExpiry, item.retentionDays, item.extendedSearchField, item.extendedSearchTerms],
        [true, 30, 'orderId,shop', ['AB-2024/001', 'North Quay']],
      );
      assert.equal(content.find(({ id }) => id === ids[10])?.extendedSearchField, undefined);
    });

    it('the list of instances filters by definition, by part of its name and by status, alone and together', async () => {
      assert.deepEqual(await idsOf(`processDefinitionId=${one.id}&size=20`), at(1, 3, 5, 7, 9, 11));
      assert.deepEqual(await idsOf('processDefinitionName=%25TWO&size=20'), at(0, 2, 4, 6, 8, 10));
      assert.deepEqual(await idsOf('processDefinitionName=kyc%25&size=5'), ids.slice(0, 5));
      assert.deepEqual(await idsOf('processDefinitionName=kyc%25&size=5&page=1'), ids.slice(5, 10));
      assert.deepEqual(await idsOf('processInstanceStatus=ACTIVE'), at(1, 4, 7, 10));
      assert.deepEqual(await idsOf('processInstanceStatus=ACTIVE&processDefinitionName=kyc-one'), at(1, 7));
      assert.deepEqual(await idsOf('processInstanceStatus=ACTIVE&processDefinitionName=kyc%25'), at(1, 4, 7, 10));
      assert.deepEqual(await idsOf(`processDefinitionName=kyc-two&processDefinitionId=${one.id}`), []);
      assert.deepEqual(await idsOf('processDefinitionName=nothing'), []);
      assert.deepEqual(await idsOf('processDefinitionId=nothing'), []);
      assert.deepEqual(await idsOf('processInstanceStatus=PAUSED'), []);
    });

    it('the totals of the list of instances follow its filters', async () => {
      const total = async (query: string) => (await list(query)).totalElements;
      assert.equal(await total(`processDefinitionId=${one.id}`), 6);
      assert.equal(await total('processInstanceStatus=ACTIVE'), 4);
      assert.equal(await total('processInstanceStatus=ACTIVE&processDefinitionName=kyc-one'), 2);
      assert.equal(await total('processDefinitionName=kyc%25'), 12);
    });

    it('the list of instances sorts by the properties that have an index, in both directions', async () => {
      const oldest = [...ids].reverse();
      for (const property of ['id', 'createdAt', 'createdDtm']) {
        assert.deepEqual(await idsOf(`sort=${property},asc&size=12`), oldest);
        assert.deepEqual(await idsOf(`sort=${property},desc&size=12`), ids);
      }
      assert.deepEqual(await idsOf('sort=createdAt&processDefinitionName=kyc%25&size=3&page=1'), oldest.slice(3, 6));
      assert.deepEqual((await idsOf('sort=expiringDtm&size=12')).slice(0, 6), at(10, 8, 6, 4, 2, 0));
      assert.deepEqual((await idsOf('sort=expiringDtm,desc&size=12')).slice(0, 6), at(1, 3, 5, 7, 9, 11));
      assert.deepEqual(await idsOf('sort=status,desc&size=4'), at(2, 5, 8, 11));
      assert.deepEqual(await idsOf('sort=status&sort=createdAt,desc&size=4'), at(1, 4, 7, 10));
      assert.deepEqual(await idsOf('sort=status&processDefinitionName=kyc-one&size=2'), at(7, 1));
    });

    for (const [query, pointer] of [
      ['sort=lastName', '/query/sort/0'],
      ['sort=parameters', '/query/sort/0'],
      ['size=0', '/query/size'],
      ['size=1001', '/query/size'],
      ['page=-1', '/query/page'],
      ['processInstanceStatus=DONE', '/query/processInstanceStatus'],
      [`processDefinitionName=${'x'.repeat(256)}`, '/query/processDefinitionName'],
      ['processDefinitionName=x%5C', '/query/processDefinitionName'],
      [`processDefinitionId=${'x'.repeat(51)}`, '/query/processDefinitionId'],
    ] as const) {
      it(`the list of instances refuses ${query.slice(0, 40)} with 100001`, async () => {
        const { status, body } = await grove.call(`${PATH}?${query}`);
        assert.deepEqual([status, body.code, body.errors[0].pointer], [400, 100001, pointer]);
      });
    }

    it('the list of instances shows test keys only instances of the sandbox, and live keys none of them', async () => {
      const { apiKey } = await grove.app.tenants.createApiKey('acme', { name: 'Sandbox', environment: 'test' });
      const token = await grove.token(apiKey);
      for (const query of ['', '/search?searchString=ada', '/search?searchString=ada.l@mail.example']) {
        const { body } = await grove.call(`${PATH}${query}`, { token });
        assert.deepEqual([body.totalElements, body.content[0].environment], [1, 'test']);
      }
    });
  });

  describe('the search for instances', () => {
    const SEARCH = `${PATH}/search`;
    const idsFor = (text: string, more = '') =>
      idsOf(`searchString=${encodeURIComponent(text)}&size=20${more}`, SEARCH);
    const adas = [1, 3, 5, 7, 9, 11];
    const lovelaces = [3, 7, 11];
    const byrons = [1, 5, 9];

    for (const [text, places] of [
      ['Ada', adas],
      ['ada lovelace', lovelaces],
      ['lovelace ADA', lovelaces],
      ['love', lovelaces],
      ['hopper', [1, 2, 5, 6, 9, 10]],
      ['hopper-byron', byrons],
      ['ada.l@mail.example', lovelaces],
      ['ada.l', lovelaces],
      ['ADA.L@', lovelaces],
      ['mail.example', lovelaces],
      ['+44 20 7946 0958', lovelaces],
      ['4420', lovelaces],
      ['AB-2024/001', byrons],
      ['ab2024', byrons],
      ['north', byrons],
      ['quay ada', byrons],
      ['øver', [0, 4, 8]],
      ['ÅSE', [0, 4, 8]],
      ['a_b%c@x.example', [0, 4, 8]],
      ['a_b', [0, 4, 8]],
      ['lo', []],
      ['axb', []],
      ['nobody', []],
      ['ada nobody', []],
      ['ada grace', []],
    ] as const) {
      it(`the search for instances for ${JSON.stringify(text)} finds ${places.length}`, async () => {
        assert.deepEqual(await idsFor(text), at(...places));
        assert.equal((await list(`searchString=${encodeURIComponent(text)}`, SEARCH)).totalElements, places.length);
      });
    }

    it('the search for instances finds an instance by its id, in upper and lower case, if the filters allow it', async () => {
      const id = ids[4] as string;
      assert.deepEqual(await idsFor(id), [id]);
      assert.deepEqual(await idsFor(` ${id.toLowerCase()} `), [id]);
      assert.deepEqual(await idsFor(id, '&processDefinitionName=kyc-two'), [id]);
      assert.deepEqual(await idsFor(id, '&processDefinitionName=kyc-one'), []);
      assert.deepEqual(await idsFor(id, `&endDateTime=${toDtm(began)}`), []);
    });

    it('the search for instances filters its results by definition, status and time', async () => {
      assert.deepEqual(await idsFor('ada', '&processInstanceStatus=ACTIVE'), at(1, 7));
      assert.deepEqual(await idsFor('hopper', '&processDefinitionName=kyc-two'), at(2, 6, 10));
      assert.deepEqual(await idsFor('hopper', '&processDefinitionName=nothing'), []);
      // The first was created an hour after the start, the next an hour later.
      const from = toDtm(began + 3 * HOUR);
      const to = toDtm(began + 7 * HOUR);
      assert.deepEqual(await idsFor('ada', `&startDateTime=${from}&endDateTime=${to}`), at(7, 9));
      assert.deepEqual(await idsFor('ada', `&startDateTime=${to}&endDateTime=${from}`), []);
    });

    it('the search for instances without words returns the list, limited to a time range', async () => {
      assert.deepEqual(await idsOf('size=20', SEARCH), ids);
      const from = toDtm(began + 3 * HOUR);
      const to = toDtm(began + 7 * HOUR);
      const within = `startDateTime=${from}&endDateTime=${to}`;
      assert.deepEqual(await idsOf(within, SEARCH), at(6, 7, 8, 9));
      assert.deepEqual(await idsOf(`${within}&processDefinitionName=kyc%25&size=3`, SEARCH), at(6, 7, 8));
      assert.deepEqual(await idsOf(`${within}&processInstanceStatus=ACTIVE`, SEARCH), at(7));
      assert.equal((await list(`${within}&size=1`, SEARCH)).totalElements, 4);
      assert.equal((await list(`${within}&processDefinitionName=kyc%25`, SEARCH)).totalElements, 4);
      assert.deepEqual(await idsOf(`${within}&page=9`, SEARCH), []);
    });

    it('the search for instances has pages and sorts by creation', async () => {
      assert.deepEqual(await idsFor('ada', '&sort=createdAt,asc'), at(...[...adas].reverse()));
      assert.deepEqual(await idsOf('searchString=ada&size=4&page=1', SEARCH), at(9, 11));
      assert.deepEqual(await idsOf('searchString=ada&size=4&page=2', SEARCH), []);
    });

    for (const [query, pointer] of [
      ['searchString=x', '/query/searchString'],
      ['searchString=a+b+c', '/query/searchString'],
      ['searchString=', '/query/searchString'],
      ['searchString=++', '/query/searchString'],
      ['searchString=%E2%80%8B', '/query/searchString'],
      ['searchString=one+two+three+four+five+six', '/query/searchString'],
      [`searchString=${'x'.repeat(256)}`, '/query/searchString'],
      ['startDateTime=yesterday', '/query/startDateTime'],
      ['endDateTime=2026-12-31T23:59:60Z', '/query/endDateTime'],
      ['sort=expiringDtm', '/query/sort/0'],
    ] as const) {
      it(`the search for instances refuses ${query.slice(0, 40)} with 100001`, async () => {
        const { status, body } = await grove.call(`${SEARCH}?${query}`);
        assert.deepEqual([status, body.code, body.errors[0].pointer], [400, 100001, pointer]);
      });
    }

    it('the search for instances finds no deleted instance', async () => {
      const id = await add(one, { firstName: 'Vanishing', email: 'van@x.example' });
      assert.deepEqual(await idsFor('vanishing'), [id]);
      await acme.write(async (tx) => {
        const row = await findInstanceForUpdate(tx, id);
        assert.ok(row);
        const deps = {
          vault: grove.app.vault,
          drive: {} as never,
          notifyEvents: async () => undefined,
          beginErasure: async () => undefined,
        };
        await deleteInChain(tx, row, { by: 'Test', reason: 'REQUEST', at: 0 }, deps);
      });
      for (const text of ['vanishing', 'van@x.example', id]) assert.deepEqual(await idsFor(text), []);
      assert.equal((await list('')).totalElements, 12);
    });
  });
});
