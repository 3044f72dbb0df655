-- Which steps the end user of an instance was shown, and what became of them. Nothing of a person.
CREATE TABLE step_views (
  tenant_id   TEXT    NOT NULL REFERENCES tenants (id),
  instance_id TEXT    /*postgres COLLATE "C"*/ NOT NULL,
  step        TEXT    NOT NULL,
  -- The newest attempt that was shown.
  attempt     INTEGER NOT NULL,
  -- When it was shown for the first time.
  seen_at     BIGINT  NOT NULL,
  -- When the page was left, as the browser says; nothing once it has come back.
  left_at     BIGINT,
  -- The newest attempt of which it was told that the page was left.
  told_left   INTEGER NOT NULL,
  -- When the step ended for the first time, or the journey ended there.
  ended_at    BIGINT,
  PRIMARY KEY (tenant_id, instance_id, step),
  FOREIGN KEY (tenant_id, instance_id) REFERENCES process_instances (tenant_id, id) ON DELETE CASCADE
) /*sqlite WITHOUT ROWID*/;

-- How often what became of a step, by the day. It outlives the instances, and says nothing of any one of them.
CREATE TABLE step_counts (
  tenant_id     TEXT    NOT NULL REFERENCES tenants (id),
  environment   TEXT    NOT NULL,
  definition_id TEXT    /*postgres COLLATE "C"*/ NOT NULL,
  -- Days since the beginning of 1970, UTC.
  day           INTEGER NOT NULL,
  step          TEXT    NOT NULL,
  -- SEEN, RETRIED, LEFT, an outcome, or how long it took.
  what          TEXT    NOT NULL,
  shard         INTEGER NOT NULL,
  value         BIGINT  NOT NULL,
  PRIMARY KEY (tenant_id, environment, definition_id, day, step, what, shard),
  FOREIGN KEY (tenant_id, definition_id) REFERENCES process_definitions (tenant_id, id) ON DELETE CASCADE
) /*sqlite WITHOUT ROWID*/;

CREATE INDEX step_counts_day ON step_counts (tenant_id, day);
