import type { ErasureLog } from '../erasure-log/erasure-log.ts';
import type { Platform } from '../kernel/feature.ts';
import { openAppkeys } from './appkeys/appkeys.ts';
import { openBiometrics } from './biometrics/biometrics.ts';
import type { PresentFaceDeps } from './biometrics/present-face.ts';
import { eventQueryHandlers, runQueryJob } from './events/event-queries.ts';
import { type IdentityCoreDeps, openIdentityCore } from './identity-core.ts';
import { journeySteps } from './journey-steps/journey-steps.ts';
import { type MetadataDeps, openMetadata } from './passkeys/metadata/open-metadata.ts';
import { openPasskeys } from './passkeys/passkeys.ts';
import { relatedOrigins } from './passkeys/related-origins.ts';
import { purgeExpiredJob, purgeHistoryJob } from './purge-identity.ts';
import { isStoreName } from './stores/stores.repository.ts';
import { storeHandlers } from './stores/stores.ts';
import { totpCeremonies } from './totps/totp-ceremonies.ts';
import { summarizeTotps, totpHandlers } from './totps/totps.ts';
import { erasableUsers } from './users/delete-user.ts';
import { sealUsers } from './users/ext-id-seal.ts';
import { userHandlers } from './users/users.ts';
import { usersOfPerson } from './users/users-of-person.ts';

/** Assembles the identity store: each modality adds its handlers, its summary and its jobs here. */
export type IdentityStoreDeps = IdentityCoreDeps &
  PresentFaceDeps &
  Pick<Platform, 'db' | 'clock' | 'jobs' | 'everyTenantId'> & {
    erasureLog: Pick<ErasureLog, 'note'>;
    /** FIDO's metadata of authenticators. */
    metadata: Omit<MetadataDeps, 'clock'>;
  };

export function openIdentityStore(deps: IdentityStoreDeps) {
  const { jobs } = deps;
  const core = openIdentityCore(deps);
  core.summarize('totps', summarizeTotps, ['user_totps', 'pending_totps']);
  const totps = totpCeremonies(core);
  const metadata = openMetadata({ ...deps.metadata, clock: deps.clock });
  const passkeys = openPasskeys(core, metadata);
  const appkeys = openAppkeys(core, deps);
  const biometrics = openBiometrics(core, deps);
  const runQuery = runQueryJob();
  return {
    jobs: [...appkeys.jobs, runQuery, purgeExpiredJob(deps), purgeHistoryJob(deps)],
    erasables: [erasableUsers(core)],
    core,
    forSteps: journeySteps({ core, totps, passkeys: passkeys.ceremonies, faces: biometrics.ceremonies }),
    isStoreName,
    /** Seals the users that an earlier release stored unencrypted. */
    sealBatch: sealUsers,
    ofPerson: usersOfPerson({ ...core, now: () => deps.clock.now() }),
    prepare: metadata.load,
    start: metadata.start,
    stop: metadata.stop,
    relatedOrigins,
    handlers: {
      passkeys: passkeys.handlers,
      appkeys: appkeys.handlers,
      biometrics: biometrics.handlers,
      stores: storeHandlers(core),
      users: userHandlers({ ...core, noteErased: deps.erasureLog.note }),
      totps: totpHandlers(core, totps),
      events: eventQueryHandlers({ jobs, runQuery }),
    },
  };
}
