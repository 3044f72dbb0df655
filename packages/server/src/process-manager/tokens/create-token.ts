import type { Db } from '../../db/db.ts';
import type { Clock } from '../../kernel/clock.ts';
import { asTenantId } from '../../kernel/ids.ts';
import { permissionSet } from '../../kernel/permissions.ts';
import type { processTokenHandlers } from './process-tokens.ts';

type Handlers = Pick<ReturnType<typeof processTokenHandlers>, 'create'>;
type NewToken = Parameters<Handlers['create']>[1]['body'];

/** Creates a process token in the name of Grove, by the same rules as for callers. */
export function tokenCreator({ create }: Handlers, db: Db, clock: Clock) {
  return async (tenant: string, environment: 'live' | 'test', body: NewToken): Promise<string> => {
    const tenantId = asTenantId(tenant);
    const principal = {
      tenantId,
      environment,
      callerId: '',
      callerName: 'Demonstration',
      permissions: permissionSet(tenantId, []),
    };
    const ofServer = { requestId: '', address: '', accept: undefined };
    const context = { tenantId, principal, db: db.of(tenantId), now: clock.now(), ...ofServer };
    return (await create(context, { params: {}, query: {}, body } as never)).id;
  };
}
