import type { TenantTx } from '../../db/db.ts';
import type { Environment } from '../../kernel/environment.ts';
import { ApiError, invalidInput } from '../../kernel/errors.ts';
import { type DefinitionRow, findDeployed, findTagged, versionsOf } from '../definitions/definitions.repository.ts';
import type { TokenRow } from './process-tokens.repository.ts';
import { wholeOf } from './token-rules.ts';

type Input = {
  processDefnName?: string | undefined;
  processDefnVersion?: number | string | undefined;
  processDefnTag?: string | undefined;
};

type Binding = Pick<TokenRow, 'process_defn_name' | 'process_defn_version' | 'process_defn_tag' | 'definition_id'>;

/** Binds a token: a name and version bind one definition for ever; a tag binds its current version at each use. */
export async function bindDefinition(tx: TenantTx, environment: Environment, input: Input): Promise<Binding> {
  const name = input.processDefnName?.trim() || undefined;
  const version = wholeOf(input.processDefnVersion, '/processDefnVersion') ?? undefined;
  const tag = input.processDefnTag;
  if (tag !== undefined) {
    const tagged = ensureDeployed(await findTagged(tx, { environment, name: tag }), '/processDefnTag');
    if (name !== undefined && name !== tagged.name) {
      throw invalidInput({ pointer: '/processDefnName', message: 'must be the name of the tagged definition' });
    }
    if (version !== undefined && version !== tagged.version) {
      throw invalidInput({ pointer: '/processDefnVersion', message: 'must be the version of the tagged definition' });
    }
    return {
      process_defn_name: tagged.name,
      process_defn_version: null,
      process_defn_tag: tag,
      definition_id: null,
    };
  }
  if (name === undefined) {
    throw invalidInput({ pointer: '/processDefnName', message: 'is required unless processDefnTag is given' });
  }
  const deployed = await findDeployed(tx, { environment, name, version });
  if (!deployed && version === undefined && (await hasVersions(tx, environment, name))) throw new ApiError(100047);
  const definition = ensureDeployed(deployed, version === undefined ? '/processDefnName' : '/processDefnVersion');
  return {
    process_defn_name: definition.name,
    process_defn_version: definition.version,
    process_defn_tag: null,
    definition_id: definition.id,
  };
}

async function hasVersions(tx: TenantTx, environment: Environment, name: string): Promise<boolean> {
  const visibleEnvironments: Environment[] = environment === 'test' ? ['test', 'live'] : ['live'];
  for (const each of visibleEnvironments) if ((await versionsOf(tx, each, name)).total > 0) return true;
  return false;
}

function ensureDeployed(definition: DefinitionRow | undefined, pointer: string): DefinitionRow {
  if (!definition) throw new ApiError(100023, { errors: [{ pointer, message: 'no such process definition' }] });
  if (definition.status !== 'DEPLOYED_ACTIVE') {
    throw new ApiError(100047, { errors: [{ pointer, message: 'this process definition is not deployed' }] });
  }
  return definition;
}
