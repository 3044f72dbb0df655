-- Tenants take turns when more jobs are due than can be claimed at once.
CREATE INDEX jobs_turns ON jobs ((coalesce(owner_tenant_id, '')), run_at) WHERE state = 'READY';
