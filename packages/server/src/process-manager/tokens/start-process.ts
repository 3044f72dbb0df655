import type { TenantTx } from '../../db/db.ts';
import { toDtm } from '../../kernel/clock.ts';
import type { ProcessRequest, StartedProcess } from '../../kernel/process-request.ts';
import type { NotifyEvents } from '../instances/notify-events.ts';
import { SENT_CODE_TTL_MS } from '../instances/one-time-code.ts';
import { createFromToken } from './create-from-token.ts';
import { newToken } from './new-token.ts';
import { addToken } from './process-tokens.repository.ts';

/** Starts a process for another feature. */
export type StartProcess = (tx: TenantTx, process: ProcessRequest) => Promise<StartedProcess>;

/**
 * Creates a process token that is valid until then, and its only instance. The id of a token is not a secret and creates
 * instances for everybody who has it, so its only use is taken at once. Personal data is stored only in the instance, which
 * is deleted sooner. See docs/decisions/2026-11-15-process-tokens-of-pushes.md.
 */
type StarterDeps = { baseUrlOf(tenantId: string): string; notifyEvents: NotifyEvents };

export function processStarter(deps: StarterDeps): StartProcess {
  return async (tx, { environment, parameters = {}, name, madeFor, by, notAfterAt, now, ...definition }) => {
    const baseUrl = deps.baseUrlOf(tx.tenantId);
    const notAfterDtm = toDtm(notAfterAt);
    const limits = { type: 'MULTI_USE_TIME_LIMITED', notAfterDtm, maxCount: 1 } as const;
    const token = await newToken(tx, { environment, by, now, baseUrl }, { ...definition, name, ...limits });
    await addToken(tx, { ...token, made_for: madeFor });
    const overrides = { parameters, notAfterDtm };
    const from = {
      tokenId: token.id,
      environment,
      overrides,
      now,
      baseUrl,
      codeTtlMs: SENT_CODE_TTL_MS,
      notifyEvents: deps.notifyEvents,
    };
    const { row, redirectUrl } = await createFromToken(tx, from);
    return {
      processInstanceId: row.id,
      processTokenId: token.id,
      processDefnName: row.process_defn_name,
      processDefnVersion: row.process_defn_version,
      redirectUrl,
    };
  };
}
