import { integer, optional, type RowOf, table, text } from '../../db/sql/table.ts';

/** When the end user saw a step. */
export const stepViews = table('step_views', {
  tenant_id: text(),
  instance_id: text(),
  step: text(),
  attempt: integer(),
  seen_at: integer(),
  left_at: optional(integer()),
  told_left: integer(),
  ended_at: optional(integer()),
});
export type StepView = RowOf<typeof stepViews>;
