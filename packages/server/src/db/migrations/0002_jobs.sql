-- The queue of the installation: workers claim for all tenants at once, so the table has no tenant_id. Payloads hold ids
-- only. Jobs that are done are gone.
CREATE TABLE jobs (
  id              TEXT    NOT NULL PRIMARY KEY,
  -- None for what the installation does for itself.
  owner_tenant_id TEXT    REFERENCES tenants (id),
  kind            TEXT    NOT NULL,
  payload         TEXT    NOT NULL,
  -- At most one job of a kind has it.
  unique_key      TEXT,
  -- READY, or DEAD after the last attempt.
  state           TEXT    NOT NULL,
  run_at          BIGINT  NOT NULL,
  attempts        INTEGER NOT NULL,
  max_attempts    INTEGER NOT NULL,
  -- 0 if nobody has claimed it.
  lease_until     BIGINT  NOT NULL,
  lease_token     TEXT,
  last_error      TEXT,
  created_at      BIGINT  NOT NULL
)
-- Rows are changed once and deleted soon: room for the change in the same page, and cleaning before it piles up.
/*postgres WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000)*/;

CREATE INDEX jobs_due ON jobs (run_at) WHERE state = 'READY';
CREATE INDEX jobs_dead ON jobs (kind, id) WHERE state = 'DEAD';
CREATE UNIQUE INDEX jobs_unique_key ON jobs (kind, unique_key) WHERE unique_key IS NOT NULL;

-- A connection that works for a tenant may add the tenant's jobs and see none; one that works for no tenant sees all.
/*postgres ALTER TABLE jobs ENABLE ROW LEVEL SECURITY;
ALTER TABLE jobs FORCE ROW LEVEL SECURITY;
CREATE POLICY of_installation ON jobs USING (current_setting('app.tenant', true) = '');
CREATE POLICY added_by_tenant ON jobs FOR INSERT WITH CHECK (owner_tenant_id = current_setting('app.tenant', true));
*/
