-- An erasure finds what receivers answered about an instance. Few deliveries have an answer.
CREATE INDEX webhook_deliveries_answers ON webhook_deliveries (tenant_id, instance_id) WHERE instance_id IS NOT NULL AND last_answer IS NOT NULL;
-- What was stored so far may outlive its person.
UPDATE webhook_deliveries SET last_answer = NULL WHERE last_answer IS NOT NULL;
