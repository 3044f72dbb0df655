import type { Db } from '../db/db.ts';
import type { ErasureLog } from '../erasure-log/erasure-log.ts';
import type { Jobs } from '../jobs/jobs.ts';
import type { Clock } from '../kernel/clock.ts';
import type { TenantId } from '../kernel/ids.ts';
import { openAppkeys } from './appkeys/appkeys.ts';
import { openBiometrics } from './biometrics/biometrics.ts';
import type { PresentFaceDeps } from './biometrics/present-face.ts';
import { eventQueryHandlers, runQueryJob } from './events/event-queries.ts';
import { type IdentityCoreDeps, openIdentityCore } from './identity-core.ts';
import { journeySteps } from './journey-steps/journey-steps.ts';
import { type MetadataDeps, openMetadata } from './passkeys/metadata/open-metadata.ts';
import { openPasskeys } from './passkeys/passkeys.ts';
import { relatedOrigins } from './passkeys/related-origins.ts';
import { PURGE_EVERY_MS, purgeExpiredJob, purgeHistoryJob } from './purge-identity.ts';
import { openPushNotifications, type PushNotificationsDeps } from './push-notifications/push-notifications.ts';
import { isStoreName } from './stores/is-store-name.ts';
import { storeHandlers } from './stores/stores.ts';
import { totpCeremonies } from './totps/totp-ceremonies.ts';
import { summarizeTotps, totpHandlers } from './totps/totps.ts';
import { erasableUsers } from './users/delete-user.ts';
import { sealUsers } from './users/ext-id-seal.ts';
import { userHandlers } from './users/users.ts';
import { usersOfPerson } from './users/users-of-person.ts';

/** The identity store put together: each modality adds its handlers, its summary and its jobs here. */
export type IdentityStoreDeps = IdentityCoreDeps &
  Pick<PushNotificationsDeps, 'push' | 'processes' | 'faultOfAddress'> &
  PresentFaceDeps & {
    db: Db;
    clock: Clock;
    jobs: Jobs;
    erasureLog: Pick<ErasureLog, 'register' | 'note'>;
    everyTenantId(): AsyncIterable<TenantId>;
    /** FIDO's metadata of authenticators. */
    metadata: Omit<MetadataDeps, 'clock'>;
  };

export function openIdentityStore(deps: IdentityStoreDeps) {
  const { jobs } = deps;
  const core = openIdentityCore(deps);
  deps.erasureLog.register(erasableUsers(core));
  core.summarize('totps', summarizeTotps, ['user_totps', 'pending_totps']);
  const totps = totpCeremonies(core);
  const metadata = openMetadata({ ...deps.metadata, clock: deps.clock });
  const passkeys = openPasskeys(core, metadata);
  const appkeys = openAppkeys(core, deps);
  const biometrics = openBiometrics(core, deps);
  const pushes = openPushNotifications(core, deps);
  for (const { definition, everyMs, key } of appkeys.jobs) {
    jobs.register(definition, { everyMs, key });
  }
  const runQuery = runQueryJob();
  const purgeExpired = purgeExpiredJob(deps);
  const purgeHistory = purgeHistoryJob(deps);
  jobs.register(runQuery);
  jobs.register(purgeExpired, { everyMs: PURGE_EVERY_MS, key: 'expired' });
  jobs.register(purgeHistory, { dailyAt: '00:45', key: 'daily' });
  return {
    core,
    forSteps: journeySteps({ core, totps, passkeys: passkeys.ceremonies, faces: biometrics.ceremonies }),
    isStoreName,
    /** Seals what an earlier release stored in the clear. */
    sealBatch: sealUsers,
    ofPerson: usersOfPerson({ ...core, now: () => deps.clock.now() }),
    /** For events of instances, in their transaction. */
    instanceTold: pushes.instanceTold,
    passkeys: passkeys.ceremonies,
    metadata,
    relatedOrigins,
    handlers: {
      passkeys: passkeys.handlers,
      appkeys: appkeys.handlers,
      pushNotifications: pushes.handlers,
      biometrics: biometrics.handlers,
      stores: storeHandlers(core),
      users: userHandlers({ ...core, noteErased: deps.erasureLog.note }),
      totps: totpHandlers(core, totps),
      events: eventQueryHandlers({ jobs, runQuery }),
    },
  };
}
