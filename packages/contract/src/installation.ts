import { get, group, post } from './operation.ts';
import { likeFilter, page, pageQuery } from './page.ts';
import { DateTime, Empty, listOf, nameText, oneOf, text, withTitle } from './schema.ts';
import { Type } from './type.ts';

/**
 * What operators of the installation do for all tenants. In addition to the permission of the role, each operation needs a
 * grant that only `grove operator installation` on the server gives. No API key may call any of them. All of it is ours.
 */

export const MAX_QUEUES_LISTED = 1000;

const TenantId = text(3, 40, 'A lower-case letter, then letters, digits or hyphens');

const Tenant = withTitle(
  'Tenant',
  Type.Object({
    id: Type.String(),
    name: Type.String(),
    status: {
      ...oneOf('ACTIVE', 'SUSPENDED', 'DELETING'),
      description: 'Nobody can use a SUSPENDED tenant; a DELETING tenant is being deleted',
    },
    createdDtm: DateTime,
  }),
);

const TenantInput = withTitle(
  'TenantInput',
  Type.Object({ id: TenantId, name: Type.Optional(nameText(1, 100, 'The name that end users see; default: the id')) }),
);

const TenantCreated = withTitle(
  'TenantCreated',
  Type.Object({
    tenant: Tenant,
    apiKey: Type.String({ description: 'A first API key that may do everything; shown in this response only' }),
    ownerUrl: Type.String({ description: 'The link for the first owner; it works once' }),
    expiringDtm: Type.String({ ...DateTime, description: 'When the link expires' }),
  }),
);

const Queue = withTitle(
  'InstallationQueue',
  Type.Object({
    kind: Type.String({ description: 'What the jobs do' }),
    state: { ...oneOf('READY', 'DEAD'), description: 'DEAD: failed after too many attempts' },
    count: Type.Integer(),
    oldestDtm: Type.String({ ...DateTime, description: 'When the oldest became due, or dead' }),
  }),
);

const DeadJob = withTitle(
  'InstallationDeadJob',
  Type.Object({
    id: Type.String(),
    tenantId: Type.Optional(Type.String()),
    kind: Type.String(),
    attempts: Type.Integer(),
    error: Type.Optional(Type.String({ description: 'Why the last attempt failed' })),
    deadDtm: DateTime,
  }),
);

const notGranted = [100352] as const;
const oneTenant = [...notGranted, 100353, 100354] as const;

export const installation = group('/api/installation-manager', {
  listTenants: get('/tenants', {
    summary: 'List the tenants of the installation',
    permission: 'InstallationManager:listTenants',
    query: pageQuery({ name: likeFilter('tenants whose id or name') }),
    ok: page(Tenant),
    codes: notGranted,
  }),
  createTenant: post('/tenants', {
    summary: 'Create a tenant, with a link for its first owner',
    permission: 'InstallationManager:createTenant',
    destructive: true,
    audit: 'tenant.created',
    body: TenantInput,
    ok: TenantCreated,
    status: 201,
    codes: [...notGranted, 100014],
  }),
  suspendTenant: post('/tenants/{tenantId}/suspend', {
    summary: 'Suspend a tenant: nobody can use it until it is resumed',
    permission: 'InstallationManager:suspendTenant',
    destructive: true,
    audit: 'tenant.suspended',
    body: Empty,
    ok: Tenant,
    codes: oneTenant,
  }),
  resumeTenant: post('/tenants/{tenantId}/resume', {
    summary: 'Resume a suspended tenant',
    permission: 'InstallationManager:resumeTenant',
    destructive: true,
    audit: 'tenant.resumed',
    body: Empty,
    ok: Tenant,
    codes: oneTenant,
  }),
  getQueues: get('/queues', {
    summary: 'Get the waiting and the failed jobs',
    permission: 'InstallationManager:getQueues',
    ok: withTitle(
      'InstallationQueues',
      Type.Object({
        version: Type.String({ description: 'The version of Grove' }),
        queues: listOf(Queue, MAX_QUEUES_LISTED, 'By kind and state'),
        deadJobs: listOf(DeadJob, 100, 'The newest failed jobs'),
      }),
    ),
    codes: notGranted,
  }),
  retryJob: post('/jobs/{jobId}/retry', {
    summary: 'Retry a failed job',
    permission: 'InstallationManager:retryJob',
    audit: 'job.retried',
    body: Empty,
    status: 204,
    codes: [...notGranted, 100355],
  }),
});
