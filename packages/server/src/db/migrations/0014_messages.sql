-- Where the device that offers a hand-off is, as its clock and its address say: JSON; none if neither says anything.
ALTER TABLE journey_codes ADD COLUMN place TEXT;

-- Messages to end users: the link of a hand-off, or word that a verification is decided.
CREATE TABLE journey_messages (
  tenant_id   TEXT   NOT NULL REFERENCES tenants (id),
  -- A ULID of the moment in created_at.
  id          TEXT   /*postgres COLLATE "C"*/ NOT NULL,
  instance_id TEXT   /*postgres COLLATE "C"*/ NOT NULL,
  -- HANDOFF or DECIDED.
  kind        TEXT   NOT NULL,
  -- EMAIL or SMS.
  channel     TEXT   NOT NULL,
  -- WAITING for the decision, READY to be sent, SENT, FAILED.
  state       TEXT   NOT NULL,
  -- Address, language and link: JSON, sealed for the instance. None once it is sent or given up.
  sealed      BYTEA,
  created_at  BIGINT NOT NULL,
  -- It is not sent any more then. None while it waits: it goes with its instance.
  expires_at  BIGINT,
  PRIMARY KEY (tenant_id, id),
  FOREIGN KEY (tenant_id, instance_id) REFERENCES process_instances (tenant_id, id) ON DELETE CASCADE
);

CREATE INDEX journey_messages_instance ON journey_messages (tenant_id, instance_id, created_at);
CREATE INDEX journey_messages_expires ON journey_messages (tenant_id, expires_at) WHERE expires_at IS NOT NULL;

-- How many messages somebody was sent, and a tenant has sent, since a moment. Addresses are keyed hashes.
CREATE TABLE message_counts (
  tenant_id TEXT    NOT NULL REFERENCES tenants (id),
  name      TEXT    /*postgres COLLATE "C"*/ NOT NULL,
  began_at  BIGINT  NOT NULL,
  count     INTEGER NOT NULL,
  PRIMARY KEY (tenant_id, name)
) /*sqlite WITHOUT ROWID*/;
