-- The people who run a tenant. They sign in to the console with passkeys.
CREATE TABLE operators (
  tenant_id       TEXT    NOT NULL REFERENCES tenants (id),
  id              TEXT    /*postgres COLLATE "C"*/ NOT NULL,
  name            TEXT    NOT NULL,
  name_folded     TEXT    NOT NULL,
  -- Empty until the first owner has written it down.
  email           TEXT    NOT NULL,
  email_folded    TEXT    NOT NULL,
  role            TEXT    NOT NULL,
  -- INVITED, ACTIVE, SUSPENDED.
  status          TEXT    NOT NULL,
  failures        INTEGER NOT NULL,
  locked_until    BIGINT,
  last_sign_in_at BIGINT,
  -- Of the one-time link: the SHA-256 of its code.
  link_hash       BYTEA,
  link_expires_at BIGINT,
  created_at      BIGINT  NOT NULL,
  created_by      TEXT    NOT NULL,
  last_updated_at BIGINT  NOT NULL,
  last_updated_by TEXT    NOT NULL,
  PRIMARY KEY (tenant_id, id)
);

CREATE UNIQUE INDEX operators_email ON operators (tenant_id, email_folded) WHERE email_folded <> '';
CREATE UNIQUE INDEX operators_link ON operators (tenant_id, link_hash) WHERE link_hash IS NOT NULL;

-- Roles of the tenant's own; those that come with Grove are in the code.
CREATE TABLE operator_roles (
  tenant_id       TEXT   NOT NULL REFERENCES tenants (id),
  name            TEXT   NOT NULL,
  name_folded     TEXT   NOT NULL,
  description     TEXT,
  -- A JSON array of TNT#<tenant>#<Component>:<operation>.
  permissions     TEXT   NOT NULL,
  -- A JSON array of live, test.
  environments    TEXT   NOT NULL,
  created_at      BIGINT NOT NULL,
  created_by      TEXT   NOT NULL,
  last_updated_at BIGINT NOT NULL,
  last_updated_by TEXT   NOT NULL,
  PRIMARY KEY (tenant_id, name)
);

CREATE UNIQUE INDEX operator_roles_name ON operator_roles (tenant_id, name_folded);

CREATE TABLE operator_passkeys (
  tenant_id       TEXT    NOT NULL REFERENCES tenants (id),
  id              TEXT    /*postgres COLLATE "C"*/ NOT NULL,
  operator_id     TEXT    /*postgres COLLATE "C"*/ NOT NULL,
  rp_id           TEXT    NOT NULL,
  credential_id   TEXT    NOT NULL,
  alg             INTEGER NOT NULL,
  public_key      BYTEA   NOT NULL,
  sign_count      BIGINT  NOT NULL,
  backup_eligible INTEGER NOT NULL,
  transports      TEXT    NOT NULL,
  name            TEXT    NOT NULL,
  created_at      BIGINT  NOT NULL,
  last_used_at    BIGINT,
  PRIMARY KEY (tenant_id, id),
  FOREIGN KEY (tenant_id, operator_id) REFERENCES operators (tenant_id, id) ON DELETE CASCADE
);

CREATE UNIQUE INDEX operator_passkeys_credential ON operator_passkeys (tenant_id, rp_id, credential_id);
CREATE INDEX operator_passkeys_operator ON operator_passkeys (tenant_id, operator_id, id);

-- Challenges that wait for an answer. Each is good once, for minutes.
CREATE TABLE operator_ceremonies (
  tenant_id   TEXT   NOT NULL REFERENCES tenants (id),
  id          TEXT   NOT NULL,
  -- SIGN_IN, CONFIRM, REGISTER.
  kind        TEXT   NOT NULL,
  operator_id TEXT   /*postgres COLLATE "C"*/,
  challenge   TEXT   NOT NULL,
  expires_at  BIGINT NOT NULL,
  PRIMARY KEY (tenant_id, id)
);

CREATE INDEX operator_ceremonies_expired ON operator_ceremonies (tenant_id, expires_at);

CREATE TABLE operator_sessions (
  tenant_id        TEXT   NOT NULL REFERENCES tenants (id),
  id               TEXT   /*postgres COLLATE "C"*/ NOT NULL,
  operator_id      TEXT   /*postgres COLLATE "C"*/ NOT NULL,
  -- The SHA-256 of the secret in the cookie.
  token_hash       BYTEA  NOT NULL,
  browser          TEXT   NOT NULL,
  network          TEXT   NOT NULL,
  created_at       BIGINT NOT NULL,
  -- When the passkey was used last.
  authenticated_at BIGINT NOT NULL,
  last_seen_at     BIGINT NOT NULL,
  expires_at       BIGINT NOT NULL,
  PRIMARY KEY (tenant_id, id),
  FOREIGN KEY (tenant_id, operator_id) REFERENCES operators (tenant_id, id) ON DELETE CASCADE
);

CREATE INDEX operator_sessions_operator ON operator_sessions (tenant_id, operator_id, id);

-- Who did it, if it was a person.
ALTER TABLE audit_events ADD COLUMN operator_id TEXT;
CREATE INDEX audit_events_operator ON audit_events (tenant_id, environment, operator_id, id) WHERE operator_id IS NOT NULL;
