-- A reviewer who can no longer decide releases the own claims, and looks at no other review. Few reviews are claimed.
CREATE INDEX process_instances_claims ON process_instances (tenant_id, reviewer) WHERE status = 'REVIEW' AND claimed_until IS NOT NULL;
