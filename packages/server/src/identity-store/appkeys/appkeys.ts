import type { TenantReads } from '../../db/db.ts';
import type { JobDefinition } from '../../jobs/define-job.ts';
import { definePurge, type PurgeDeps } from '../../jobs/define-purge.ts';
import { HOUR } from '../../kernel/clock.ts';
import { removeExpiredChallenges } from '../ceremonies/used-challenges.repository.ts';
import type { IdentityCore } from '../identity-core.ts';
import type { SummaryInfo } from '../users/user-view.ts';
import { appkeyAuthenticationHandlers } from './authentications.ts';
import { appkeyConfigHandlers } from './configs.ts';
import { deviceKeysOf } from './devices.repository.ts';
import { appkeyDeviceHandlers } from './devices.ts';
import { appkeyHandlers } from './keys.ts';
import { appkeyRegistrationHandlers } from './registrations.ts';

/** Opens the appkey feature: keys of mobile and web applications (FIDO UAF 1.1). */
export function openAppkeys(core: IdentityCore, deps: PurgeDeps) {
  core.summarize('devices', summarizeDevices, ['appkey_devices']);
  return {
    handlers: {
      ...appkeyConfigHandlers(core),
      ...appkeyRegistrationHandlers(core),
      ...appkeyAuthenticationHandlers(core),
      ...appkeyHandlers(core),
      ...appkeyDeviceHandlers(core),
    },
    jobs: [purgeChallengesJob(deps)],
  };
}

type Devices = SummaryInfo['devices'];

/** Returns the devices of users, each with its keys. The rows are ordered by user and device. */
async function summarizeDevices(db: TenantReads, userIds: readonly string[]): Promise<ReadonlyMap<string, Devices>> {
  const summaries = new Map<string, Devices>();
  for (const { user_id, rp_id: rpId, device_id: deviceId, ...row } of await deviceKeysOf(db, userIds)) {
    const devices = summaries.get(user_id) ?? [];
    summaries.set(user_id, devices);
    const last = devices.at(-1);
    if (last && last.rpId === rpId && last.deviceId === deviceId) {
      last.keyIds.push(row.key_id);
      continue;
    }
    const invalid = row.invalid_token === 1 && { invalidToken: true };
    devices.push({ deviceId, rpId, keyIds: [row.key_id], preferred: row.preferred === 1, ...invalid });
  }
  return summaries;
}

/** Removes expired challenges: they are refused because of their age, so they need not be remembered. */
function purgeChallengesJob(deps: PurgeDeps): JobDefinition<object> {
  return definePurge(
    deps,
    {
      kind: 'identity-store.purge-challenges',
      does: 'removes expired challenges of callers',
      recurs: { everyMs: HOUR, key: 'hourly' },
    },
    (now) => [(tx, limit) => removeExpiredChallenges(tx, { now, limit })],
  );
}
