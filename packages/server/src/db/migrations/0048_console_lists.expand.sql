-- When a secret was sent last is asked with every list of secrets. These events are few among all that is audited.
CREATE INDEX audit_events_secret_use ON audit_events (tenant_id, environment, item, at) WHERE action = 'cloudSecret.used';

-- What an endpoint answered when it refused a delivery, so that its developer can see why. Cut at 16 kB.
ALTER TABLE webhook_deliveries ADD COLUMN last_answer TEXT;

-- 1 for an operator of the installation, who may do what concerns all tenants. It is granted at the machine alone.
ALTER TABLE operators ADD COLUMN of_installation INTEGER NOT NULL DEFAULT 0;
