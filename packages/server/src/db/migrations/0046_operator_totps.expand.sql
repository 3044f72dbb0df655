-- The authenticator apps of operators, one for each. The secret is sealed.
CREATE TABLE operator_totps (
  tenant_id   TEXT   NOT NULL REFERENCES tenants (id),
  operator_id TEXT   /*postgres COLLATE "C"*/ NOT NULL,
  sealed      BYTEA  NOT NULL,
  -- The step of the last code that was accepted: none is good twice.
  last_step   BIGINT NOT NULL,
  created_at  BIGINT NOT NULL,
  PRIMARY KEY (tenant_id, operator_id),
  FOREIGN KEY (tenant_id, operator_id) REFERENCES operators (tenant_id, id) ON DELETE CASCADE
);
