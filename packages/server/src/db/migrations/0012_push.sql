-- Push notifications to devices that hold appkeys: one row for each device that was sent one.
CREATE TABLE push_notifications (
  tenant_id           TEXT   NOT NULL REFERENCES tenants (id),
  -- A ULID of the moment in created_at.
  id                  TEXT   /*postgres COLLATE "C"*/ NOT NULL,
  store_id            TEXT   NOT NULL,
  user_id             TEXT   NOT NULL,
  rp_id               TEXT   NOT NULL,
  device_id           TEXT   NOT NULL,
  -- Those that were sent by one call share it.
  send_id             TEXT   NOT NULL,
  -- PROCESS or GENERIC.
  type                TEXT   NOT NULL,
  -- SENT, DELIVERED, ACCEPTED, REJECTED, COMPLETED, EXPIRED, FAILED.
  status              TEXT   NOT NULL,
  -- Title, message and where the journey begins: JSON, sealed for the user.
  sealed              BYTEA  NOT NULL,
  process_instance_id TEXT,
  -- The instance that waits for the end of that one.
  parent_instance_id  TEXT,
  -- When the provider took it; until then the job tries.
  handed_at           BIGINT,
  -- Why it failed, in a word of the provider's or of ours.
  reason              TEXT,
  created_at          BIGINT NOT NULL,
  last_updated_at     BIGINT NOT NULL,
  expires_at          BIGINT NOT NULL,
  PRIMARY KEY (tenant_id, id),
  FOREIGN KEY (tenant_id, user_id) REFERENCES identity_users (tenant_id, id) ON DELETE CASCADE
);

CREATE INDEX push_notifications_user ON push_notifications (tenant_id, user_id, created_at);
CREATE INDEX push_notifications_instance ON push_notifications (tenant_id, process_instance_id)
  WHERE process_instance_id IS NOT NULL;
CREATE INDEX push_notifications_expires ON push_notifications (tenant_id, expires_at);
