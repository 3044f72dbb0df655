-- How many persons an API key read in an hour. The alarm is raised once for each key and hour.
CREATE TABLE key_reads (
  tenant_id   TEXT   NOT NULL REFERENCES tenants (id),
  environment TEXT   NOT NULL,
  api_key_id  TEXT   /*postgres COLLATE "C"*/ NOT NULL,
  -- The beginning of the hour.
  hour_at     BIGINT NOT NULL,
  persons     BIGINT NOT NULL,
  alarmed_at  BIGINT,
  PRIMARY KEY (tenant_id, environment, hour_at, api_key_id)
) /*sqlite WITHOUT ROWID*/;
