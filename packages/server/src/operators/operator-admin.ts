import { recordChange } from '../audit/audit.ts';
import type { Platform } from '../kernel/feature.ts';
import type { TenantId } from '../kernel/ids.ts';
import { lastUpdate } from '../kernel/tracked.ts';
import { OWNER } from './built-in-roles.ts';
import { inviteOperator, type Link, resetOperator } from './links.ts';
import { allOperators, changeOperator, findOperatorForUpdate, type OperatorRow } from './operators.repository.ts';
import { lockGrant } from './role-rules.ts';

/** For commands of a person with access to the data folder, who needs no permission. */
export type OperatorAdmin = {
  list(tenantId: TenantId): Promise<OperatorRow[]>;
  invite(tenantId: TenantId, invited: { name: string; email: string; role: string }): Promise<Link>;
  reset(tenantId: TenantId, operatorId: string): Promise<Link | undefined>;
  /** Grants or ends operation of the whole installation. Undefined if there is no such operator. */
  setInstallation(tenantId: TenantId, operatorId: string, isGranted: boolean): Promise<OperatorRow | undefined>;
  /** Undefined once somebody has signed in to the tenant. */
  firstOwnerLink(tenantId: TenantId): Promise<Link | undefined>;
};

const BY = 'Operator of the installation';
const FIRST_OWNER = 'First owner';

type AdminDeps = Pick<Platform, 'db' | 'clock' | 'baseUrlOf'>;

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
          ...lastUpdate(BY, now),
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
