-- How urgent the review of an instance is: 0 normal, 1 high, 2 urgent.
ALTER TABLE process_instances ADD COLUMN review_priority INTEGER NOT NULL DEFAULT 0;
-- The queue of reviewers: the most urgent first, then what waits longest.
CREATE INDEX process_instances_review ON process_instances
  (tenant_id, environment, review_priority DESC, last_updated_at, id) WHERE status = 'REVIEW';

-- Lists of the console with their filters, which an operator has named. Name and filters are sealed: they may name persons.
CREATE TABLE operator_views (
  tenant_id   TEXT   NOT NULL REFERENCES tenants (id),
  operator_id TEXT   /*postgres COLLATE "C"*/ NOT NULL,
  id          TEXT   /*postgres COLLATE "C"*/ NOT NULL,
  screen      TEXT   NOT NULL,
  sealed      BYTEA  NOT NULL,
  created_at  BIGINT NOT NULL,
  PRIMARY KEY (tenant_id, operator_id, id),
  FOREIGN KEY (tenant_id, operator_id) REFERENCES operators (tenant_id, id) ON DELETE CASCADE
);
