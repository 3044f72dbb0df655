-- Faces of instances whose definition looks for the same face elsewhere. Each is sealed for its instance, and so gone
-- with it; no other instance keeps one.
CREATE TABLE instance_faces (
  tenant_id   TEXT   NOT NULL REFERENCES tenants (id),
  instance_id TEXT   /*postgres COLLATE "C"*/ NOT NULL,
  step        TEXT   NOT NULL,
  environment TEXT   NOT NULL,
  -- The way from picture to numbers: faces of different ways cannot be compared.
  algorithm   TEXT   NOT NULL,
  sealed      BYTEA  NOT NULL,
  created_at  BIGINT NOT NULL,
  PRIMARY KEY (tenant_id, instance_id, step),
  FOREIGN KEY (tenant_id, instance_id) REFERENCES process_instances (tenant_id, id) ON DELETE CASCADE
);

CREATE INDEX instance_faces_environment ON instance_faces
  (tenant_id, environment, algorithm, created_at, instance_id, step);

-- Movements that somebody was asked to make before the camera. Each can be answered once.
CREATE TABLE face_challenges (
  tenant_id   TEXT    NOT NULL REFERENCES tenants (id),
  instance_id TEXT    NOT NULL,
  nonce       TEXT    NOT NULL,
  step        TEXT    NOT NULL,
  attempt     INTEGER NOT NULL,
  -- A JSON array of directions.
  poses       TEXT    NOT NULL,
  issued_at   BIGINT  NOT NULL,
  expires_at  BIGINT  NOT NULL,
  used_at     BIGINT,
  PRIMARY KEY (tenant_id, instance_id, nonce),
  FOREIGN KEY (tenant_id, instance_id) REFERENCES process_instances (tenant_id, id) ON DELETE CASCADE
);
