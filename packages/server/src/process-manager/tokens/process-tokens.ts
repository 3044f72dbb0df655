import { api, type Ok } from '@grove/contract';
import { type Audit, changedBy } from '../../audit/audit.ts';
import { ensureBelowLimit } from '../../db/below-limit.ts';
import { ensureUniqueName } from '../../db/unique-name.ts';
import type { ErasureLog } from '../../erasure-log/erasure-log.ts';
import { actor } from '../../kernel/actor.ts';
import { toDtm } from '../../kernel/clock.ts';
import type { Context } from '../../kernel/context.ts';
import { ApiError } from '../../kernel/errors.ts';
import { implement } from '../../kernel/implement.ts';
import { mapInSlices } from '../../kernel/in-slices.ts';
import { likePattern, paging, toPage } from '../../kernel/pages.ts';
import { trackedView } from '../../kernel/tracked.ts';
import { applyChange } from './change-token.ts';
import { newToken } from './new-token.ts';
import {
  addToken,
  changeToken,
  countTokens,
  findToken,
  findTokenForUpdate,
  pageTokens,
  removeTokens,
  SORTABLE,
  type TokenRow,
} from './process-tokens.repository.ts';

/** Process tokens, from which instances are created (specification 4.7). */
export type ProcessTokensDeps = {
  baseUrlOf(tenantId: string): string;
  /** The limit of a tenant in each environment. Tokens that are over are removed automatically. */
  maxTokens: number;
  audit: Pick<Audit, 'record'>;
  erasureLog: Pick<ErasureLog, 'note'>;
};

type ProcessToken = Ok<typeof api.processTokens.create>;

export function processTokenHandlers({ baseUrlOf, maxTokens, audit, erasureLog }: ProcessTokensDeps) {
  return implement(api.processTokens, {
    async create({ db, tenantId, principal, now }, { body }) {
      const baseUrl = baseUrlOf(tenantId);
      const maker = { environment: principal.environment, by: actor(principal), now, baseUrl };
      const row = await db.write(async (tx) => {
        const { environment } = maker;
        const count = () => countTokens(tx, environment);
        await ensureBelowLimit(tx, { of: ['process_tokens', environment], limit: maxTokens, count });
        const newRow = await newToken(tx, maker, body);
        await ensureUniqueName('process token', newRow.name, () => addToken(tx, newRow));
        return newRow;
      });
      return toProcessToken(row, tenantId, baseUrl);
    },

    async list({ db, tenantId, principal: { environment } }, { query }) {
      const page = paging(query, SORTABLE);
      const pattern = likePattern(query.processTokenSearch, '/query/processTokenSearch');
      const { rows, total } = await pageTokens(db, { environment, pattern, madeFor: query.madeFor }, page);
      const baseUrl = baseUrlOf(tenantId);
      return toPage(
        await mapInSlices(db, rows, (row) => toProcessToken(row, tenantId, baseUrl)),
        total,
        page,
        rows.at(-1)?.id,
      );
    },

    async get(context, { params }) {
      const row = ensureVisible(context, await findToken(context.db, params.processTokenId));
      return toProcessToken(row, context.tenantId, baseUrlOf(context.tenantId));
    },

    async update(context, { params, body }) {
      const { db, tenantId, principal, now } = context;
      const baseUrl = baseUrlOf(tenantId);
      const maker = { environment: principal.environment, by: actor(principal), now, baseUrl };
      const row = await db.write(async (tx) => {
        const before = ensureVisible(context, await findTokenForUpdate(tx, params.processTokenId));
        const changed = await applyChange(tx, maker, before, body);
        await ensureUniqueName('process token', changed.name, () => changeToken(tx, changed));
        // The audit log has no name, because it may be that of a person.
        const details = { fields: Object.keys(body), values: { status: changed.status } };
        await audit.record(tx, { ...changedBy(context), action: 'processToken.updated', item: changed.id, details });
        return changed;
      });
      return toProcessToken(row, tenantId, baseUrl);
    },

    async delete(context, { params }) {
      await context.db.write(async (tx) => {
        const row = ensureVisible(context, await findTokenForUpdate(tx, params.processTokenId));
        await removeTokens(tx, [row]);
        // A backup must not bring back a link that was deleted because it leaked.
        await erasureLog.note(tx, 'deleted-process-token', [row.id]);
        await audit.record(tx, { ...changedBy(context), action: 'processToken.deleted', item: row.id });
      });
      return undefined;
    },
  });
}

/** A token of the other environment is treated as missing. */
function ensureVisible({ principal }: Context, row: TokenRow | undefined): TokenRow {
  if (row?.environment !== principal.environment) throw new ApiError(100021);
  return row;
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
    ...trackedView(row),
  };
}
