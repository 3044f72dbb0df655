import type { api, Body } from '@grove/contract';
import type { TenantTx } from '../../db/db.ts';
import { toDtm } from '../../kernel/clock.ts';
import { invalidInput } from '../../kernel/errors.ts';
import { fold } from '../../kernel/pages.ts';
import { lastUpdate } from '../../kernel/tracked.ts';
import { MAX_UI_URL_LENGTH } from '../settings/redirect-rules.ts';
import { findProcessSettings } from '../settings/settings.repository.ts';
import type { TokenMaker } from './new-token.ts';
import { checkParameters, checkRedirects, ensureRedirect, hasRedirects } from './parameter-rules.ts';
import type { TokenRow } from './process-tokens.repository.ts';
import { durationOf, limitsOf } from './token-rules.ts';

type Change = Body<typeof api.processTokens.update>;

/** The row after a change, by the rules for new tokens. Absent members stay. */
export async function applyChange(tx: TenantTx, maker: TokenMaker, row: TokenRow, change: Change): Promise<TokenRow> {
  ensureSameDefinition(row, change);
  const { environment, baseUrl } = maker;
  const limits = limitsOf({ ...givenLimits(row), ...change });
  if (change.parameters) checkParameters(change.parameters, environment);
  if (change.uiUrl || (change.parameters && hasRedirects(change.parameters))) {
    const { redirectOrigins: origins } = await findProcessSettings(tx, environment);
    const ui = { origins, ownOrigin: new URL(baseUrl).origin, maxLength: MAX_UI_URL_LENGTH };
    if (change.uiUrl) ensureRedirect(change.uiUrl, '/uiUrl', ui);
    checkRedirects(change.parameters ?? {}, origins);
  }
  const name = change.name?.trim() === '' ? row.id : (change.name ?? row.name);
  return {
    ...row,
    ...limits,
    name,
    name_folded: fold(name),
    description: change.description ?? row.description,
    ui_url: change.uiUrl === undefined ? row.ui_url : change.uiUrl || null,
    status: change.status ?? row.status,
    max_process_duration: durationOf(change.maxProcessDuration ?? row.max_process_duration),
    for_test: change.forTest === undefined ? row.for_test : Number(change.forTest),
    parameters: change.parameters ? JSON.stringify(change.parameters) : row.parameters,
    ...lastUpdate(maker.by, maker.now),
  };
}

function givenLimits({ type, max_count, not_before_at, not_after_at }: TokenRow) {
  return {
    type,
    ...(max_count !== null && { maxCount: max_count }),
    ...(not_before_at !== null && { notBeforeDtm: toDtm(not_before_at) }),
    ...(not_after_at !== null && { notAfterDtm: toDtm(not_after_at) }),
  };
}

/** Ensures that all instances of a token have the same definition or tag. */
function ensureSameDefinition(row: TokenRow, change: Change): void {
  const { processDefnName: name, processDefnVersion: version, processDefnTag: tag } = change;
  const pointer =
    name !== undefined && name !== row.process_defn_name
      ? '/processDefnName'
      : version !== undefined && Number(version) !== row.process_defn_version
        ? '/processDefnVersion'
        : tag !== undefined && tag !== row.process_defn_tag
          ? '/processDefnTag'
          : undefined;
  if (pointer) throw invalidInput({ pointer, message: 'cannot be changed; create another token' });
}
