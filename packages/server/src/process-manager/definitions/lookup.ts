import type { TenantReads } from '../../db/db.ts';
import type { Environment } from '../../kernel/environment.ts';
import type { Definition } from '../engine/definition.ts';
import { stepTypes } from '../engine/steps/registry.ts';
import type { Reference } from '../engine/steps/step-type.ts';
import type { Lookup } from './check-references.ts';
import { type DefinitionRow, findDeployed } from './definitions.repository.ts';

/** Whether a tenant has an object of that name, by kind of object. */
export type Exists = {
  readonly [K in Exclude<Reference['kind'], 'definition' | 'address'>]?: (
    db: TenantReads,
    object: { name: string; environment: Environment },
  ) => Promise<boolean>;
} & {
  /** The reason why nothing may be sent to an address. */
  readonly addressFault?: (url: string) => string | undefined;
  /** The reason why a cloud secret may not be sent to an address. */
  readonly secretHostFault?: (
    db: TenantReads,
    of: { environment: Environment; name: string; url: string },
  ) => Promise<string | undefined>;
};

/** Looks up the objects of a tenant in an environment. A kind without a function has no objects. */
export function lookupIn(db: TenantReads, environment: Environment, exists: Exists = {}): Lookup {
  const findActive = async ({ name, version }: Reference): Promise<DefinitionRow | undefined> => {
    const row = await findDeployed(db, { environment, name, version });
    return row?.status === 'DEPLOYED_ACTIVE' ? row : undefined;
  };
  return {
    async has(reference) {
      const { kind, name } = reference;
      if (kind === 'address') return true;
      if (kind === 'definition') return (await findActive(reference)) !== undefined;
      return (await exists[kind]?.(db, { name, environment })) ?? false;
    },
    addressFault: (url) => exists.addressFault?.(url),
    async faultOf({ kind, name, url }) {
      if (kind !== 'secret' || url === undefined) return undefined;
      return exists.secretHostFault?.(db, { environment, name, url });
    },
    async runs(reference) {
      const row = await findActive(reference);
      if (!row) return [];
      const { steps } = JSON.parse(row.document) as Definition;
      const references = steps.flatMap((step) => stepTypes.get(step.type)?.references?.(step) ?? []);
      return references.filter(({ kind }) => kind === 'definition');
    },
  };
}
