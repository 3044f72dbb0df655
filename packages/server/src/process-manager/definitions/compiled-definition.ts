import type { TenantReads, TenantTx } from '../../db/db.ts';
import { boundedMap } from '../../kernel/bounded-map.ts';
import { type CompiledDefinition, compileDefinition } from '../engine/compile-definition.ts';
import { findDefinition } from './definitions.repository.ts';

const MAX_KEPT = 500;
/** In characters of all documents together. */
const MAX_KEPT_CHARACTERS = 5_000_000;
type Entry = { readonly compiled: CompiledDefinition; readonly length: number };
const cache = boundedMap<string, Entry>(MAX_KEPT, { max: MAX_KEPT_CHARACTERS, of: ({ length }) => length });

/**
 * The definition of an instance. Once a version is deployed its document never changes, so it is read once. A transaction
 * may see a deployment that is rolled back: what it reads is kept after its commit alone.
 */
export async function compiledDefinition(db: TenantReads, id: string): Promise<CompiledDefinition> {
  const name = `${db.tenantId}/${id}`;
  const entry = cache.get(name);
  if (entry) return entry.compiled;
  const stored = await findDefinition(db, id);
  if (!stored) throw new Error(`the definition ${id} of an instance is gone`);
  const compiled = compileDefinition(stored);
  if (stored.status === 'EDITABLE') return compiled;
  const keep = () => cache.set(name, { compiled, length: stored.document.length });
  if (db.inTransaction) (db as TenantTx).afterCommit(keep);
  else keep();
  return compiled;
}
