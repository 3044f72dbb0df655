import { api } from '@grove/contract';
import type { Db } from '../../db/db.ts';
import { actor } from '../../kernel/actor.ts';
import type { Clock } from '../../kernel/clock.ts';
import { toDtm } from '../../kernel/clock.ts';
import { ensureUnchanged } from '../../kernel/ensure-unchanged.ts';
import { type FieldFault, invalidInput } from '../../kernel/errors.ts';
import { asTenantId } from '../../kernel/ids.ts';
import { implement } from '../../kernel/implement.ts';
import { fold } from '../../kernel/pages.ts';
import { normaliseOrigin } from './redirect-rules.ts';
import {
  findProcessSettings,
  findSettingsForUpdate,
  findStoredSettings,
  type ProcessSettings,
  setProcessSettings,
} from './settings.repository.ts';

/** The settings of a tenant for all its journeys. */
export function settingsHandlers() {
  return implement(api.processSettings, {
    async get({ db, principal }) {
      const { settings, row } = await findStoredSettings(db, principal.environment);
      return viewOf(settings, row.last_updated_at);
    },

    async update({ db, principal, now }, { query, body }) {
      const { redirectOrigins, embedOrigins, ...flags } = body;
      const changed = {
        ...flags,
        ...(redirectOrigins && { redirectOrigins: normaliseList('redirectOrigins', redirectOrigins) }),
        ...(embedOrigins && { embedOrigins: normaliseList('embedOrigins', embedOrigins) }),
      };
      ensureUniqueQueues(body.reviewQueues ?? []);
      const { environment } = principal;
      return db.write(async (tx) => {
        const { settings: before, row } = await findSettingsForUpdate(tx, environment);
        ensureUnchanged(query, row);
        const settings = { ...before, ...changed };
        await setProcessSettings(tx, settings, { environment, by: actor(principal), now });
        return viewOf(settings, now);
      });
    },
  });
}

/** Queues are chosen by name, so two names must not look alike. */
function ensureUniqueQueues(queues: readonly { name: string }[]): void {
  const names = queues.map(({ name }) => fold(name));
  const at = names.findIndex((name, index) => names.indexOf(name) < index);
  if (at >= 0) throw invalidInput({ pointer: `/reviewQueues/${at}/name`, message: 'is the name of another queue' });
}

function viewOf(settings: ProcessSettings, lastUpdatedAt: number) {
  return { ...settings, lastUpdatedDtm: toDtm(lastUpdatedAt) };
}

/** The origins in one spelling and without duplicates. An app can be a redirect, but cannot frame anything. */
function normaliseList(name: 'redirectOrigins' | 'embedOrigins', texts: readonly string[]): string[] {
  const faults: FieldFault[] = [];
  const origins = texts.flatMap((text, at) => {
    const { origin, fault } = normaliseOrigin(text);
    const isApp = name === 'embedOrigins' && origin?.endsWith(':') === true;
    const message = isApp ? 'must be an origin such as https://www.example.com' : fault;
    if (message !== undefined) faults.push({ pointer: `/${name}/${at}`, message });
    return origin ?? [];
  });
  if (faults.length > 0) throw invalidInput(...faults);
  return [...new Set(origins)];
}

/** Lets the live journeys of the demonstration, which has no caller yet, accept documents of Utopia. */
export function specimenAllower(db: Db, clock: Clock) {
  return (tenant: string): Promise<void> =>
    db.of(asTenantId(tenant)).write(async (tx) => {
      const settings = { ...(await findProcessSettings(tx, 'live')), allowSpecimens: true };
      await setProcessSettings(tx, settings, { environment: 'live', by: 'Demonstration', now: clock.now() });
    });
}
