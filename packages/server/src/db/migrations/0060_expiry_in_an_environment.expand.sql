-- A list in the order of expiry, and the purge of one environment, pass over no instance of the other environment.
CREATE INDEX process_instances_environment_expiring ON process_instances (tenant_id, environment, expiring_at, id);
