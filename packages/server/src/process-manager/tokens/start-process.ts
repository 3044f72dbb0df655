import type { TenantTx } from '../../db/db.ts';
import { toDtm } from '../../kernel/clock.ts';
import type { ProcessRequest, StartedProcess } from '../../kernel/process-request.ts';
import { SENT_CODE_TTL_MS } from '../instances/one-time-code.ts';
import type { TellEvents } from '../instances/tell-events.ts';
import { createFromToken } from './create-from-token.ts';
import { newToken } from './new-token.ts';
import { addToken } from './process-tokens.repository.ts';

/** For features that want a process run by an end user, within a time. */
export type StartProcess = (tx: TenantTx, process: ProcessRequest) => Promise<StartedProcess>;

/**
 * A process token that is good until then, and the one instance that is made from it. The id of a token is no secret and
 * makes instances for whoever has it, so its only use is taken at once. What is said of a person is told to the instance
 * alone, which is deleted sooner. See docs/decisions/2026-11-15-process-tokens-of-pushes.md.
 */
export function processStarter(deps: { baseUrlOf(tenantId: string): string; tell: TellEvents }): StartProcess {
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
      tell: deps.tell,
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
