-- A test key must not take a name that a live caller wants. What was unique before is unique now.
DROP INDEX api_keys_name;
CREATE UNIQUE INDEX api_keys_name ON api_keys (tenant_id, environment, name) WHERE status <> 'ARCHIVED';
