import { api, type Body, type Ok } from '@grove/contract';
import { isUniqueViolation, type TenantTx } from '../../db/db.ts';
import { actor } from '../../kernel/actor.ts';
import { toDtm } from '../../kernel/clock.ts';
import type { Context } from '../../kernel/context.ts';
import { ApiError, invalidInput } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { implement } from '../../kernel/implement.ts';
import { fold, likePattern, paging, toPage } from '../../kernel/pages.ts';
import { findProcessSettings } from '../settings/settings.repository.ts';
import { bindDefinition } from './bind-definition.ts';
import { checkParameters, checkRedirects, ensureRedirect, hasRedirects } from './parameter-rules.ts';
import { addToken, countTokens, pageTokens, SORTABLE, type TokenRow } from './process-tokens.repository.ts';
import { MAX_UI_URL_LENGTH } from './redirect-rules.ts';
import { durationOf, limitsOf } from './token-rules.ts';

/** Process tokens: what instances are made from (specification 4.7). */

export const MAX_TOKENS_PER_TENANT = 10_000;

export type ProcessTokensDeps = { baseUrlOf(tenantId: string): string };

type Input = Body<typeof api.processTokens.create>;
type ProcessToken = Ok<typeof api.processTokens.create>;

export function processTokenHandlers({ baseUrlOf }: ProcessTokensDeps) {
  return implement(api.processTokens, {
    async create(context, { body }) {
      const row = await context.db.write(async (tx) => {
        const made = await newToken(tx, context, body, baseUrlOf(context.tenantId));
        if ((await countTokens(tx)) >= MAX_TOKENS_PER_TENANT) throw new ApiError(100065);
        await namedOnce(made.name, () => addToken(tx, made));
        return made;
      });
      return toProcessToken(row, context.tenantId, baseUrlOf(context.tenantId));
    },

    async list({ db, tenantId, principal: { environment } }, { query }) {
      const page = paging(query, SORTABLE);
      const pattern = likePattern(query.processTokenSearch, '/query/processTokenSearch');
      const { rows, total } = await pageTokens(db, { environment, pattern }, page);
      const baseUrl = baseUrlOf(tenantId);
      return toPage(
        rows.map((row) => toProcessToken(row, tenantId, baseUrl)),
        total,
        page,
      );
    },
  });
}

async function newToken(tx: TenantTx, context: Context, body: Input, baseUrl: string): Promise<TokenRow> {
  const { now, principal } = context;
  const { environment } = principal;
  const { name, parameters = {}, uiUrl = '' } = body;
  if (name.trim() === '') throw invalidInput({ pointer: '/name', message: 'must not be empty' });
  checkParameters(parameters, environment);
  const limits = limitsOf(body);
  const max_process_duration = durationOf(body.maxProcessDuration);
  if (uiUrl !== '' || hasRedirects(parameters)) {
    const { redirectOrigins: origins } = await findProcessSettings(tx);
    const ui = { origins, ownOrigin: new URL(baseUrl).origin, maxLength: MAX_UI_URL_LENGTH };
    if (uiUrl !== '') ensureRedirect(uiUrl, '/uiUrl', ui);
    checkRedirects(parameters, origins);
  }
  const by = actor(principal);
  return {
    id: newId(now),
    environment,
    name,
    name_folded: fold(name),
    description: body.description ?? null,
    ...(await bindDefinition(tx, body)),
    ui_url: uiUrl === '' ? null : uiUrl,
    status: body.status ?? 'ACTIVE',
    ...limits,
    counter: 0,
    max_process_duration,
    for_test: body.forTest === undefined ? null : Number(body.forTest),
    parameters: JSON.stringify(parameters),
    created_at: now,
    created_by: by,
    last_updated_at: now,
    last_updated_by: by,
  };
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
    environment: row.environment,
    counter: row.counter,
    startProcessAddress: `${baseUrl}/processInstances?tn=${tenantId}&pt=${row.id}`,
    createdDtm: toDtm(row.created_at),
    createdBy: row.created_by,
    lastUpdatedDtm: toDtm(row.last_updated_at),
    lastUpdatedBy: row.last_updated_by,
  };
}
