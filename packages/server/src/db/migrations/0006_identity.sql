-- Identity stores: users, the ways they prove who they are, and what happened. A store belongs to one environment, and
-- everything in it does.
CREATE TABLE identity_stores (
  tenant_id       TEXT   NOT NULL REFERENCES tenants (id),
  id              TEXT   NOT NULL,
  environment     TEXT   NOT NULL,
  name            TEXT   NOT NULL,
  name_folded     TEXT   /*postgres COLLATE "C"*/ NOT NULL,
  description     TEXT,
  -- ACTIVE or INACTIVE.
  status          TEXT   NOT NULL,
  -- JSON, as it was given: what is left out has its default.
  configuration   TEXT   NOT NULL,
  created_at      BIGINT NOT NULL,
  last_updated_at BIGINT NOT NULL,
  PRIMARY KEY (tenant_id, id)
);

CREATE UNIQUE INDEX identity_stores_name ON identity_stores (tenant_id, environment, name);

-- Configurations of relying parties and policies, by kind: PASSKEY, APPKEY, TOTP, PUSH.
CREATE TABLE relying_parties (
  tenant_id       TEXT   NOT NULL REFERENCES tenants (id),
  store_id        TEXT   NOT NULL,
  kind            TEXT   NOT NULL,
  -- The relying party id, or the name of the policy.
  name            TEXT   /*postgres COLLATE "C"*/ NOT NULL,
  -- JSON, all of which callers may see.
  config          TEXT   NOT NULL,
  -- What callers may not see, sealed for the store.
  sealed          BYTEA,
  created_at      BIGINT NOT NULL,
  last_updated_at BIGINT NOT NULL,
  PRIMARY KEY (tenant_id, store_id, kind, name),
  FOREIGN KEY (tenant_id, store_id) REFERENCES identity_stores (tenant_id, id) ON DELETE CASCADE
);

-- With SQLite's own row numbers: a sealed value may be long, and a tree without them holds whole rows on its inner pages.
CREATE TABLE identity_users (
  tenant_id       TEXT   NOT NULL REFERENCES tenants (id),
  -- A ULID of the moment in created_at: to order by id is to order by time.
  id              TEXT   /*postgres COLLATE "C"*/ NOT NULL,
  store_id        TEXT   NOT NULL,
  ext_id          TEXT   /*postgres COLLATE "C"*/,
  -- Empty if there is none: both engines then put those in the same place.
  ext_id_folded   TEXT   /*postgres COLLATE "C"*/ NOT NULL,
  -- ACTIVE, LOCKED, DISABLED, PENDING_ACTIVE. TEMP_LOCKED is ACTIVE with a lock that has not run out.
  status          TEXT   NOT NULL,
  temp_lock_until BIGINT,
  -- The attributes, sealed for the user; none if there are none.
  sealed          BYTEA,
  locale          TEXT,
  time_zone       TEXT,
  created_at      BIGINT NOT NULL,
  last_updated_at BIGINT NOT NULL,
  last_success_at BIGINT,
  PRIMARY KEY (tenant_id, id),
  FOREIGN KEY (tenant_id, store_id) REFERENCES identity_stores (tenant_id, id)
)
-- Every authentication changes the row of its user: room for the change in the same page.
/*postgres WITH (fillfactor = 80)*/;

CREATE INDEX identity_users_store ON identity_users (tenant_id, store_id, id);
CREATE UNIQUE INDEX identity_users_ext_id ON identity_users (tenant_id, store_id, ext_id) WHERE ext_id IS NOT NULL;
CREATE INDEX identity_users_ext_id_folded ON identity_users (tenant_id, store_id, ext_id_folded, id);
CREATE INDEX identity_users_status ON identity_users (tenant_id, store_id, status, id) WHERE status <> 'ACTIVE';
CREATE INDEX identity_users_temp_locked ON identity_users (tenant_id, store_id, temp_lock_until)
  WHERE temp_lock_until IS NOT NULL;

