-- What Grove made the token for: PUSH_NOTIFICATION. None if a caller made it.
ALTER TABLE process_tokens ADD COLUMN made_for TEXT;

-- Lists show what callers made, and do not have to pass over the others.
DROP INDEX process_tokens_name_folded;
CREATE INDEX process_tokens_name_folded ON process_tokens (tenant_id, environment, name_folded, id)
  WHERE made_for IS NULL;
CREATE INDEX process_tokens_made_for ON process_tokens (tenant_id, not_after_at) WHERE made_for IS NOT NULL;

-- The token that the instance was made from.
ALTER TABLE push_notifications ADD COLUMN process_token_id TEXT;

-- A store is never deleted and its sessions are never listed: every session paid for an index that nothing reads.
DROP INDEX ceremonies_store;
