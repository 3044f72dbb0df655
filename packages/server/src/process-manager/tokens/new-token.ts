import type { api, Body } from '@grove/contract';
import type { TenantTx } from '../../db/db.ts';
import type { Environment } from '../../kernel/environment.ts';
import { newId } from '../../kernel/ids.ts';
import { fold } from '../../kernel/pages.ts';
import { creation } from '../../kernel/tracked.ts';
import { MAX_UI_URL_LENGTH } from '../settings/redirect-rules.ts';
import { findProcessSettings } from '../settings/settings.repository.ts';
import { bindDefinition } from './bind-definition.ts';
import { checkParameters, checkRedirects, ensureRedirect, hasRedirects } from './parameter-rules.ts';
import type { TokenRow } from './process-tokens.repository.ts';
import { durationOf, limitsOf } from './token-rules.ts';

export type NewToken = Body<typeof api.processTokens.create>;

export type TokenMaker = { environment: Environment; by: string; now: number; baseUrl: string };

/** The row of a new token. Ensures that the same rules hold for every creator. */
export async function newToken(tx: TenantTx, maker: TokenMaker, body: NewToken): Promise<TokenRow> {
  const { environment, by, now, baseUrl } = maker;
  const { parameters = {}, uiUrl = '' } = body;
  const id = newId(now);
  // The specification allows an empty name, but names are unique.
  const name = body.name.trim() === '' ? id : body.name;
  checkParameters(parameters, environment);
  const limits = limitsOf(body);
  const max_process_duration = durationOf(body.maxProcessDuration);
  if (uiUrl !== '' || hasRedirects(parameters)) {
    const { redirectOrigins: origins } = await findProcessSettings(tx, environment);
    const ui = { origins, ownOrigin: new URL(baseUrl).origin, maxLength: MAX_UI_URL_LENGTH };
    if (uiUrl !== '') ensureRedirect(uiUrl, '/uiUrl', ui);
    checkRedirects(parameters, origins);
  }
  return {
    id,
    environment,
    name,
    name_folded: fold(name),
    description: body.description ?? null,
    ...(await bindDefinition(tx, environment, body)),
    ui_url: uiUrl === '' ? null : uiUrl,
    status: body.status ?? 'ACTIVE',
    ...limits,
    counter: 0,
    max_process_duration,
    for_test: body.forTest === undefined ? null : Number(body.forTest),
    parameters: JSON.stringify(parameters),
    ...creation(by, now),
  };
}
