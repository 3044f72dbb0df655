import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, it } from 'node:test';
import { copyInstances } from '../../../test/copy-instances.ts';
import { databaseOf } from '../../../test/database.ts';
import { testPlaces } from '../../../test/harness.ts';
import { type InstanceWorld, openInstanceWorld } from '../../../test/instance-world.ts';
import { forEngine, type Sql, toAnonymous } from '../../db/db.ts';
import { migrate } from '../../db/open.ts';
import { inList } from '../../db/sql/dialect.ts';
import { TOKENS_WITHOUT_INSTANCES } from '../tokens/process-tokens.repository.ts';
import { type AnyOrder, anyOrderStatement, ID_STATEMENTS } from './instance-ids.repository.ts';
import { CANDIDATE_STATEMENTS, SEARCH_STATEMENTS } from './instance-search.repository.ts';

/** Showing ten instances must not read a million. */
describe('the plans of lists and searches (sqlite)', () => {
  const places = testPlaces('sqlite');
  let database: DatabaseSync;
  before(async () => {
    const place = databaseOf(await places.create());
    await migrate(place);
    assert.ok(place.engine === 'sqlite');
    database = new DatabaseSync(place.file, { readOnly: true });
  });
  after(() => database.close());

  const planOf = ({ text }: Sql): string => {
    const rows = database.prepare(`EXPLAIN QUERY PLAN ${toAnonymous(forEngine(text, 'sqlite')).text}`).all();
    return rows.map(({ detail }) => detail).join('\n');
  };
  const assertPlan = (statement: Sql, index: RegExp) => {
    const plan = planOf(statement);
    assert.match(plan, index);
    assert.doesNotMatch(plan, /SCAN (process_instances|instance_terms|a|w\d)\b|TEMP B-TREE/, plan);
  };

  for (const direction of ['ASC', 'DESC'] as const) {
    it(`a list in the order of creation reads one index and sorts nothing, ${direction}`, () => {
      const covering = (name: string) => new RegExp(`USING COVERING INDEX process_instances_${name} `);
      assertPlan(ID_STATEMENTS.all[direction], covering('environment'));
      assertPlan(ID_STATEMENTS.status[direction], covering('status'));
      assertPlan(ID_STATEMENTS.definition[direction], covering('definition'));
    });

    it(`lists sorted by status and expiry use an index, ${direction}`, () => {
      const any: AnyOrder = {
        environment: 'live',
        definitionIds: undefined,
        status: undefined,
        size: 10,
        offset: 0,
        orderBy: `status ${direction}, id ${direction}`,
      };
      assertPlan(anyOrderStatement('acme', any).statement, /INDEX process_instances_status /);
      const orderBy = `expiring_at ${direction}, id ${direction}`;
      assertPlan(
        anyOrderStatement('acme', { ...any, orderBy }).statement,
        /INDEX process_instances_environment_expiring /,
      );
    });
  }

  it('the counts of lists use the same indexes as the lists', () => {
    assertPlan(ID_STATEMENTS.all.count, /COVERING INDEX process_instances_environment /);
    assertPlan(ID_STATEMENTS.status.count, /COVERING INDEX process_instances_status /);
    assertPlan(ID_STATEMENTS.definition.count, /COVERING INDEX process_instances_definition /);
  });

  it('the candidates of a search are looked up one by one, with words and without', () => {
    for (const statement of CANDIDATE_STATEMENTS) {
      assertPlan(statement, /\(tenant_id=\? AND (environment=\? AND )?id=\?\)/);
    }
  });

  it('a word of a search is looked up by the primary key of the words', () => {
    const exact = /SEARCH a USING PRIMARY KEY \(tenant_id=\? AND environment=\? AND term=\? AND instance_id>\?/;
    const beginning = /SEARCH a USING PRIMARY KEY \(tenant_id=\? AND environment=\? AND term>\? AND term<\?\)/;
    const { count, bearers } = SEARCH_STATEMENTS;
    for (const statement of [count.exact, ...bearers.exact]) assertPlan(statement, exact);
    for (const statement of [count.beginning, ...bearers.beginning]) assertPlan(statement, beginning);
    for (const [others, statement] of [...bearers.exact.entries(), ...bearers.beginning.entries()]) {
      const lookedUp =
        /SEARCH w\d USING PRIMARY KEY \(tenant_id=\? AND environment=\? AND term=\? AND instance_id=\?\)/g;
      assert.equal(planOf(statement).match(lookedUp)?.length ?? 0, others);
    }
  });

  it('whether a token has instances that are not redacted is looked up in an index', () => {
    assertPlan(
      TOKENS_WITHOUT_INSTANCES,
      /COVERING INDEX process_instances_token_person \(tenant_id=\? AND token_id=\?/,
    );
  });
});

describe('the plans of lists of ids (postgres)', () => {
  const places = testPlaces('postgres');
  let world: InstanceWorld;
  before(async () => {
    world = await openInstanceWorld(await places.create());
  });
  after(() => world.grove.stop());

  it('the ids of a list are looked up in an index before the database has statistics, and other rows of the tenant are not read', async () => {
    const { body } = await world.create();
    const ids = await copyInstances(world.acme, body.processInstanceId, 3000);
    const condition = inList('$2').replace('[]', '');
    const text = `EXPLAIN SELECT id, status FROM process_instances WHERE tenant_id = $1 AND id ${condition}`;
    const values = ['acme', JSON.stringify(ids.slice(0, 20))];
    const rows = await world.acme.all<Record<'QUERY PLAN', string>>({ text: forEngine(text, 'postgres') }, values);
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    assert.match(plan, /Index Cond: .*\bid = ANY/, plan);
  });
});
