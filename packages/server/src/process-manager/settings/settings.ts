import { api } from '@grove/contract';
import { actor } from '../../kernel/actor.ts';
import { type FieldFault, invalidInput } from '../../kernel/errors.ts';
import { implement } from '../../kernel/implement.ts';
import { normaliseOrigin } from './redirect-rules.ts';
import { findProcessSettings, type ProcessSettings, setProcessSettings } from './settings.repository.ts';

/** What a tenant sets for all its journeys. */
export function settingsHandlers() {
  return implement(api.processSettings, {
    get: async ({ db, principal }) => viewOf(await findProcessSettings(db, principal.environment)),

    async update({ db, principal, now }, { body }) {
      const { redirectOrigins, embedOrigins, ...flags } = body;
      const changed = {
        ...flags,
        ...(redirectOrigins && { redirectOrigins: normalised('redirectOrigins', redirectOrigins) }),
        ...(embedOrigins && { embedOrigins: normalised('embedOrigins', embedOrigins) }),
      };
      const { environment } = principal;
      return db.write(async (tx) => {
        const settings = { ...(await findProcessSettings(tx, environment)), ...changed };
        await setProcessSettings(tx, settings, { environment, by: actor(principal), now });
        return viewOf(settings);
      });
    },
  });
}

function viewOf(settings: ProcessSettings) {
  const { redirectOrigins, embedOrigins, reviewReasons } = settings;
  return {
    ...settings,
    redirectOrigins: [...redirectOrigins],
    embedOrigins: [...embedOrigins],
    reviewReasons: [...reviewReasons],
  };
}

/** One spelling for each origin, and each once. An app can be led to, but has no pages that frame anything. */
function normalised(name: 'redirectOrigins' | 'embedOrigins', texts: readonly string[]): string[] {
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
