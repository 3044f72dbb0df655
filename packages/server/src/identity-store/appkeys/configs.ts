import { api } from '@grove/contract';
import type { TenantReads } from '../../db/db.ts';
import { ApiError, invalidInput } from '../../kernel/errors.ts';
import { implement } from '../../kernel/implement.ts';
import { pathNameFault } from '../../kernel/path-name.ts';
import type { IdentityCore } from '../identity-core.ts';
import { getStore } from '../stores/find-store.ts';
import { createPolicy, getPolicy, updatePolicy, withDate } from '../stores/store-policies.ts';
import { checkConfig } from './config-rules.ts';
import type { AppkeyConfig, UafPolicy } from './uaf/match-policy.ts';

/** The appkey configurations of relying parties. */
type Configs = Pick<typeof api.appkeys, 'createConfig' | 'updateConfig'>;

export function appkeyConfigHandlers({ addIdentityEvent }: Pick<IdentityCore, 'addIdentityEvent'>) {
  return implement<Configs>(api.appkeys, {
    async createConfig(context, { params, body }) {
      const { db, now } = context;
      const config = { rpId: body.rpId, ...knownMembers(body) };
      const fault = pathNameFault('/rpId', body.rpId);
      if (fault) throw invalidInput(fault);
      checkConfig(config);
      await db.write(async (tx) => {
        const { id: storeId, environment, name: storeName } = await getStore(tx, context, params.storeName);
        await createPolicy(tx, { storeId, kind: 'APPKEY', name: config.rpId }, { config, now });
        const about = { environment, storeName, modality: 'APPKEY', rpId: config.rpId, now } as const;
        await addIdentityEvent(tx, { ...about, type: 'identity.configCreated' });
      });
      return withDate(config, now);
    },

    async updateConfig(context, { params, query: ifUnchanged, body }) {
      const { db, now } = context;
      const change = (before: AppkeyConfig) => {
        const after = { ...before, ...knownMembers(body) };
        checkConfig(after);
        return after;
      };
      return db.write(async (tx) => {
        const { id: storeId, environment, name: storeName } = await getStore(tx, context, params.storeName);
        const key = { storeId, kind: 'APPKEY', name: params.rpId } as const;
        const config = await updatePolicy(tx, key, { change, ifUnchanged, now });
        const about = { environment, storeName, modality: 'APPKEY', rpId: config.rpId, now } as const;
        await addIdentityEvent(tx, { ...about, type: 'identity.configUpdated' });
        return config;
      });
    },
  });
}

/** Keeps the known members and drops any other member. */
function knownMembers(input: Omit<AppkeyConfig, 'rpId'>): Omit<AppkeyConfig, 'rpId'> {
  const { appId, trustedFacets, keyTypes, registrationPolicies, authenticationPolicies, metadataStatements } = input;
  return {
    ...(appId !== undefined && { appId }),
    ...(trustedFacets && { trustedFacets }),
    ...(keyTypes && { keyTypes }),
    ...(registrationPolicies && { registrationPolicies }),
    ...(authenticationPolicies && { authenticationPolicies }),
    ...(metadataStatements && { metadataStatements }),
  };
}

/** Returns the configuration of a relying party, or throws 100029. */
export async function getConfig(db: TenantReads, storeId: string, rpId: string): Promise<AppkeyConfig> {
  return (await getPolicy<AppkeyConfig>(db, { storeId, kind: 'APPKEY', name: rpId })).config;
}

/** Returns the policy of that name, or throws 100030. */
export function policyOf(policies: Readonly<Record<string, UafPolicy>> | undefined, name: string): UafPolicy {
  const policy = policies && Object.hasOwn(policies, name) ? policies[name] : undefined;
  if (!policy) throw new ApiError(100030);
  return policy;
}
