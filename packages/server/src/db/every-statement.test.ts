import assert from 'node:assert/strict';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import pg from 'pg';
import ts from 'typescript';
import { testPlaces } from '../../test/harness.ts';
import { forEngine, statements } from './db.ts';
import { migrateSqlite } from './migrate.ts';
import { byLanguage } from './sql/dialect.ts';

const HOME = fileURLToPath(new URL('..', import.meta.url));
const MIN_STATEMENTS = 400;
const MIN_COMPOSED = 5;
/** Texts are nested at most three levels deep. The limit also ends the search for a name that refers to itself. */
const MAX_DEPTH = 5;

const sourceFiles = () =>
  globSync('**/*.ts', { cwd: HOME, exclude: ['**/*.test.ts', '**/*.check.ts'] }).map((file) => join(HOME, file));

async function loadStatements(): Promise<readonly string[]> {
  for (const file of sourceFiles()) {
    if (/\bsql\(|\/sql\/(table|statement|list)\.ts'|\.table\.ts'/.test(readFileSync(file, 'utf8')))
      await import(pathToFileURL(file).href);
  }
  return statements;
}

type Composed = { readonly place: string; readonly text: string };

/**
 * The statements that are composed when a list is requested, read from the source, so that this test need not request
 * each list. Statements that `sql/` composes are among the statements of the code.
 */
function composedStatements(files: readonly string[]): Composed[] {
  return files.filter((file) => !file.startsWith(join(HOME, 'db/sql/'))).flatMap((file) => composedIn(file));
}

function composedIn(path: string, text = readFileSync(path, 'utf8')): Composed[] {
  if (!/\b(unprepared|cachedStatement|pageStatement)\(/.test(text)) return [];
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const constants = new Map<string, ts.Expression[]>();
  const calls: ts.CallExpression[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isVariableDeclaration(node) && ts.isIdentifier(node.name) && node.initializer) {
      constants.set(node.name.text, [...(constants.get(node.name.text) ?? []), node.initializer]);
    }
    if (ts.isCallExpression(node) && /^(unprepared|cachedStatement|pageStatement)$/.test(node.expression.getText())) {
      calls.push(node);
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  /** The nearest declaration before the position, because the same name may have another value in another function. */
  const declared = (name: string, before: number) =>
    constants.get(name)?.findLast((initializer) => initializer.getStart() < before);
  /** Every text that an expression may evaluate to. An unknown part, such as a value of the caller, is empty. */
  const expand = (node: ts.Expression, depth = 0): string[] => {
    if (depth > MAX_DEPTH) return [''];
    if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return [node.text];
    if (ts.isConditionalExpression(node)) return [node.whenTrue, node.whenFalse].flatMap((each) => expand(each, depth));
    if (ts.isIdentifier(node)) {
      const initializer = declared(node.text, node.getStart());
      return initializer ? expand(initializer, depth + 1) : [''];
    }
    if (ts.isCallExpression(node) && ts.isIdentifier(node.expression)) {
      const called = declared(node.expression.text, node.getStart());
      return called && ts.isArrowFunction(called) ? resultsOf(called).flatMap((each) => expand(each, depth + 1)) : [''];
    }
    if (!ts.isTemplateExpression(node)) return [''];
    return node.templateSpans.reduce(
      (texts, { expression, literal }) =>
        expand(expression, depth).flatMap((part) => texts.map((text) => `${text}${part}${literal.text}`)),
      [node.head.text],
    );
  };
  return calls.flatMap((call) => {
    const [first, second] = call.arguments;
    const argument = call.expression.getText() === 'pageStatement' ? second : first;
    const place = `${path}:${file.getLineAndCharacterOfPosition(call.getStart()).line + 1}`;
    return (argument ? expand(argument) : ['']).map((each) => ({ place, text: each }));
  });
}

function resultsOf({ body }: ts.ArrowFunction): ts.Expression[] {
  if (!ts.isBlock(body)) return [body];
  const results: ts.Expression[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isArrowFunction(node)) return;
    if (ts.isReturnStatement(node) && node.expression) results.push(node.expression);
    ts.forEachChild(node, visit);
  };
  visit(body);
  return results;
}

function tablesOfTenants(): Set<string> {
  const folder = mkdtempSync(join(tmpdir(), 'grove-tables-'));
  const file = join(folder, 'grove.sqlite');
  migrateSqlite(file);
  const database = new DatabaseSync(file);
  const rows = database
    .prepare(`SELECT m.name FROM sqlite_schema m JOIN pragma_table_info(m.name) c
      WHERE m.type = 'table' AND c.name = 'tenant_id'`)
    .all();
  database.close();
  rmSync(folder, { recursive: true });
  return new Set(rows.map(({ name }) => String(name)));
}

const plainText = (text: string) => text.replace(/\/\*(sqlite|postgres)/g, ' ').replaceAll('*/', ' ');

const namedTables = (text: string, tables: ReadonlySet<string>) =>
  [...plainText(text).matchAll(/\b(?:FROM|JOIN|UPDATE|INTO)\s+(\w+)/gi)].filter(([, name = '']) => tables.has(name));

/** What a statement lacks: it must compare or write the tenant once for each table with tenants that it names. */
function faultOf(text: string, tables: ReadonlySet<string>): string | undefined {
  const plain = plainText(text);
  const names = namedTables(text, tables);
  const inserts = plain.match(/INSERT INTO \w+\s*\([^)]*\btenant_id\b[^)]*\)/gi) ?? [];
  const compared = plain.match(/\btenant_id\s*=/gi) ?? [];
  return names.length > inserts.length + compared.length ? text : undefined;
}

