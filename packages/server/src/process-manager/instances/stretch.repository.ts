import { query } from '../../db/sql/statement.ts';

/**
 * A stretch of instances, by the order of their ids: as many as one statement reads without holding up others. SQLite reads
 * on the thread that serves requests, so a statement that goes through all instances of a tenant stops everybody.
 */
export const STRETCH = 2000;

/** The last instance of the stretch behind `after`; undefined if fewer are left before `below`. Reads an index alone. */
export const lastOfStretch = query<{ id: string }>()(`SELECT id FROM process_instances
  WHERE tenant_id = :tenant_id AND environment = :environment AND id > :after AND id < :below
  ORDER BY id LIMIT 1 OFFSET ${STRETCH - 1}`).get;
