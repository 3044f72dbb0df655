import type pg from 'pg';

/** Ensures that every table with a tenant_id shows a connection, even of its owner, only the rows of its current tenant. */
export async function forceRowLevelSecurity(client: pg.Client): Promise<void> {
  const tables = await client.query<{ name: string }>(
    `SELECT c.relname AS name FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
     WHERE a.attname = 'tenant_id' AND c.relkind IN ('r', 'p') AND c.relnamespace = current_schema()::regnamespace
       AND NOT a.attisdropped AND NOT c.relforcerowsecurity`,
  );
  for (const { name } of tables.rows) {
    const table = client.escapeIdentifier(name);
    await client.query(`ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY`);
    await client.query(`ALTER TABLE ${table} FORCE ROW LEVEL SECURITY`);
    await client.query(
      `CREATE POLICY of_tenant ON ${table} USING (tenant_id = current_setting('app.tenant', true))
         WITH CHECK (tenant_id = current_setting('app.tenant', true))`,
    );
  }
}
