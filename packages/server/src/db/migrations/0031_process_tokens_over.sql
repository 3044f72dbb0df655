-- Retention looks every night for process tokens that make no more instances.
CREATE INDEX process_tokens_ended ON process_tokens (tenant_id, not_after_at, id)
  WHERE made_for IS NULL AND not_after_at IS NOT NULL;
CREATE INDEX process_tokens_used_up ON process_tokens (tenant_id, id)
  WHERE made_for IS NULL AND type <> 'UNLIMITED' AND max_count IS NOT NULL AND counter >= max_count;
