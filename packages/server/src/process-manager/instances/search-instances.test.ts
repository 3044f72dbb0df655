import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { addTestTenants, openTestDb } from '../../../test/database.ts';
import { onBothEngines } from '../../../test/harness.ts';
import { addTestDefinition } from '../../../test/processes.ts';
import type { Db, TenantDb } from '../../db/db.ts';
import { EVERY_ID } from '../../kernel/id-range.ts';
import type { DefinitionRow } from '../definitions/definitions.repository.ts';
import { compileDefinition } from '../engine/compile-definition.ts';
import { createInstance } from './create-instance.ts';
import type { Filter } from './list-instances.ts';
import { changeInstance } from './process-instances.repository.ts';
import { SEARCH_LIMITS, searchInstances } from './search-instances.ts';

const COUNT = 300;
const START = 1_800_000_000_000;

onBothEngines('a search', (_engine, places) => {
  let db: Db;
  let acme: TenantDb;
  let definitions: DefinitionRow[];
  before(async () => {
    db = await openTestDb(await places.create());
    const [tenantId] = await addTestTenants(db, 'acme');
    acme = db.of(tenantId);
    definitions = [await addTestDefinition(acme), await addTestDefinition(acme, { name: 'other' })];
    await acme.write(async (tx) => {
      for (let at = 0; at < COUNT; at++) {
        // Every first name begins with Ann, most addresses have one domain, and few persons share a surname.
        const parameters = {
          firstName: `Ann${at % 3}`,
          lastName: `Name${at % 50}`,
          email: `m${at}@${at % 7 ? 'big' : 'small'}.example`,
        };
        const definition = compileDefinition(definitions[at % 2] as DefinitionRow);
        const instance = { definition, environment: 'live', parameters, now: START + at } as const;
        const { row } = await createInstance(tx, instance);
        if (at % 5 === 0) await changeInstance(tx, row, { ...row, status: 'ACTIVE' });
      }
    });
  });
  after(() => db.close());

  const filter = (more: Partial<Filter> = {}): Filter => ({
    environment: 'live',
    definitionIds: undefined,
    status: undefined,
    range: EVERY_ID,
    ...more,
  });
  const ways = {
    'of a few': { ...SEARCH_LIMITS, few: 1000 },
    'of some': { ...SEARCH_LIMITS, few: 3, counted: 1000 },
    'of many': { ...SEARCH_LIMITS, few: 3, counted: 20, firstStride: 7, stride: 40 },
  };

  it('a search returns the same instances in the same order, whichever plan it uses', async () => {
    const filters = [
      filter(),
      filter({ status: 'ACTIVE' }),
      filter({ definitionIds: [definitions[1]?.id ?? ''] }),
      filter({ definitionIds: definitions.map(({ id }) => id), status: 'PENDING' }),
      filter({ definitionIds: [] }),
    ];
    const searches = [
      ['ann'],
      ['ann1'],
      ['ann1', 'big'],
      ['name7', 'ann'],
      ['big.example'],
      ['ann1', 'small.example', 'name1'],
    ];
    let matchCount = 0;
    for (const each of filters) {
      for (const words of searches) {
        for (const direction of ['ASC', 'DESC'] as const) {
          const window = { size: 10, offset: 10, direction };
          const [few, some, many] = await Promise.all(
            Object.values(ways).map((limits) => searchInstances(acme, each, words, window, limits)),
          );
          assert.deepEqual(some, few);
          assert.deepEqual(many?.ids, few?.ids);
          assert.deepEqual([...(few?.ids ?? [])].sort(), direction === 'ASC' ? few?.ids : few?.ids.toReversed());
          matchCount += few?.ids.length ?? 0;
        }
      }
    }
    assert.ok(matchCount > 200);
  });

  it('a search counts exactly below the cap, and otherwise returns the cap', async () => {
    const total = async (words: string[], limits = SEARCH_LIMITS) =>
      (await searchInstances(acme, filter(), words, { size: 10, offset: 0, direction: 'DESC' }, limits)).total;
    assert.equal(await total(['ann']), COUNT);
    assert.equal(await total(['name7', 'ann']), COUNT / 50);
    assert.equal(await total(['ann'], { ...SEARCH_LIMITS, few: 3, countLimit: 50 }), 50);
    // For many instances it returns one more than the page shows.
    assert.equal(await total(['big.example', 'ann'], { ...SEARCH_LIMITS, few: 3, countLimit: 50 }), 11);
  });

  it('a search reads no more instances than its limit, and none beyond the cap', async () => {
    const limits = { ...SEARCH_LIMITS, few: 3, countLimit: 4, firstStride: 10, stride: 10, walked: 50 };
    const window = { size: 100, offset: 0, direction: 'DESC' } as const;
    assert.equal((await searchInstances(acme, filter(), ['ann'], window, limits)).ids.length, 50);
    const past = await searchInstances(acme, filter(), ['ann'], { ...window, offset: 4 }, limits);
    assert.deepEqual(past, { ids: [], total: 4 });
  });
});
