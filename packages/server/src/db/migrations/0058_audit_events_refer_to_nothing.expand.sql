-- On PostgreSQL audit events are kept by the month. A month that is added or dropped would lock the table that it refers to, and
-- nearly every transaction of a caller locks tenants before it writes its audit event: the two would wait for each other.
/*postgres ALTER TABLE audit_events DROP CONSTRAINT audit_events_tenant_id_fkey;*/
