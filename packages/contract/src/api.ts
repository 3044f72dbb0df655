import { apiKeys } from './arthr.ts';
import { consoleAccount } from './console-account.ts';
import { health } from './health.ts';
import { appkeys } from './identity-store/appkeys.ts';
import { biometrics } from './identity-store/biometrics.ts';
import { events } from './identity-store/events.ts';
import { passkeys } from './identity-store/passkeys.ts';
import { pushNotifications } from './identity-store/push-notifications.ts';
import { stores } from './identity-store/stores.ts';
import { totps } from './identity-store/totps.ts';
import { users } from './identity-store/users.ts';
import { installation } from './installation.ts';
import { journey, processServer } from './journey.ts';
import { eventStream, webhooks } from './notification-service.ts';
import type { GroupedOperation } from './operation.ts';
import { colleagues, operatorRoles, operators } from './operators.ts';
import { personRequests } from './person-requests.ts';
import { auditEvents } from './process-manager/audit.ts';
import { instanceLinks, instanceNotes, instanceSessions, noteMentions } from './process-manager/case-work.ts';
import { cloudSecrets } from './process-manager/cloud-secrets.ts';
import { processDefinitions } from './process-manager/definitions.ts';
import { instanceExports } from './process-manager/exports.ts';
import { funnels } from './process-manager/funnel.ts';
import { processInstances } from './process-manager/instances.ts';
import { erasures, retention } from './process-manager/retention.ts';
import { closedReviews, reviewQueues, reviews } from './process-manager/reviews.ts';
import { processSettings, sandbox } from './process-manager/settings.ts';
import { shadowVersions } from './process-manager/shadow-versions.ts';
import { processTokens } from './process-manager/tokens.ts';
import { usage } from './process-manager/usage.ts';
import { whatIf } from './process-manager/what-if.ts';
import { singleSignOn } from './single-sign-on.ts';
import { customPages, journeyTexts, themes } from './theme-server.ts';
import { userData } from './userdata-server.ts';
import { watchlists } from './watchlist-manager.ts';

/** The whole API: what is not in this table is not served. */
export const api = {
  apiKeys,
  processTokens,
  processInstances,
  processDefinitions,
  funnels,
  whatIf,
  shadowVersions,
  usage,
  reviews,
  closedReviews,
  reviewQueues,
  instanceExports,
  instanceLinks,
  instanceSessions,
  instanceNotes,
  noteMentions,
  processSettings,
  sandbox,
  auditEvents,
  retention,
  erasures,
  journey,
  processServer,
  cloudSecrets,
  webhooks,
  eventStream,
  userData,
  personRequests,
  watchlists,
  customPages,
  themes,
  journeyTexts,
  stores,
  users,
  passkeys,
  appkeys,
  totps,
  biometrics,
  pushNotifications,
  events,
  operators,
  colleagues,
  health,
  operatorRoles,
  singleSignOn,
  installation,
  consoleAccount,
} as const;

export type Api = typeof api;
export type GroupName = keyof Api;

export type ListedOperation = {
  /** `<group>.<name>` */
  readonly id: string;
  readonly group: GroupName;
  readonly name: string;
  readonly operation: GroupedOperation;
};

/** Every operation, in the order of the table. */
export function operations(): ListedOperation[] {
  return (Object.keys(api) as GroupName[]).flatMap((group) =>
    Object.entries<GroupedOperation>(api[group]).map(([name, operation]) => ({
      id: `${group}.${name}`,
      group,
      name,
      operation,
    })),
  );
}
