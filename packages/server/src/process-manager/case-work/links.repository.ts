import type { api, Ok } from '@grove/contract';
import type { TenantTx } from '../../db/db.ts';
import { query, statement } from '../../db/sql/statement.ts';
import type { Environment } from '../../kernel/environment.ts';

/** Codes that several instances share. What a code stands for is said in the migration. */
export type LinkKind = Ok<typeof api.instanceLinks.list>['links'][number]['shares'][number];
export type LinkRow = { kind: LinkKind; code: string };

const MAX_CODES = 100;
/** Rows that are read for one instance; of a device that many share, the newest. */
const MAX_ROWS = 200;

const ADD = statement(`INSERT INTO instance_links (tenant_id, environment, kind, code, instance_id, score)
  VALUES (:tenant_id, :environment, :kind, :code, :instanceId, :score)
  ON CONFLICT (tenant_id, environment, kind, code, instance_id) DO UPDATE SET score = excluded.score`);

export type SharedRow = { kind: LinkKind; instance_id: string; score: number | null };
export type LinkedInstance = { id: string; environment: Environment };

export const linksOf = query<LinkRow>()(`SELECT kind, code FROM instance_links
  WHERE tenant_id = :tenant_id AND instance_id = :instanceId LIMIT ${MAX_CODES}`).all;

export async function addLink(
  tx: TenantTx,
  { id: instanceId, environment }: LinkedInstance,
  { kind, code }: LinkRow,
  score: number | null = null,
): Promise<void> {
  ADD.send(tx, { environment, kind, code, instanceId, score });
}

export const removeLink = statement(`DELETE FROM instance_links
  WHERE tenant_id = :tenant_id AND environment = :environment AND kind = :kind AND code = :code AND instance_id = :instanceId`).send;

/** The instances that share a code with this one, the newest first. */
export const sharedWith = query<SharedRow>()(`SELECT o.kind, o.instance_id, o.score
  FROM instance_links m JOIN instance_links o ON o.tenant_id = m.tenant_id AND o.environment = m.environment
    AND o.kind = m.kind AND o.code = m.code AND o.instance_id <> m.instance_id
  WHERE m.tenant_id = :tenant_id AND m.instance_id = :instanceId ORDER BY o.instance_id DESC, o.kind LIMIT ${MAX_ROWS}`).all;
