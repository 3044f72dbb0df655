-- Settings that a tenant makes for itself, as JSON.
CREATE TABLE tenant_settings (
  tenant_id       TEXT   NOT NULL REFERENCES tenants (id),
  name            TEXT   NOT NULL,
  value           TEXT   NOT NULL,
  last_updated_at BIGINT NOT NULL,
  last_updated_by TEXT   NOT NULL,
  PRIMARY KEY (tenant_id, name)
);

CREATE TABLE process_definitions (
  tenant_id       TEXT    NOT NULL REFERENCES tenants (id),
  id              TEXT    NOT NULL,
  name            TEXT    NOT NULL,
  name_folded     TEXT    /*postgres COLLATE "C"*/ NOT NULL,
  version         INTEGER NOT NULL,
  -- EDITABLE, DEPLOYED_ACTIVE, ARCHIVED.
  status          TEXT    NOT NULL,
  -- Of the document, so that a list need not read documents.
  description     TEXT,
  definition_type TEXT    NOT NULL,
  retention_days  INTEGER NOT NULL,
  -- With every default written out.
  document        TEXT    NOT NULL,
  created_at      BIGINT  NOT NULL,
  created_by      TEXT    NOT NULL,
  last_updated_at BIGINT  NOT NULL,
  last_updated_by TEXT    NOT NULL,
  deployed_at     BIGINT,
  PRIMARY KEY (tenant_id, id)
);

CREATE UNIQUE INDEX process_definitions_version ON process_definitions (tenant_id, name, version);
CREATE INDEX process_definitions_name_folded ON process_definitions (tenant_id, name_folded, id);

CREATE TABLE process_definition_tags (
  tenant_id     TEXT   NOT NULL REFERENCES tenants (id),
  name          TEXT   NOT NULL,
  name_folded   TEXT   /*postgres COLLATE "C"*/ NOT NULL,
  definition_id TEXT   NOT NULL,
  created_at    BIGINT NOT NULL,
  created_by    TEXT   NOT NULL,
  PRIMARY KEY (tenant_id, name),
  FOREIGN KEY (tenant_id, definition_id) REFERENCES process_definitions (tenant_id, id) ON DELETE CASCADE
);

CREATE INDEX process_definition_tags_definition ON process_definition_tags (tenant_id, definition_id);

CREATE TABLE process_tokens (
  tenant_id            TEXT    NOT NULL REFERENCES tenants (id),
  id                   TEXT    NOT NULL,
  environment          TEXT    NOT NULL,
  name                 TEXT    NOT NULL,
  name_folded          TEXT    /*postgres COLLATE "C"*/ NOT NULL,
  description          TEXT,
  process_defn_name    TEXT    NOT NULL,
  -- None if a tag decides.
  process_defn_version INTEGER,
  process_defn_tag     TEXT,
  -- The definition it is bound to; none if a tag decides.
  definition_id        TEXT,
  ui_url               TEXT,
  status               TEXT    NOT NULL,
  type                 TEXT    NOT NULL,
  not_before_at        BIGINT,
  not_after_at         BIGINT,
  max_count            INTEGER,
  counter              INTEGER NOT NULL,
  max_process_duration TEXT    NOT NULL,
  for_test             INTEGER,
  parameters           TEXT    NOT NULL,
  created_at           BIGINT  NOT NULL,
  created_by           TEXT    NOT NULL,
  last_updated_at      BIGINT  NOT NULL,
  last_updated_by      TEXT    NOT NULL,
  PRIMARY KEY (tenant_id, id),
  FOREIGN KEY (tenant_id, definition_id) REFERENCES process_definitions (tenant_id, id)
);

CREATE UNIQUE INDEX process_tokens_name ON process_tokens (tenant_id, name);
CREATE INDEX process_tokens_name_folded ON process_tokens (tenant_id, environment, name_folded, id);

