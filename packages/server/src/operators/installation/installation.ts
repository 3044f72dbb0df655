import { api } from '@grove/contract';
import type { JobOperations } from '../../jobs/operate.ts';
import { actor } from '../../kernel/actor.ts';
import { toDtm } from '../../kernel/clock.ts';
import type { Context } from '../../kernel/context.ts';
import { ApiError, invalidInput } from '../../kernel/errors.ts';
import { isTenantId } from '../../kernel/ids.ts';
import { implement, prepared } from '../../kernel/implement.ts';
import { likePattern, paging, toPage } from '../../kernel/pages.ts';
import type { Tenants } from '../../tenants/tenants.ts';
import type { OperatorAdmin } from '../operator-admin.ts';

/** Operations of the installation's operators on all tenants. Jobs are shown without payloads. */
export type InstallationDeps = {
  versions: { grove: string };
  tenants: Pick<Tenants, 'create' | 'find' | 'search' | 'suspend' | 'resume'>;
  admin: Pick<OperatorAdmin, 'firstOwnerLink'>;
  jobs: Pick<JobOperations, 'counts' | 'listDead' | 'retryDead'>;
};
type TenantRow = NonNullable<Awaited<ReturnType<Tenants['find']>>>;
type DeadJobRow = Awaited<ReturnType<JobOperations['listDead']>>[number];

const DEAD_LISTED = 100;
const MAX_ERROR_LENGTH = 500;
const SORTABLE = { id: 'id' } as const;

export function installationHandlers({ versions, tenants, admin, jobs }: InstallationDeps) {
  const change = async (context: Context, tenantId: string, act: 'suspend' | 'resume') => {
    ensureOfInstallation(context);
    const tenant = await tenants.find(tenantId);
    if (!tenant) throw new ApiError(100353);
    // Nobody may suspend the own tenant: it could not be resumed here.
    if (tenant.status === 'DELETING' || tenantId === context.tenantId) throw new ApiError(100354);
    return toTenant(await tenants[act](tenantId, actor(context.principal)));
  };

  const create = async (context: Context, { id, name = id }: { id: string; name?: string }) => {
    ensureOfInstallation(context);
    if (!isTenantId(id)) {
      throw invalidInput({ pointer: '/id', message: 'must be a lower-case letter, then letters, digits or hyphens' });
    }
    if (await tenants.find(id)) throw new ApiError(100014, { detail: `the tenant ${id} already exists` });
    const { tenantId, apiKey } = await tenants.create({ id, name });
    const link = await admin.firstOwnerLink(tenantId);
    const tenant = await tenants.find(id);
    if (!link || !tenant) throw new Error(`the tenant ${id} that was made is not there`);
    return { tenant: toTenant(tenant), apiKey, ownerUrl: link.url, expiringDtm: toDtm(link.expiresAt) };
  };

  return implement(api.installation, {
    async listTenants(context, { query }) {
      ensureOfInstallation(context);
      const page = paging(query, SORTABLE);
      const pattern = likePattern(query.name, '/query/name') ?? '%';
      const { rows, total } = await tenants.search(pattern, page);
      return toPage(rows.map(toTenant), total, page);
    },

    // Another tenant is changed in a transaction of its own, before this tenant's audit trail records it.
    createTenant: prepared(
      (context, { body }) => create(context, body),
      async (_context, _input, created) => created,
    ),
    suspendTenant: prepared(
      (context, { params }) => change(context, params.tenantId, 'suspend'),
      async (_context, _input, tenant) => tenant,
    ),
    resumeTenant: prepared(
      (context, { params }) => change(context, params.tenantId, 'resume'),
      async (_context, _input, tenant) => tenant,
    ),

    async getQueues(context) {
      ensureOfInstallation(context);
      const [counts, dead] = await Promise.all([jobs.counts(), jobs.listDead({ limit: DEAD_LISTED })]);
      return {
        version: versions.grove,
        queues: counts.map(({ kind, state, count, oldest_run_at }) => ({
          kind,
          state,
          count,
          oldestDtm: toDtm(oldest_run_at),
        })),
        deadJobs: dead.map(toDeadJob),
      };
    },

    retryJob: prepared(
      async (context, { params }) => {
        ensureOfInstallation(context);
        if (!(await jobs.retryDead(params.jobId))) throw new ApiError(100355);
      },
      async () => undefined,
    ),
  });
}

/** Ensures that the caller is an operator of the installation, which only a command on the server can grant. */
function ensureOfInstallation({ principal }: Context): void {
  if (principal.operator?.ofInstallation !== true) throw new ApiError(100352);
}

function toTenant({ id, name, status, created_at }: TenantRow) {
  return { id, name, status, createdDtm: toDtm(created_at) };
}

function toDeadJob({ id, owner_tenant_id, kind, attempts, last_error, run_at }: DeadJobRow) {
  return {
    id,
    kind,
    attempts,
    deadDtm: toDtm(run_at),
    ...(owner_tenant_id !== null && { tenantId: owner_tenant_id }),
    ...(last_error !== null && { error: last_error.slice(0, MAX_ERROR_LENGTH) }),
  };
}
