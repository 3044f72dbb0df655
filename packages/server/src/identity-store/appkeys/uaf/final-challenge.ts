import { ensure } from '../../attempts/refusal.ts';
import { isTrustedFacet } from '../facet-rules.ts';
import type { AppkeyConfig, MetadataStatement } from './match-policy.ts';
import type { UafResponse } from './read-response.ts';

/**
 * Checks the final challenge parameters that the client built: the facet of the calling application, the AppID of the
 * relying party, and the challenge. The authenticator signs a hash of them, which is compared later.
 */
export function checkFinalChallenge(
  { appId, final }: UafResponse,
  { config, challenge }: { config: AppkeyConfig; challenge: string },
): void {
  ensure(isTrustedFacet(final.facetId, config.trustedFacets ?? [], config.appId), 1026, { counts: true });
  // If the relying party has no AppID, the standard puts the facet of the application in its place.
  const appIds = config.appId === undefined ? ['', final.facetId] : [config.appId];
  ensure(appIds.includes(final.appId) && (appId === '' || appId === final.appId), 100112, { counts: true });
  ensure(final.challenge === challenge, 1029, { counts: true });
}

export function statementOf({ metadataStatements = [] }: AppkeyConfig, aaid: string): MetadataStatement | undefined {
  return metadataStatements.find((statement) => statement.aaid.toUpperCase() === aaid);
}
