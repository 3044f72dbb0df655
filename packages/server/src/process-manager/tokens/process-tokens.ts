import { api, type Ok } from '@grove/contract';
import { isUniqueViolation } from '../../db/db.ts';
import { actor } from '../../kernel/actor.ts';
import { toDtm } from '../../kernel/clock.ts';
import { ApiError } from '../../kernel/errors.ts';
import { implement } from '../../kernel/implement.ts';
import { likePattern, paging, toPage } from '../../kernel/pages.ts';
import { newToken } from './new-token.ts';
import { addToken, countTokens, pageTokens, SORTABLE, type TokenRow } from './process-tokens.repository.ts';

/** Process tokens: what instances are made from (specification 4.7). */

export const MAX_TOKENS_PER_TENANT = 10_000;

export type ProcessTokensDeps = { baseUrlOf(tenantId: string): string };

type ProcessToken = Ok<typeof api.processTokens.create>;

export function processTokenHandlers({ baseUrlOf }: ProcessTokensDeps) {
  return implement(api.processTokens, {
    async create({ db, tenantId, principal, now }, { body }) {
      const baseUrl = baseUrlOf(tenantId);
      const maker = { environment: principal.environment, by: actor(principal), now, baseUrl };
      const row = await db.write(async (tx) => {
        const made = await newToken(tx, maker, body);
        if ((await countTokens(tx, made.environment)) >= MAX_TOKENS_PER_TENANT) throw new ApiError(100065);
        await namedOnce(made.name, () => addToken(tx, made));
        return made;
      });
      return toProcessToken(row, tenantId, baseUrl);
    },

    async list({ db, tenantId, principal: { environment } }, { query }) {
      const page = paging(query, SORTABLE);
      const pattern = likePattern(query.processTokenSearch, '/query/processTokenSearch');
      const { rows, total } = await pageTokens(db, { environment, pattern, madeFor: query.madeFor }, page);
      const baseUrl = baseUrlOf(tenantId);
      return toPage(
        rows.map((row) => toProcessToken(row, tenantId, baseUrl)),
        total,
        page,
      );
    },
  });
}

async function namedOnce(name: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    const message = `${JSON.stringify(name)} is the name of another process token`;
    throw new ApiError(100014, { errors: [{ pointer: '/name', message }], cause: error });
  }
}

function toProcessToken(row: TokenRow, tenantId: string, baseUrl: string): ProcessToken {
  return {
    id: row.id,
    tenantId,
    name: row.name,
    ...(row.description !== null && { description: row.description }),
    processDefnName: row.process_defn_name,
    ...(row.process_defn_version !== null && { processDefnVersion: row.process_defn_version }),
    ...(row.process_defn_tag !== null && { processDefnTag: row.process_defn_tag }),
    ...(row.ui_url !== null && { uiUrl: row.ui_url }),
    status: row.status,
    type: row.type,
    ...(row.not_before_at !== null && { notBeforeDtm: toDtm(row.not_before_at) }),
    ...(row.not_after_at !== null && { notAfterDtm: toDtm(row.not_after_at) }),
    ...(row.max_count !== null && { maxCount: row.max_count }),
    maxProcessDuration: row.max_process_duration,
    ...(row.for_test !== null && { forTest: row.for_test === 1 }),
    parameters: JSON.parse(row.parameters) as Record<string, string>,
    ...(row.made_for && { madeFor: row.made_for }),
    environment: row.environment,
    counter: row.counter,
    startProcessAddress: `${baseUrl}/processInstances?tn=${tenantId}&pt=${row.id}`,
    createdDtm: toDtm(row.created_at),
    createdBy: row.created_by,
    lastUpdatedDtm: toDtm(row.last_updated_at),
    lastUpdatedBy: row.last_updated_by,
  };
}
