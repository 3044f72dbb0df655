import { integer, table, text } from './sql/table.ts';

/** Settings of a tenant by name, and marks of finished work on its data. */
export const tenantSettings = table('tenant_settings', {
  tenant_id: text(),
  name: text(),
  value: text(),
  last_updated_at: integer(),
  last_updated_by: text(),
});

export const findSetting = tenantSettings.select(['value'], 'WHERE tenant_id = :tenant_id AND name = :name').get;
export const putSetting = tenantSettings.upsert(['tenant_id', 'name']).run;
