-- Tokens of one environment are listed in the order of creation, however many the other one has.
CREATE INDEX process_tokens_of_callers ON process_tokens (tenant_id, environment, id) WHERE made_for IS NULL;
CREATE INDEX process_tokens_of_grove   ON process_tokens (tenant_id, environment, id) WHERE made_for IS NOT NULL;
