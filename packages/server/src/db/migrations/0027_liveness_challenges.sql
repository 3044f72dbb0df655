-- A challenge of active liveness: instructions that are revealed one at a time. Replaces the challenges that were
-- revealed all at once; an open one of those is started anew by the page.
DROP TABLE face_challenges;

CREATE TABLE liveness_challenges (
  tenant_id   TEXT    NOT NULL REFERENCES tenants (id),
  instance_id TEXT    /*postgres COLLATE "C"*/ NOT NULL,
  id          TEXT    /*postgres COLLATE "C"*/ NOT NULL,
  step        TEXT    NOT NULL,
  attempt     INTEGER NOT NULL,
  -- OPEN, DONE, ENDED or USED.
  state       TEXT    NOT NULL,
  -- The one-time value of the open instruction.
  token       TEXT    NOT NULL,
  -- The key that signs the frames, as a JSON Web Key.
  public_key  TEXT    NOT NULL,
  -- What was asked for and what every frame showed, sealed for the instance.
  progress    BYTEA   NOT NULL,
  started_at  BIGINT  NOT NULL,
  expires_at  BIGINT  NOT NULL,
  PRIMARY KEY (tenant_id, instance_id, id),
  FOREIGN KEY (tenant_id, instance_id) REFERENCES process_instances (tenant_id, id) ON DELETE CASCADE
);
