import type { TenantReads } from '../../db/db.ts';
import type { Definition } from '../engine/definition.ts';
import { stepTypes } from '../engine/steps/registry.ts';
import type { Reference } from '../engine/steps/step-type.ts';
import type { Lookup } from './check-references.ts';
import { type DefinitionRow, findDeployed } from './definitions.repository.ts';

/** Whether a tenant has an object of that name, by the kinds of objects that a release has. */
export type Exists = {
  readonly [K in Exclude<Reference['kind'], 'definition'>]?: (db: TenantReads, name: string) => Promise<boolean>;
};

/** What a tenant has, for the references of its definitions. Nothing is there of a kind that nobody can tell of. */
export function lookupIn(db: TenantReads, exists: Exists = {}): Lookup {
  const deployed = async ({ name, version }: Reference): Promise<DefinitionRow | undefined> => {
    const row = await findDeployed(db, { name, version });
    return row?.status === 'DEPLOYED_ACTIVE' ? row : undefined;
  };
  return {
    async has(reference) {
      if (reference.kind === 'definition') return (await deployed(reference)) !== undefined;
      return (await exists[reference.kind]?.(db, reference.name)) ?? false;
    },
    async runs(reference) {
      const row = await deployed(reference);
      if (!row) return [];
      const { steps } = JSON.parse(row.document) as Definition;
      const references = steps.flatMap((step) => stepTypes.get(step.type)?.references?.(step) ?? []);
      return references.filter(({ kind }) => kind === 'definition');
    },
  };
}
