import type { TenantTx } from '../../db/db.ts';
import { inList } from '../../db/sql/dialect.ts';
import { query, statement } from '../../db/sql/statement.ts';

/**
 * The metadata of a check that a redaction keeps, because they do not describe the person: the method, and the number of
 * others that were compared. What-if and the assurance of the result need them.
 */
const WORDS = [
  'engine',
  'algorithm',
  'models',
  'method',
  'hints',
  'compared',
  'notCompared',
  'notComparable',
  'approximate',
] as const;

type MetaData = Readonly<Record<string, unknown>>;

/** Removes which other instances and members of watchlists are similar, and keeps how similar they are. Pure. */
export function redactMetaData(metaData: MetaData): MetaData {
  const { candidates } = metaData;
  return {
    ...Object.fromEntries(WORDS.flatMap((name) => (Object.hasOwn(metaData, name) ? [[name, metaData[name]]] : []))),
    ...(Array.isArray(candidates) && {
      candidates: candidates.map((each: { score?: unknown } | null) => ({ score: Number(each?.score ?? 0) })),
    }),
  };
}

type StoredMetaData = { instance_id: string; step: string; name: string; meta_data: string };
const MAX_CHECKS = 100_000;
const WITH_META_DATA = query<StoredMetaData>()(`SELECT instance_id, step, name, meta_data FROM instance_checks
  WHERE tenant_id = :tenant_id AND instance_id ${inList(':ids')} AND meta_data IS NOT NULL LIMIT ${MAX_CHECKS}`);
const SET = statement(`UPDATE instance_checks SET meta_data = :meta_data
  WHERE tenant_id = :tenant_id AND instance_id = :instance_id AND step = :step AND name = :name`);

/** The caller has locked the instances. */
export async function redactChecks(tx: TenantTx, instanceIds: readonly string[]): Promise<void> {
  for (const { meta_data, ...key } of await WITH_META_DATA.all(tx, { ids: instanceIds })) {
    const remaining = JSON.stringify(redactMetaData(JSON.parse(meta_data) as MetaData));
    if (remaining !== meta_data) SET.send(tx, { ...key, meta_data: remaining });
  }
}