-- With SQLite's own row numbers: rows are long, and a tree without them holds whole rows on its inner pages.
CREATE TABLE process_instances (
  tenant_id            TEXT    NOT NULL REFERENCES tenants (id),
  -- A ULID of the moment in created_at: to order by id is to order by time.
  id                   TEXT    /*postgres COLLATE "C"*/ NOT NULL,
  environment          TEXT    NOT NULL,
  definition_id        TEXT    NOT NULL,
  process_defn_name    TEXT    NOT NULL,
  process_defn_version INTEGER NOT NULL,
  status               TEXT    NOT NULL,
  first_name           TEXT,
  last_name            TEXT,
  email                TEXT,
  phone_number         TEXT,
  retention_days       INTEGER NOT NULL,
  expiring_at          BIGINT  NOT NULL,
  created_at           BIGINT  NOT NULL,
  last_updated_at      BIGINT  NOT NULL,
  completed_at         BIGINT,
  review_status        TEXT,
  review_comment       TEXT,
  reviewer             TEXT,
  claimed_until        BIGINT,
  -- Values of the searchable parameters, a JSON object; none if the definition names no such parameters.
  extended_terms       TEXT,
  token_id             TEXT,
  token_counter        INTEGER,
  parent_id            TEXT,
  parent_step          TEXT,
  name                 TEXT,
  description          TEXT,
  parameters           TEXT    NOT NULL,
  ui_url               TEXT,
  -- The instance ends then, whatever it is doing. None once it has ended.
  deadline_at          BIGINT,
  -- How many events it has had.
  sequence             INTEGER NOT NULL,
  -- The words it is found by, a JSON array: these rows of instance_terms go when it goes.
  terms                TEXT    NOT NULL,
  -- Of the one-time code in its redirect address; none once that is spent.
  code_hash            BYTEA,
  code_expires_at      BIGINT,
  PRIMARY KEY (tenant_id, id),
  FOREIGN KEY (tenant_id, definition_id) REFERENCES process_definitions (tenant_id, id),
  FOREIGN KEY (tenant_id, parent_id) REFERENCES process_instances (tenant_id, id) ON DELETE CASCADE
);

CREATE INDEX process_instances_environment ON process_instances (tenant_id, environment, id);
CREATE INDEX process_instances_status ON process_instances (tenant_id, environment, status, id);
CREATE INDEX process_instances_definition ON process_instances (tenant_id, environment, definition_id, status, id);
CREATE INDEX process_instances_expiring ON process_instances (tenant_id, expiring_at, id);
CREATE INDEX process_instances_deadline ON process_instances (tenant_id, deadline_at) WHERE deadline_at IS NOT NULL;
CREATE INDEX process_instances_parent ON process_instances (tenant_id, parent_id) WHERE parent_id IS NOT NULL;

-- The words of the applicant and of the searchable parameters, folded.
CREATE TABLE instance_terms (
  tenant_id   TEXT NOT NULL REFERENCES tenants (id),
  environment TEXT NOT NULL,
  term        TEXT /*postgres COLLATE "C"*/ NOT NULL,
  instance_id TEXT /*postgres COLLATE "C"*/ NOT NULL,
  PRIMARY KEY (tenant_id, environment, term, instance_id)
) /*sqlite WITHOUT ROWID*/;

-- What happened, for webhooks and for whoever asks. Nothing of a person.
CREATE TABLE instance_events (
  tenant_id   TEXT    NOT NULL REFERENCES tenants (id),
  instance_id TEXT    NOT NULL,
  sequence    INTEGER NOT NULL,
  type        TEXT    NOT NULL,
  at          BIGINT  NOT NULL,
  status      TEXT    NOT NULL,
  step        TEXT,
  data        TEXT,
  PRIMARY KEY (tenant_id, instance_id, sequence),
  FOREIGN KEY (tenant_id, instance_id) REFERENCES process_instances (tenant_id, id) ON DELETE CASCADE
) /*sqlite WITHOUT ROWID*/;

-- An instance that its end user has opened. Until then there is nothing to keep.
CREATE TABLE journeys (
  tenant_id   TEXT    NOT NULL REFERENCES tenants (id),
  instance_id TEXT    NOT NULL,
  revision    INTEGER NOT NULL,
  -- Where it stands: JSON without anything of a person.
  state       TEXT    NOT NULL,
  -- What the end user gave: JSON, sealed for the instance.
  sealed      BYTEA,
  -- When the step that is waited for runs out of time.
  due_at      BIGINT,
  PRIMARY KEY (tenant_id, instance_id),
  FOREIGN KEY (tenant_id, instance_id) REFERENCES process_instances (tenant_id, id) ON DELETE CASCADE
);

CREATE INDEX journeys_due ON journeys (tenant_id, due_at) WHERE due_at IS NOT NULL;

