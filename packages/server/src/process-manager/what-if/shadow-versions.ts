import { api, MAX_SHADOW_VERSIONS } from '@grove/contract';
import type { TenantReads } from '../../db/db.ts';
import { lockName } from '../../db/named-lock.ts';
import { actor } from '../../kernel/actor.ts';
import { toDtm } from '../../kernel/clock.ts';
import { type Environment, isSeenFrom } from '../../kernel/environment.ts';
import { ApiError } from '../../kernel/errors.ts';
import { implement } from '../../kernel/implement.ts';
import { paging, toPage } from '../../kernel/pages.ts';
import { type DefinitionRow, findDefinition } from '../definitions/definitions.repository.ts';
import {
  addShadowVersion,
  findShadowVersion,
  removeShadowVersion,
  type ShadowRow,
  shadowVersionsIn,
} from './shadow-versions.repository.ts';
import { runWhatIf } from './what-if.ts';

/**
 * Shadow versions, which are judged beside the running ones. Nothing happens while an instance runs: the outcome is computed
 * from stored data on request.
 */
const SORTABLE = { processDefinitionId: 'name' } as const;

export function shadowVersionHandlers() {
  return implement(api.shadowVersions, {
    async list({ db, principal }, { query }) {
      const page = paging(query, SORTABLE);
      const { environment } = principal;
      const views = [];
      for (const row of await shadowVersionsIn(db, environment, MAX_SHADOW_VERSIONS)) {
        const definition = await findDefinition(db, { id: row.value });
        // A deleted draft is no longer judged.
        if (definition) views.push(toView(row, definition, environment));
      }
      return toPage(views.slice(page.offset, page.offset + page.size), views.length, page);
    },

    start: ({ db, principal, now }, { body }) =>
      db.write(async (tx) => {
        const { environment } = principal;
        const definition = await getVisible(tx, environment, body.processDefinitionId);
        lockName(tx, 'shadow_versions', environment);
        const others = await shadowVersionsIn(tx, environment, MAX_SHADOW_VERSIONS);
        const isNew = !others.some(({ value }) => value === definition.id);
        if (isNew && others.length >= MAX_SHADOW_VERSIONS) throw new ApiError(100065);
        await addShadowVersion(tx, { environment, definitionId: definition.id, by: actor(principal), now });
        return toView(await getShadowVersion(tx, environment, definition.id), definition, environment);
      }),

    async result(context, { params, query }) {
      const { environment } = context.principal;
      const row = await getShadowVersion(context.db, environment, params.processDefinitionId);
      const stored = await getVisible(context.db, environment, row.value);
      const definition = JSON.parse(stored.document);
      return runWhatIf(context, { definition, startDateTime: toDtm(row.last_updated_at), ...query });
    },

    async end({ db, principal }, { params }) {
      const isEnded = await db.write((tx) =>
        removeShadowVersion(tx, principal.environment, params.processDefinitionId),
      );
      if (!isEnded) throw new ApiError(100023);
      return undefined;
    },
  });
}

async function getVisible(db: TenantReads, environment: Environment, id: string): Promise<DefinitionRow> {
  const row = await findDefinition(db, { id });
  if (!row || !isSeenFrom(environment, row)) throw new ApiError(100023);
  return row;
}

async function getShadowVersion(db: TenantReads, environment: Environment, id: string): Promise<ShadowRow> {
  const row = await findShadowVersion(db, environment, id);
  if (!row) throw new ApiError(100023);
  return row;
}

function toView({ last_updated_at, last_updated_by }: ShadowRow, definition: DefinitionRow, environment: Environment) {
  return {
    processDefinitionId: definition.id,
    environment,
    processDefnName: definition.name,
    processDefnVersion: definition.version,
    startedDtm: toDtm(last_updated_at),
    startedBy: last_updated_by,
  };
}
