import { query } from '../../db/sql/statement.ts';

/**
 * A stretch of instances in the order of their ids: as many as one statement reads without delaying others. SQLite reads on
 * the thread that serves requests, so a statement over all instances of a tenant would block every request.
 */
export const STRETCH = 2000;

/** The last instance of the stretch after `after`; undefined if fewer remain before `below`. Reads only an index. */
export const lastOfStretch = query<{ id: string }>()(`SELECT id FROM process_instances
  WHERE tenant_id = :tenant_id AND environment = :environment AND id > :after AND id < :below
  ORDER BY id LIMIT 1 OFFSET ${STRETCH - 1}`).get;
