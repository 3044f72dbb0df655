-- Secrets of the tenant that webhooks and steps use. A value is sealed and never leaves by the API.
CREATE TABLE cloud_secrets (
  tenant_id       TEXT   NOT NULL REFERENCES tenants (id),
  id              TEXT   NOT NULL,
  name            TEXT   NOT NULL,
  name_folded     TEXT   /*postgres COLLATE "C"*/ NOT NULL,
  description     TEXT,
  type            TEXT   NOT NULL,
  sealed          BYTEA  NOT NULL,
  created_at      BIGINT NOT NULL,
  created_by      TEXT   NOT NULL,
  last_updated_at BIGINT NOT NULL,
  last_updated_by TEXT   NOT NULL,
  PRIMARY KEY (tenant_id, id)
);

CREATE UNIQUE INDEX cloud_secrets_name ON cloud_secrets (tenant_id, name);

CREATE TABLE webhooks (
  tenant_id        TEXT    NOT NULL REFERENCES tenants (id),
  id               TEXT    NOT NULL,
  environment      TEXT    NOT NULL,
  name             TEXT    NOT NULL,
  name_folded      TEXT    /*postgres COLLATE "C"*/ NOT NULL,
  description      TEXT,
  version          INTEGER NOT NULL,
  -- ACTIVE or DISABLED.
  status           TEXT    NOT NULL,
  disabled_reason  TEXT,
  method           TEXT    NOT NULL,
  uri              TEXT    NOT NULL,
  -- A JSON object.
  headers          TEXT    NOT NULL,
  -- The names are a JSON array; names and values are sealed together.
  sensitive_names  TEXT    NOT NULL,
  sensitive_sealed BYTEA,
  body_template    TEXT,
  -- A JSON array.
  events           TEXT    NOT NULL,
  retry_intervals  TEXT    NOT NULL,
  -- The secret that signs, and for a day after a rotation the one before it.
  secret_sealed    BYTEA   NOT NULL,
  old_secret       BYTEA,
  old_secret_until BIGINT,
  created_at       BIGINT  NOT NULL,
  created_by       TEXT    NOT NULL,
  last_updated_at  BIGINT  NOT NULL,
  last_updated_by  TEXT    NOT NULL,
  PRIMARY KEY (tenant_id, id)
);

-- A definition that names a webhook works in both environments, so each has its own of that name.
CREATE UNIQUE INDEX webhooks_name ON webhooks (tenant_id, environment, name);

-- What is to be told, written in the transaction of the event, and what became of it. Those of a webhook that is gone
-- are removed in time.
CREATE TABLE webhook_deliveries (
  tenant_id   TEXT    NOT NULL REFERENCES tenants (id),
  -- The `webhook-id`.
  id          TEXT    /*postgres COLLATE "C"*/ NOT NULL,
  webhook_id  TEXT    NOT NULL,
  event       TEXT    NOT NULL,
  instance_id TEXT,
  sequence    INTEGER,
  -- JSON of ids and states; nothing of a person. What a template adds is read when it is sent.
  payload     TEXT    NOT NULL,
  -- PENDING, DELIVERED, FAILED, CANCELLED.
  status      TEXT    NOT NULL,
  attempts    INTEGER NOT NULL,
  next_at     BIGINT,
  created_at  BIGINT  NOT NULL,
  last_at     BIGINT,
  last_status INTEGER,
  last_error  TEXT,
  last_ms     INTEGER,
  PRIMARY KEY (tenant_id, id)
)
-- Each row is changed soon after it was written: room for the change in the same page.
/*postgres WITH (fillfactor = 80)*/;

CREATE INDEX webhook_deliveries_log ON webhook_deliveries (tenant_id, webhook_id, id);
CREATE INDEX webhook_deliveries_failed ON webhook_deliveries (tenant_id, webhook_id, id) WHERE status = 'FAILED';

-- Where requests go, as those who send see it: for all tenants at once, so without tenant_id, and with ids only.
CREATE TABLE webhook_endpoints (
  webhook_id      TEXT    /*postgres COLLATE "C"*/ NOT NULL PRIMARY KEY,
  owner_tenant_id TEXT    NOT NULL REFERENCES tenants (id),
  -- 0 while the webhook is disabled: what waits goes on waiting.
  active          INTEGER NOT NULL,
  -- The circuit breaker: failures in a row, and until when nothing is sent.
  failures        INTEGER NOT NULL,
  closed_until    BIGINT  NOT NULL,
  FOREIGN KEY (owner_tenant_id, webhook_id) REFERENCES webhooks (tenant_id, id) ON DELETE CASCADE
);

-- The pending deliveries. What has ended is gone from here.
CREATE TABLE webhook_queue (
  id              TEXT    /*postgres COLLATE "C"*/ NOT NULL PRIMARY KEY,
  owner_tenant_id TEXT    NOT NULL REFERENCES tenants (id),
  webhook_id      TEXT    /*postgres COLLATE "C"*/ NOT NULL,
  next_at         BIGINT  NOT NULL,
  -- Attempts since it was put here: a replay begins its schedule anew.
  tried           INTEGER NOT NULL,
  -- Whoever sends it has it until then; 0 if nobody does.
  lease_until     BIGINT  NOT NULL,
  lease_token     TEXT,
  FOREIGN KEY (owner_tenant_id, id) REFERENCES webhook_deliveries (tenant_id, id) ON DELETE CASCADE
)
/*postgres WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000)*/;

CREATE INDEX webhook_queue_due ON webhook_queue (webhook_id, next_at, id);
CREATE INDEX webhook_queue_leased ON webhook_queue (webhook_id, lease_until) WHERE lease_until > 0;

-- A connection that works for a tenant sees the tenant's; one that works for no tenant sees all.
/*postgres ALTER TABLE webhook_endpoints ENABLE ROW LEVEL SECURITY;
ALTER TABLE webhook_endpoints FORCE ROW LEVEL SECURITY;
CREATE POLICY of_installation ON webhook_endpoints USING (current_setting('app.tenant', true) = '');
CREATE POLICY of_owner ON webhook_endpoints USING (owner_tenant_id = current_setting('app.tenant', true));
ALTER TABLE webhook_queue ENABLE ROW LEVEL SECURITY;
ALTER TABLE webhook_queue FORCE ROW LEVEL SECURITY;
CREATE POLICY of_installation ON webhook_queue USING (current_setting('app.tenant', true) = '');
CREATE POLICY of_owner ON webhook_queue USING (owner_tenant_id = current_setting('app.tenant', true));
*/