/** Columns with two upper or two lower bounds in one condition. SQLite may use the wider bound to read an index. */
function doubleBoundsIn(text: string): string[] {
  return text.split(/\bOR\b|\bSELECT\b|\bJOIN\b|\bCASE\b/i).flatMap((condition) =>
    [/([\w.]+)\s*<=?\s*\$\d/g, /([\w.]+)\s*>=?\s*\$\d/g].flatMap((bound) => {
      const bounded = [...condition.matchAll(bound)].map(([, column = '']) => column);
      return new Set(bounded).size < bounded.length ? [condition] : [];
    }),
  );
}

/** PostgreSQL has row-level security as a second protection. On SQLite the tenant in the statement is the only one. */
describe('every statement', () => {
  it('every statement on a table with tenants has a condition on the tenant', async () => {
    const tables = tablesOfTenants();
    const all = await loadStatements();
    assert.ok(all.length >= MIN_STATEMENTS && tables.size > 50, `${all.length} statements, ${tables.size} tables`);
    assert.deepEqual(
      all.flatMap((text) => faultOf(text, tables) ?? []),
      [],
    );
  });

  it('every statement on the audit trail adds to it; only the purge deletes, and only rows of one tenant', async () => {
    const changing = (await loadStatements()).filter((text) => /\b(UPDATE|DELETE FROM)\s+audit_events\b/i.test(text));
    assert.deepEqual(
      changing.map((text) => text.slice(0, 'DELETE FROM audit_events WHERE tenant_id'.length)),
      ['DELETE FROM audit_events WHERE tenant_id'],
    );
  });

  it('every statement has at most one upper and one lower bound for a column', async () => {
    assert.deepEqual((await loadStatements()).flatMap(doubleBoundsIn), []);
    assert.equal(doubleBoundsIn('SELECT id FROM a WHERE id > $1 AND id < $2 AND id <= $3').length, 1);
    assert.equal(doubleBoundsIn('SELECT id FROM a WHERE id > $1 AND id >= $2 AND id < $3').length, 1);
  });

  it('every statement composed at run time has a condition on the tenant, too, and can be read by this test', () => {
    const tables = tablesOfTenants();
    const all = composedStatements(sourceFiles());
    assert.ok(all.length >= MIN_COMPOSED, `${all.length} statements`);
    const faults = all.filter(({ text }) => namedTables(text, tables).length === 0 || faultOf(text, tables));
    assert.deepEqual(faults, []);
  });

  it('this test finds a composed statement without a condition on the tenant', () => {
    const tables = new Set(['webhooks']);
    const source = (where: string) => `const FROM = 'FROM webhooks';
      function list(filter: string) {
        const where = ${where};
        return unprepared(\`SELECT id \${FROM} WHERE \${where}\${filter}\`);
      }
      const where = 'tenant_id = $1';`;
    const faultsOf = (where: string) =>
      composedIn('list.ts', source(where)).map(({ text }) => faultOf(text, tables) !== undefined);
    assert.deepEqual(faultsOf("'tenant_id = $1'"), [false]);
    assert.deepEqual(faultsOf("'id = $1'"), [true]);
    assert.deepEqual(faultsOf("filter ? 'id = $1' : 'tenant_id = $1'"), [true, false]);
  });

  it('this test finds a statement without a condition on the tenant', () => {
    const tables = new Set(['webhooks', 'journeys']);
    for (const text of [
      'SELECT id FROM webhooks WHERE id = $2',
      'SELECT w.id FROM webhooks w JOIN journeys j ON j.id = w.id WHERE w.tenant_id = $1',
      'UPDATE webhooks SET name = $2 WHERE id = $1',
      'DELETE FROM webhooks WHERE /*sqlite id*/ = $1',
      'INSERT INTO webhooks (id, name) VALUES ($1, $2)',
      'INSERT INTO webhooks (id, tenant_id) SELECT id, $1 FROM journeys',
    ]) {
      assert.equal(faultOf(text, tables), text);
    }
    assert.equal(faultOf('SELECT id FROM tenants WHERE id = $1', tables), undefined);
  });
});