-- Failures of a user in one way of proving who it is. No row: none since the last success.
CREATE TABLE user_locks (
  tenant_id    TEXT    NOT NULL REFERENCES tenants (id),
  user_id      TEXT    NOT NULL,
  -- FACE, PASSKEY, APPKEY, TOTP.
  modality     TEXT    NOT NULL,
  -- Failures and temporary locks since the last success.
  failed_count INTEGER NOT NULL,
  lock_count   INTEGER NOT NULL,
  -- Failures since the last temporary lock.
  tries        INTEGER NOT NULL,
  locked_until BIGINT,
  -- When it was disabled, until an operator or a new registration enables it.
  disabled_at  BIGINT,
  PRIMARY KEY (tenant_id, user_id, modality),
  FOREIGN KEY (tenant_id, user_id) REFERENCES identity_users (tenant_id, id) ON DELETE CASCADE
) /*sqlite WITHOUT ROWID*/;

-- Sessions of registration and authentication. One is spent by deleting it.
CREATE TABLE ceremonies (
  tenant_id   TEXT   NOT NULL REFERENCES tenants (id),
  id          TEXT   /*postgres COLLATE "C"*/ NOT NULL,
  store_id    TEXT   NOT NULL,
  -- PASSKEY_REGISTRATION, APPKEY_AUTHENTICATION, …: a session of one kind is no session of another.
  kind        TEXT   NOT NULL,
  -- None while nobody knows who it is.
  user_id     TEXT,
  rp_id       TEXT,
  policy_name TEXT,
  username    TEXT,
  -- JSON: the challenge, and the policy as it was at the start.
  data        TEXT   NOT NULL,
  created_at  BIGINT NOT NULL,
  expires_at  BIGINT NOT NULL,
  PRIMARY KEY (tenant_id, id),
  FOREIGN KEY (tenant_id, store_id) REFERENCES identity_stores (tenant_id, id) ON DELETE CASCADE,
  FOREIGN KEY (tenant_id, user_id) REFERENCES identity_users (tenant_id, id) ON DELETE CASCADE
);

CREATE INDEX ceremonies_user ON ceremonies (tenant_id, user_id, id) WHERE user_id IS NOT NULL;
CREATE INDEX ceremonies_store ON ceremonies (tenant_id, store_id);
CREATE INDEX ceremonies_expires ON ceremonies (tenant_id, expires_at);

CREATE TABLE authentications (
  tenant_id  TEXT    NOT NULL REFERENCES tenants (id),
  user_id    TEXT    NOT NULL,
  -- A ULID of the moment in created_at.
  id         TEXT    /*postgres COLLATE "C"*/ NOT NULL,
  modality   TEXT    NOT NULL,
  succeeded  INTEGER NOT NULL,
  -- Why it was refused.
  code       INTEGER,
  rp_id      TEXT,
  created_at BIGINT  NOT NULL,
  PRIMARY KEY (tenant_id, id),
  FOREIGN KEY (tenant_id, user_id) REFERENCES identity_users (tenant_id, id) ON DELETE CASCADE
);

CREATE INDEX authentications_user ON authentications (tenant_id, user_id, id);

-- What happened. Ids and words of ours, nothing of a person; it outlives the user it is about.
CREATE TABLE identity_events (
  tenant_id                    TEXT    NOT NULL REFERENCES tenants (id),
  environment                  TEXT    NOT NULL,
  -- A ULID of the moment in at: to order by id is to order by time.
  id                           TEXT    /*postgres COLLATE "C"*/ NOT NULL,
  at                           BIGINT  NOT NULL,
  type                         TEXT    NOT NULL,
  store_name                   TEXT    NOT NULL,
  user_id                      TEXT,
  modality                     TEXT,
  -- Why it was refused.
  code                         INTEGER,
  rp_id                        TEXT,
  parent_process_defn_id       TEXT,
  parent_process_defn_name     TEXT,
  parent_process_defn_version  INTEGER,
  parent_process_instance_id   TEXT,
  child_process_defn_name      TEXT,
  child_process_defn_version   INTEGER,
  child_process_defn_tag       TEXT,
  -- For LIKE.
  parent_process_defn_folded   TEXT    /*postgres COLLATE "C"*/,
  child_process_defn_folded    TEXT    /*postgres COLLATE "C"*/,
  child_process_tag_folded     TEXT    /*postgres COLLATE "C"*/,
  PRIMARY KEY (tenant_id, environment, id)
) /*sqlite WITHOUT ROWID*/;

