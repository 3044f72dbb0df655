import type { Audit } from '../audit/audit.ts';
import type { Db } from '../db/db.ts';
import type { Clock } from '../kernel/clock.ts';
import type { TenantId } from '../kernel/ids.ts';
import { consoleAccountHandlers } from './console-account.ts';
import { operatorHandlers } from './operator-handlers.ts';
import { colleagueHandlers } from './operator-names.ts';
import { roleHandlers } from './role-handlers.ts';
import { sessionReader } from './sessions.ts';

/** Operators, their roles and their sessions, put together. */
export type OperatorsDeps = {
  db: Db;
  clock: Clock;
  audit: Pick<Audit, 'record'>;
  region: string;
  secure: boolean;
  cookieName: string;
  baseUrlOf(tenantId: string): string;
  tenantName(tenantId: TenantId): Promise<string>;
  /** Refuses with 100320 if the tenant is suspended. */
  ensureActive(tenantId: TenantId): Promise<void>;
};

export function openOperators(deps: OperatorsDeps) {
  const session = sessionReader(deps);
  return {
    session,
    handlers: {
      operators: operatorHandlers(deps),
      colleagues: colleagueHandlers(),
      operatorRoles: roleHandlers(),
      consoleAccount: consoleAccountHandlers({ ...deps, session }),
    },
  };
}