type Plan = { readonly Plans?: readonly Plan[]; readonly [property: string]: unknown };

/**
 * A column that is compared in another collation than its own, such as `(j.instance_id)::text`, or in a scan without
 * `j.`.
 */
const CONVERTED = /\((?:(\w+)\.)?(\w+)\)::text\b/g;
const CONDITIONS = ['Join Filter', 'Filter', 'Hash Cond', 'Merge Cond'];

function nodesOf(plan: Plan): Plan[] {
  return [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];
}

/** The conditions that convert a column of the default collation, so that its index cannot be used. */
function conversionsIn(plan: Plan, hasDefaultCollation: (column: string) => boolean): string[] {
  const nodes = nodesOf(plan);
  const tables = new Map(nodes.map((node) => [node.Alias, node['Relation Name']]));
  return nodes.flatMap((node) =>
    CONDITIONS.map((name) => String(node[name] ?? '')).filter((condition) =>
      [...condition.matchAll(CONVERTED)].some(([, alias, column]) =>
        hasDefaultCollation(`${tables.get(alias ?? node.Alias)}.${column}`),
      ),
    ),
  );
}

/**
 * The oldest tables have ids of the default collation, newer ones of "C". An index only serves comparisons in its own
 * collation.
 */
describe('every statement on PostgreSQL', () => {
  let client: pg.Client;
  let columns: ReadonlySet<string>;
  // Runs before the database is dropped, which would close its connection.
  after(() => client.end());
  const places = testPlaces('postgres');
  before(async () => {
    const { DATABASE_URL } = (await places.create()).environment;
    client = new pg.Client({ connectionString: DATABASE_URL });
    await client.connect();
    // With these methods switched off, the planner uses an index if it can.
    for (const way of ['seqscan', 'hashjoin', 'mergejoin', 'material']) await client.query(`SET enable_${way} = off`);
    const { rows } = await client.query(`SELECT table_name || '.' || column_name AS name FROM information_schema.columns
      WHERE table_schema = 'public' AND data_type = 'text' AND collation_name IS NULL`);
    columns = new Set(rows.map(({ name }) => name));
  });

  const faultsOf = async (text: string) => {
    const answer = await client.query(`EXPLAIN (GENERIC_PLAN, FORMAT JSON) ${forEngine(text, 'postgres')}`);
    const { Plan } = answer.rows[0]['QUERY PLAN'][0];
    return conversionsIn(Plan, (column) => columns.has(column)).map((condition) => ({ condition, text }));
  };

  it('every statement on PostgreSQL compares ids in the collation of their index', async () => {
    const all = (await loadStatements()).filter((text) => /^\s*(SELECT|WITH|INSERT|UPDATE|DELETE)\b/.test(text));
    assert.ok(all.length >= MIN_STATEMENTS, `${all.length} statements`);
    const faults: object[] = [];
    for (const text of new Set(all)) faults.push(...(await faultsOf(text)));
    assert.deepEqual(faults, []);
  });

  it('this test finds a statement on PostgreSQL that compares ids of two collations', async () => {
    const join =
      'SELECT i.id FROM process_instances i JOIN journeys j ON j.tenant_id = i.tenant_id AND j.instance_id =';
    const where = 'WHERE i.tenant_id = $1';
    assert.equal((await faultsOf(`${join} i.id ${where}`)).length, 1);
    assert.deepEqual(await faultsOf(`${join} ${byLanguage('i.id')} ${where}`), []);
  });
});
