import { api } from '@grove/contract';
import { actor } from '../../kernel/actor.ts';
import { type FieldFault, invalidInput } from '../../kernel/errors.ts';
import { implement } from '../../kernel/implement.ts';
import { normaliseOrigin } from '../tokens/redirect-rules.ts';
import { findProcessSettings, type ProcessSettings, setProcessSettings } from './settings.repository.ts';

/** What a tenant sets for all its journeys. */
export function settingsHandlers() {
  return implement(api.processSettings, {
    get: async ({ db, principal }) => shown(await findProcessSettings(db, principal.environment)),

    async update({ db, principal, now }, { body }) {
      const { redirectOrigins, ...flags } = body;
      const changed = { ...flags, ...(redirectOrigins && { redirectOrigins: normalised(redirectOrigins) }) };
      const { environment } = principal;
      return db.write(async (tx) => {
        const settings = { ...(await findProcessSettings(tx, environment)), ...changed };
        await setProcessSettings(tx, settings, { environment, by: actor(principal), now });
        return shown(settings);
      });
    },
  });
}

function shown(settings: ProcessSettings) {
  return { ...settings, redirectOrigins: [...settings.redirectOrigins] };
}

/** One spelling for each origin, and each once. */
function normalised(given: readonly string[]): string[] {
  const faults: FieldFault[] = [];
  const origins = given.flatMap((text, at) => {
    const { origin, fault } = normaliseOrigin(text);
    if (fault !== undefined) faults.push({ pointer: `/redirectOrigins/${at}`, message: fault });
    return origin ?? [];
  });
  if (faults.length > 0) throw invalidInput(...faults);
  return [...new Set(origins)];
}