CREATE TABLE journey_sessions (
  tenant_id   TEXT   NOT NULL REFERENCES tenants (id),
  id          TEXT   NOT NULL,
  instance_id TEXT   NOT NULL,
  token_hash  BYTEA  NOT NULL,
  -- ACTIVE: may act. WATCHING: another device acts. UNCONFIRMED: has not matched the number. CLOSED.
  state       TEXT   NOT NULL,
  -- As the browser named itself, shortened.
  browser     TEXT   NOT NULL,
  -- Of a hand-off: the session that offered it, and the number to match.
  offered_by  TEXT,
  number      INTEGER,
  created_at  BIGINT NOT NULL,
  expires_at  BIGINT NOT NULL,
  PRIMARY KEY (tenant_id, id),
  FOREIGN KEY (tenant_id, instance_id) REFERENCES process_instances (tenant_id, id) ON DELETE CASCADE
);

CREATE INDEX journey_sessions_instance ON journey_sessions (tenant_id, instance_id);
-- One device acts at a time.
CREATE UNIQUE INDEX journey_sessions_active ON journey_sessions (tenant_id, instance_id) WHERE state = 'ACTIVE';

-- One-time codes other than the first. A code is spent by deleting it.
CREATE TABLE journey_codes (
  tenant_id   TEXT   NOT NULL REFERENCES tenants (id),
  code_hash   BYTEA  NOT NULL,
  -- RESUME or HANDOFF: a code of one kind is no code of the other.
  kind        TEXT   NOT NULL,
  instance_id TEXT   NOT NULL,
  -- Of a hand-off: the session that offered it, and the number to match.
  session_id  TEXT,
  number      INTEGER,
  created_at  BIGINT NOT NULL,
  expires_at  BIGINT NOT NULL,
  PRIMARY KEY (tenant_id, code_hash),
  FOREIGN KEY (tenant_id, instance_id) REFERENCES process_instances (tenant_id, id) ON DELETE CASCADE
);

CREATE INDEX journey_codes_instance ON journey_codes (tenant_id, instance_id);

CREATE TABLE instance_checks (
  tenant_id   TEXT    NOT NULL REFERENCES tenants (id),
  instance_id TEXT    NOT NULL,
  step        TEXT    NOT NULL,
  name        TEXT    NOT NULL,
  type        TEXT    NOT NULL,
  -- PASSED, FAILED, REVIEW, NOT_PERFORMED.
  status      TEXT    NOT NULL,
  score       DOUBLE PRECISION,
  threshold   DOUBLE PRECISION,
  reason      TEXT,
  advice      TEXT,
  attempts    INTEGER NOT NULL,
  at          BIGINT  NOT NULL,
  -- JSON; nothing of a person.
  meta_data   TEXT,
  PRIMARY KEY (tenant_id, instance_id, step, name),
  FOREIGN KEY (tenant_id, instance_id) REFERENCES process_instances (tenant_id, id) ON DELETE CASCADE
);

-- What was uploaded; the bytes are sealed in the blob store.
CREATE TABLE instance_images (
  tenant_id    TEXT    NOT NULL REFERENCES tenants (id),
  instance_id  TEXT    NOT NULL,
  step         TEXT    NOT NULL,
  attempt      INTEGER NOT NULL,
  name         TEXT    NOT NULL,
  blob_key     TEXT    NOT NULL,
  content_type TEXT    NOT NULL,
  bytes        INTEGER NOT NULL,
  sha256       TEXT    NOT NULL,
  created_at   BIGINT  NOT NULL,
  PRIMARY KEY (tenant_id, instance_id, step, attempt, name),
  FOREIGN KEY (tenant_id, instance_id) REFERENCES process_instances (tenant_id, id) ON DELETE CASCADE
);

-- Whether a blob is anybody's.
CREATE INDEX instance_images_blob ON instance_images (tenant_id, blob_key);

-- Ids and times of what was deleted, and nothing else.
CREATE TABLE instance_tombstones (
  tenant_id     TEXT   NOT NULL REFERENCES tenants (id),
  instance_id   TEXT   NOT NULL,
  definition_id TEXT   NOT NULL,
  environment   TEXT   NOT NULL,
  created_at    BIGINT NOT NULL,
  deleted_at    BIGINT NOT NULL,
  deleted_by    TEXT   NOT NULL,
  PRIMARY KEY (tenant_id, instance_id)
);

-- Sums over counters whose names begin alike.
/*postgres CREATE INDEX counters_name_bytes ON counters (tenant_id, name COLLATE "C");*/
