-- Faces of users, as numbers. The picture they were made of is not kept.
CREATE TABLE user_biometrics (
  tenant_id       TEXT   NOT NULL REFERENCES tenants (id),
  user_id         TEXT   NOT NULL,
  -- FACE.
  type            TEXT   NOT NULL,
  id              TEXT   NOT NULL,
  -- ACTIVE or DISABLED.
  status          TEXT   NOT NULL,
  -- The way from picture to numbers: faces of different ways cannot be compared.
  algorithm       TEXT   NOT NULL,
  -- The template, sealed for the user.
  sealed          BYTEA  NOT NULL,
  created_at      BIGINT NOT NULL,
  last_updated_at BIGINT NOT NULL,
  PRIMARY KEY (tenant_id, user_id, type),
  FOREIGN KEY (tenant_id, user_id) REFERENCES identity_users (tenant_id, id) ON DELETE CASCADE
);

-- The session that a step of a journey has opened last. The browser never learns its id, so it can finish no other.
CREATE TABLE step_ceremonies (
  tenant_id   TEXT   NOT NULL REFERENCES tenants (id),
  instance_id TEXT   /*postgres COLLATE "C"*/ NOT NULL,
  step        TEXT   NOT NULL,
  session_id  TEXT   NOT NULL,
  created_at  BIGINT NOT NULL,
  PRIMARY KEY (tenant_id, instance_id, step),
  FOREIGN KEY (tenant_id, instance_id) REFERENCES process_instances (tenant_id, id) ON DELETE CASCADE
);
