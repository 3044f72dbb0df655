import { recordChange } from '../audit/audit.ts';
import type { Db } from '../db/db.ts';
import type { Clock } from '../kernel/clock.ts';
import type { TenantId } from '../kernel/ids.ts';
import { OWNER } from './built-in-roles.ts';
import { inviteOperator, type Link, resetOperator } from './links.ts';
import { allOperators, changeOperator, findOperatorForUpdate, type OperatorRow } from './operators.repository.ts';
import { lockGrant } from './role-rules.ts';

/** Commands of the person who has the data folder, and so full access anyway: no permission is needed. */
export type OperatorAdmin = {
  list(tenantId: TenantId): Promise<OperatorRow[]>;
  invite(tenantId: TenantId, invited: { name: string; email: string; role: string }): Promise<Link>;
  /** Undefined if there is no such operator. */
  reset(tenantId: TenantId, operatorId: string): Promise<Link | undefined>;
  /** Lets an operator do what concerns all tenants, or ends that. Nothing if there is no such operator. */
  setInstallation(tenantId: TenantId, operatorId: string, isGranted: boolean): Promise<OperatorRow | undefined>;
  /** A link for the first owner, as long as nobody has signed in to the tenant yet. */
  firstOwnerLink(tenantId: TenantId): Promise<Link | undefined>;
};

const BY = 'Operator of the installation';
const FIRST_OWNER = 'First owner';

type AdminDeps = { db: Db; clock: Clock; baseUrlOf(tenantId: string): string };

export function operatorAdmin({ db, clock, baseUrlOf }: AdminDeps): OperatorAdmin {
  const maker = (tenantId: TenantId) => ({ by: BY, now: clock.now(), baseUrl: baseUrlOf(tenantId) });
  const auditFields = ({ id, name }: OperatorRow, at: number) => ({
    environment: 'live' as const,
    actor: BY,
    at,
    item: id,
    details: { id, name },
  });

  const invite: OperatorAdmin['invite'] = (tenantId, invited) =>
    db.of(tenantId).write(async (tx) => {
      await lockGrant(tx, invited.role);
      const link = await inviteOperator(tx, invited, maker(tenantId));
      await recordChange(tx, { ...auditFields(link.operator, clock.now()), action: 'operator.invited' });
      return link;
    });

  const reset: OperatorAdmin['reset'] = (tenantId, operatorId) =>
    db.of(tenantId).write(async (tx) => {
      const row = await findOperatorForUpdate(tx, { id: operatorId });
      if (!row) return undefined;
      const link = await resetOperator(tx, row, maker(tenantId));
      await recordChange(tx, { ...auditFields(link.operator, clock.now()), action: 'operator.reset' });
      return link;
    });

  return {
    list: (tenantId) => allOperators(db.of(tenantId)),
    invite,
    reset,
    setInstallation: (tenantId, operatorId, isGranted) =>
      db.of(tenantId).write(async (tx) => {
        const before = await findOperatorForUpdate(tx, { id: operatorId });
        if (!before) return undefined;
        const now = clock.now();
        const row = {
          ...before,
          of_installation: isGranted ? 1 : 0,
          last_updated_at: now,
          last_updated_by: BY,
        } as const;
        await changeOperator(tx, row);
        const action = isGranted ? 'operator.installationGranted' : 'operator.installationEnded';
        await recordChange(tx, { ...auditFields(row, now), action });
        return row;
      }),
    async firstOwnerLink(tenantId) {
      const operators = await allOperators(db.of(tenantId));
      if (operators.some(({ status }) => status !== 'INVITED')) return undefined;
      const waiting = operators.find(({ role, email }) => role === OWNER && email === '');
      if (waiting) return reset(tenantId, waiting.id);
      return operators.length > 0 ? undefined : invite(tenantId, { name: FIRST_OWNER, email: '', role: OWNER });
    },
  };
}
