import type { TenantReads, TenantTx } from '../../db/db.ts';
import { boundedMap } from '../../kernel/bounded-map.ts';
import { type CompiledDefinition, compileDefinition } from '../engine/compile-definition.ts';
import { type DefinitionRow, findDefinition } from './definitions.repository.ts';

/**
 * The one cache of definitions: journeys need theirs at every request. An id names one version. Once it is deployed, its
 * document never changes, so it is read and compiled once. The status of a version may change, and is not in the cache.
 */
const MAX_CACHED = 1000;
/** The limit in characters of all documents together. A condition needs ten times as much memory as its text. */
const MAX_CACHED_CHARACTERS = 10_000_000;
type Entry = { readonly compiled: CompiledDefinition; readonly length: number };
const cache = boundedMap<string, Entry>(MAX_CACHED, { max: MAX_CACHED_CHARACTERS, of: ({ length }) => length });

const nameOf = ({ tenantId }: TenantReads, id: string) => `${tenantId}/${id}`;

export async function findCompiled(db: TenantReads, id: string): Promise<CompiledDefinition | undefined> {
  const entry = cache.get(nameOf(db, id));
  if (entry) return entry.compiled;
  const row = await findDefinition(db, { id });
  return row && compiledOf(db, row);
}

/** The definition of an instance, which exists as long as the instance. */
export async function compiledDefinition(db: TenantReads, id: string): Promise<CompiledDefinition> {
  const compiled = await findCompiled(db, id);
  if (!compiled) throw new Error(`the definition ${id} of an instance is gone`);
  return compiled;
}

/**
 * Compiles a row that was just read. A transaction may see a deployment that is rolled back later, so a definition that it
 * reads is cached only after its commit.
 */
export function compiledOf(db: TenantReads, row: DefinitionRow): CompiledDefinition {
  if (row.status === 'EDITABLE') return compileDefinition(row);
  const name = nameOf(db, row.id);
  const entry = cache.get(name);
  if (entry) return entry.compiled;
  const compiled = compileDefinition(row);
  const remember = () => cache.set(name, { compiled, length: row.document.length });
  if (db.inTransaction) (db as TenantTx).afterCommit(remember);
  else remember();
  return compiled;
}
