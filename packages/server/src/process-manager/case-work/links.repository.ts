import type { api, Ok } from '@grove/contract';
import type { TenantTx } from '../../db/db.ts';
import { query } from '../../db/sql/statement.ts';
import { optional, type RowOf, real, table, text } from '../../db/sql/table.ts';
import type { Environment } from '../../kernel/environment.ts';

export type LinkKind = Ok<typeof api.instanceLinks.list>['links'][number]['shares'][number];
/** Codes that several instances share. The migration explains the codes. */
const links = table('instance_links', {
  tenant_id: text(),
  environment: text<Environment>(),
  kind: text<LinkKind>(),
  code: text(),
  instance_id: text(),
  score: optional(real()),
});
export type LinkRow = Pick<RowOf<typeof links>, 'kind' | 'code'>;

const MAX_CODES = 100;
/** The rows that are read for one instance. If many share a device, these are the newest. */
const MAX_ROWS = 200;

const ADD = links.upsert(['tenant_id', 'environment', 'kind', 'code', 'instance_id']);

export type SharedRow = Pick<RowOf<typeof links>, 'kind' | 'instance_id' | 'score'>;
export type LinkedInstance = { id: string; environment: Environment };

export const linksOf = links.select(
  ['kind', 'code'],
  `WHERE tenant_id = :tenant_id AND instance_id = :instanceId LIMIT ${MAX_CODES}`,
).all;

export async function addLink(
  tx: TenantTx,
  { id: instance_id, environment }: LinkedInstance,
  { kind, code }: LinkRow,
  score: number | null = null,
): Promise<void> {
  ADD.send(tx, { environment, kind, code, instance_id, score });
}

export const removeLink = links.delete(
  'WHERE tenant_id = :tenant_id AND environment = :environment AND kind = :kind AND code = :code AND instance_id = :instanceId',
).send;

/** The instances that share a code with this one, the newest first. */
export const sharedWith = query<SharedRow>()(`SELECT o.kind, o.instance_id, o.score
  FROM instance_links m JOIN instance_links o ON o.tenant_id = m.tenant_id AND o.environment = m.environment
    AND o.kind = m.kind AND o.code = m.code AND o.instance_id <> m.instance_id
  WHERE m.tenant_id = :tenant_id AND m.instance_id = :instanceId ORDER BY o.instance_id DESC, o.kind LIMIT ${MAX_ROWS}`).all;
