import type { TenantTx } from '../../db/db.ts';
import { ApiError } from '../../kernel/errors.ts';
import { findDefinition, findTagged } from '../definitions/definitions.repository.ts';
import { findProcessSettings } from '../settings/settings.repository.ts';
import { bindDefinition } from '../tokens/bind-definition.ts';
import { checkParameters, checkRedirects, hasRedirects, type Parameters } from '../tokens/parameter-rules.ts';
import { createInstance } from './create-instance.ts';
import { redirectAddress } from './journey-addresses.ts';
import type { TellEvents } from './tell-events.ts';

/** For features that want a process run by an end user, within a time. */
export type StartProcess = (tx: TenantTx, asked: AskedProcess) => Promise<StartedProcess>;

export type AskedProcess = {
  environment: 'live' | 'test';
  processDefnName?: string | undefined;
  processDefnVersion?: number | string | undefined;
  processDefnTag?: string | undefined;
  parameters?: Parameters | undefined;
  notAfterAt: number;
  now: number;
};

export type StartedProcess = {
  processInstanceId: string;
  processDefnName: string;
  processDefnVersion: number;
  /** Good once, and only for a while: whoever opens it is the end user. */
  redirectUrl: string;
};

/**
 * An instance of its own without a process token: tokens are kept for ever and a tenant can hold only so many, and the
 * time that one would limit is that of the instance.
 */
export function processStarter(deps: { baseUrlOf(tenantId: string): string; tell: TellEvents }): StartProcess {
  return async (tx, { environment, parameters = {}, notAfterAt, now, ...asked }) => {
    checkParameters(parameters, environment);
    if (hasRedirects(parameters)) checkRedirects(parameters, (await findProcessSettings(tx)).redirectOrigins);
    const { definition_id: id, process_defn_tag: tag } = await bindDefinition(tx, asked);
    const definition = id === null ? await findTagged(tx, tag ?? '') : await findDefinition(tx, id);
    if (definition?.status !== 'DEPLOYED_ACTIVE') throw new ApiError(100047);
    const made = { definition, environment, parameters, overrides: { notAfterAt }, now, tell: deps.tell };
    const { row, code } = await createInstance(tx, made);
    if (code === undefined) throw new Error('an instance that is nobody’s child has a code');
    return {
      ...{ processInstanceId: row.id, processDefnName: definition.name, processDefnVersion: definition.version },
      redirectUrl: redirectAddress(row.ui_url, deps.baseUrlOf(tx.tenantId), row.id, code),
    };
  };
}
