-- PostgreSQL checks each reference by a query, and locks the row that is referred to. A row that refers to another row of
-- its tenant shows that the tenant exists, so these tables checked it twice. The words of an instance refer to nothing, and
-- are written together with it. SQLite checks a reference at little cost, and cannot drop one.
/*postgres ALTER TABLE process_instances DROP CONSTRAINT process_instances_tenant_id_fkey;
ALTER TABLE instance_terms   DROP CONSTRAINT instance_terms_tenant_id_fkey;
ALTER TABLE instance_events  DROP CONSTRAINT instance_events_tenant_id_fkey;
ALTER TABLE instance_checks  DROP CONSTRAINT instance_checks_tenant_id_fkey;
ALTER TABLE instance_images  DROP CONSTRAINT instance_images_tenant_id_fkey;
ALTER TABLE journeys         DROP CONSTRAINT journeys_tenant_id_fkey;
ALTER TABLE journey_sessions DROP CONSTRAINT journey_sessions_tenant_id_fkey;
ALTER TABLE step_views       DROP CONSTRAINT step_views_tenant_id_fkey;
ALTER TABLE step_counts      DROP CONSTRAINT step_counts_tenant_id_fkey;
ALTER TABLE authentications  DROP CONSTRAINT authentications_tenant_id_fkey;*/
