import type { Db } from '../../db/db.ts';
import type { Clock } from '../../kernel/clock.ts';
import { asTenantId } from '../../kernel/ids.ts';
import { findProcessSettings, setProcessSettings } from './settings.repository.ts';

/** Lets the live journeys of a tenant accept documents of Utopia: for the demonstration, which has no caller yet. */
export function specimenAllower(db: Db, clock: Clock) {
  return (tenant: string): Promise<void> =>
    db.of(asTenantId(tenant)).write(async (tx) => {
      const settings = { ...(await findProcessSettings(tx, 'live')), allowSpecimens: true };
      await setProcessSettings(tx, settings, { environment: 'live', by: 'Demonstration', now: clock.now() });
    });
}
