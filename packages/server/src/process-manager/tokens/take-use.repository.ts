import type { Counter } from '../../db/counters.ts';
import type { TenantTx } from '../../db/db.ts';
import { bigint } from '../../db/sql/dialect.ts';
import { query } from '../../db/sql/statement.ts';
import type { Environment } from '../../kernel/environment.ts';
import { openToken, type TokenRow } from './process-tokens.repository.ts';
import { usesOf } from './token-uses.repository.ts';

export type TakenToken = Pick<
  TokenRow,
  | 'id'
  | 'environment'
  | 'type'
  | 'counter'
  | 'definition_id'
  | 'process_defn_tag'
  | 'ui_url'
  | 'max_process_duration'
  | 'parameters'
>;
type TakenRow = TakenToken & { readonly sealed: Uint8Array | null };

/** The token can be used now, and its bound definition is deployed. */
const IS_USABLE = `tenant_id = :tenant_id AND id = :id
  AND (environment = :expected OR :expected = '') AND status = 'ACTIVE'
  AND (not_before_at IS NULL OR not_before_at <= :now) AND (not_after_at IS NULL OR not_after_at > :now)
  AND (definition_id IS NULL OR EXISTS (SELECT 1 FROM process_definitions d
    WHERE d.tenant_id = :tenant_id AND d.id = process_tokens.definition_id AND d.status = 'DEPLOYED_ACTIVE'))` as const;
/** Uses that are counted in counters, beside the row of the token. */
const USES_IN_COUNTERS = `(SELECT coalesce(sum(value), 0) FROM counters
  WHERE tenant_id = :tenant_id AND name = :uses)`;
/** What an instance takes over from its token. */
const FOR_INSTANCE = 'definition_id, process_defn_tag, ui_url, max_process_duration, parameters, sealed' as const;
const FIND = query<TakenRow>()(`SELECT id, environment, type,
  ${bigint(`counter + 1 + ${USES_IN_COUNTERS}`)} AS counter, ${FOR_INSTANCE} FROM process_tokens WHERE ${IS_USABLE}`);
const TAKE = query<TakenRow>()(`UPDATE process_tokens SET counter = counter + 1 WHERE ${IS_USABLE}
  AND (type = 'UNLIMITED' OR max_count IS NULL OR counter < max_count)
  RETURNING id, environment, type, counter, ${FOR_INSTANCE}`);
/** A creation that ran while the token was limited has counted its use beside the row. */
const TAKE_WITH_COUNTERS = query<TakenRow>()(`UPDATE process_tokens SET counter = counter + 1 WHERE ${IS_USABLE}
  AND (type = 'UNLIMITED' OR max_count IS NULL OR counter + ${USES_IN_COUNTERS} < max_count)
  RETURNING id, environment, type, ${bigint(`counter + ${USES_IN_COUNTERS}`)} AS counter, ${FOR_INSTANCE}`);

/**
 * Takes one use, if the token has one. Ensures that concurrent callers never take more uses than a limited token has. With
 * several writers, the use of an UNLIMITED token is counted with the instance (`usesToCount`).
 */
export async function takeUse(
  tx: TenantTx,
  id: string,
  { environment: expected = '', now }: { environment: Environment | '' | undefined; now: number },
): Promise<TakenToken | undefined> {
  if (tx.hasOneWriter) return openIfTaken(tx, await TAKE.get(tx, { id, expected, now }));
  const key = { id, expected, now, uses: usesOf(id) };
  const token = await FIND.get(tx, key);
  return openIfTaken(tx, token?.type === 'UNLIMITED' ? token : token && (await TAKE_WITH_COUNTERS.get(tx, key)));
}

async function openIfTaken(tx: TenantTx, row: TakenRow | undefined) {
  return row && openToken(tx, row);
}

/** The counters that the creation of the instance must change. */
export function usesToCount({ hasOneWriter }: TenantTx, { id, type }: TakenToken): readonly Counter[] {
  return type === 'UNLIMITED' && !hasOneWriter ? [{ name: usesOf(id), value: 1 }] : [];
}
