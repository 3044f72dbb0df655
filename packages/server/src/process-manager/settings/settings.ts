import { api } from '@grove/contract';
import { actor } from '../../kernel/actor.ts';
import { type FieldFault, invalidInput } from '../../kernel/errors.ts';
import { implement } from '../../kernel/implement.ts';
import { normaliseOrigin } from '../tokens/redirect-rules.ts';
import { findProcessSettings, setProcessSettings } from './settings.repository.ts';

/** What a tenant sets for all its journeys. */
export function settingsHandlers() {
  return implement(api.processSettings, {
    async get({ db, principal }) {
      const { redirectOrigins, ...others } = await findProcessSettings(db, principal.environment);
      return { redirectOrigins: [...redirectOrigins], ...others };
    },

    async update({ db, principal, now }, { body }) {
      const redirectOrigins = normalised(body.redirectOrigins);
      const { environment } = principal;
      return db.write(async (tx) => {
        const before = await findProcessSettings(tx, environment);
        const { allowSpecimens = before.allowSpecimens, readBudget = before.readBudget } = body;
        const settings = { redirectOrigins, allowSpecimens, readBudget };
        await setProcessSettings(tx, settings, { environment, by: actor(principal), now });
        return settings;
      });
    },
  });
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
