import type { api, Body } from '@grove/contract';
import { ensure } from '../../attempts/refusal.ts';
import { isTrustedFacet } from '../facet-rules.ts';
import type { MetadataStatement } from './match-policy.ts';
import type { UafResponse } from './read-response.ts';

export type AppkeyConfig = Body<typeof api.appkeys.createConfig>;

/**
 * What the client says of itself and of what it was asked: the application that spoke to the authenticator, the
 * relying party it spoke for, and the challenge. The authenticator signs a hash of it, which is compared later.
 */
export function checkFinalChallenge(
  { appId, final }: UafResponse,
  { config, challenge }: { config: AppkeyConfig; challenge: string },
): void {
  ensure(isTrustedFacet(final.facetId, config.trustedFacets ?? [], config.appId), 1026, { counts: true });
  // Without an AppID of the relying party, the application is its own: the standard puts its facet there.
  const appIds = config.appId === undefined ? ['', final.facetId] : [config.appId];
  ensure(appIds.includes(final.appId) && (appId === '' || appId === final.appId), 100112, { counts: true });
  ensure(final.challenge === challenge, 1029, { counts: true });
}

export function statementOf({ metadataStatements = [] }: AppkeyConfig, aaid: string): MetadataStatement | undefined {
  return metadataStatements.find((statement) => statement.aaid.toUpperCase() === aaid) as MetadataStatement | undefined;
}