-- Most events belong to no process, and then no index but the key has them.
CREATE INDEX identity_events_parent_defn ON identity_events (tenant_id, environment, parent_process_defn_id, id)
  WHERE parent_process_defn_id IS NOT NULL;
CREATE INDEX identity_events_parent_version ON identity_events (tenant_id, environment, parent_process_defn_version, id)
  WHERE parent_process_defn_version IS NOT NULL;
CREATE INDEX identity_events_parent_instance ON identity_events (tenant_id, environment, parent_process_instance_id, id)
  WHERE parent_process_instance_id IS NOT NULL;
CREATE INDEX identity_events_child_version ON identity_events (tenant_id, environment, child_process_defn_version, id)
  WHERE child_process_defn_version IS NOT NULL;
CREATE INDEX identity_events_parent_name ON identity_events (tenant_id, environment, parent_process_defn_folded, id)
  WHERE parent_process_defn_folded IS NOT NULL;
CREATE INDEX identity_events_child_name ON identity_events (tenant_id, environment, child_process_defn_folded, id)
  WHERE child_process_defn_folded IS NOT NULL;
CREATE INDEX identity_events_child_tag ON identity_events (tenant_id, environment, child_process_tag_folded, id)
  WHERE child_process_tag_folded IS NOT NULL;

CREATE TABLE event_queries (
  tenant_id   TEXT    NOT NULL REFERENCES tenants (id),
  id          TEXT    /*postgres COLLATE "C"*/ NOT NULL,
  environment TEXT    NOT NULL,
  -- QUEUED, RUNNING, SUCCEEDED, FAILED.
  status      TEXT    NOT NULL,
  -- JSON: the filters as they are compared.
  filter      TEXT    NOT NULL,
  size        INTEGER NOT NULL,
  -- The first page, a JSON array of event ids, and the id to read on from; none at the end.
  first_page  TEXT,
  next_id     TEXT,
  created_at  BIGINT  NOT NULL,
  expires_at  BIGINT  NOT NULL,
  PRIMARY KEY (tenant_id, id)
);

CREATE INDEX event_queries_expires ON event_queries (tenant_id, expires_at);

CREATE TABLE user_totps (
  tenant_id       TEXT    NOT NULL REFERENCES tenants (id),
  user_id         TEXT    NOT NULL,
  policy_name     TEXT    /*postgres COLLATE "C"*/ NOT NULL,
  id              TEXT    NOT NULL,
  -- The secret, sealed for the user.
  sealed          BYTEA   NOT NULL,
  -- As the policy was when the secret was shown: the app of the end user knows no other.
  algorithm       TEXT    NOT NULL,
  digits          INTEGER NOT NULL,
  period          INTEGER NOT NULL,
  -- The last step that was accepted: each is good once.
  last_step       BIGINT  NOT NULL,
  created_at      BIGINT  NOT NULL,
  PRIMARY KEY (tenant_id, user_id, policy_name),
  FOREIGN KEY (tenant_id, user_id) REFERENCES identity_users (tenant_id, id) ON DELETE CASCADE
);

-- Registrations that wait for their first code.
CREATE TABLE pending_totps (
  tenant_id   TEXT    NOT NULL REFERENCES tenants (id),
  user_id     TEXT    NOT NULL,
  policy_name TEXT    /*postgres COLLATE "C"*/ NOT NULL,
  id          TEXT    NOT NULL,
  sealed      BYTEA   NOT NULL,
  algorithm   TEXT    NOT NULL,
  digits      INTEGER NOT NULL,
  period      INTEGER NOT NULL,
  -- Wrong codes so far.
  failed      INTEGER NOT NULL,
  created_at  BIGINT  NOT NULL,
  expires_at  BIGINT  NOT NULL,
  PRIMARY KEY (tenant_id, user_id, policy_name),
  FOREIGN KEY (tenant_id, user_id) REFERENCES identity_users (tenant_id, id) ON DELETE CASCADE
);

CREATE INDEX pending_totps_expires ON pending_totps (tenant_id, expires_at);
