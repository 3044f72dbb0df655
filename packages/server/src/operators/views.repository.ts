import { bytes, integer, type RowOf, table, text } from '../db/sql/table.ts';

/** Named lists of the console. */
const views = table('operator_views', {
  tenant_id: text(),
  operator_id: text(),
  id: text(),
  screen: text(),
  sealed: bytes(),
  created_at: integer(),
});
const { columns } = views;
export type ViewRow = RowOf<typeof views>;

const OF = 'WHERE tenant_id = :tenant_id AND operator_id = :operatorId';

export const viewsOf = views.select(columns, `${OF} ORDER BY id LIMIT 1000`).all;
export const addView = views.insert().run;

export const removeView = views.delete(`${OF} AND id = :id`).changes;
