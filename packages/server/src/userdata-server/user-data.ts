import { api } from '@grove/contract';
import type { Audit, AuditedRead } from '../audit/audit.ts';
import { stream } from '../kernel/answers.ts';
import { SECOND, toDtm } from '../kernel/clock.ts';
import type { Context } from '../kernel/context.ts';
import { ApiError } from '../kernel/errors.ts';
import type { Platform } from '../kernel/feature.ts';
import { implement } from '../kernel/implement.ts';
import { type MayStillCall, stillAllowed } from '../kernel/still-allowed.ts';
import type { InstanceData, ReadInstanceData } from '../process-manager/runtime/instance-data.ts';
import type { ArchiveDeps } from './archive-instance.ts';
import { archiveInstance } from './archive-instance.ts';
import { assuranceOf } from './assurance-of.ts';
import { listItems } from './list-items.ts';
import { toChecks, toUserData } from './show-user-data.ts';
import { writeItem } from './write-item.ts';

/** The data of the end user and the results of its checks (specification 4.9). Every read is an audit event. */
export type UserDataDeps = ReadInstanceData &
  ArchiveDeps &
  Pick<Platform, 'baseUrlOf'> & { audit: Pick<Audit, 'noteRead'>; mayStillCall: MayStillCall };

/** The reads that a redacted instance still allows. */
const OF_VERDICT: ReadonlySet<AuditedRead['action']> = new Set(['userData.checksRead', 'userData.resultSigned']);

type Ids = { processDefnId: string; processInstanceId: string };

export function userDataHandlers(deps: UserDataDeps) {
  const { find, imageStream, audit, sign, baseUrlOf } = deps;
  const readData = async (
    context: Context,
    { processDefnId, processInstanceId }: Ids,
    what: Omit<AuditedRead, 'instanceId'>,
  ): Promise<InstanceData> => {
    const { environment } = context.principal;
    const data = await find(context.db, { definitionId: processDefnId, instanceId: processInstanceId, environment });
    if (!data) throw new ApiError(100022);
    if (data.instance.redacted_at !== null && !OF_VERDICT.has(what.action)) throw new ApiError(100364);
    audit.noteRead(context, { ...what, instanceId: processInstanceId });
    return data;
  };

  return implement(api.userData, {
    async get(context, { params, query }) {
      return toUserData(await readData(context, params, { action: 'userData.read' }), query.optimized === true);
    },

    async getItem(context, { params, query }) {
      const data = await readData(context, params, { action: 'userData.itemRead', item: itemOf(query.path) });
      const item = listItems(data).find(({ path }) => path === query.path);
      if (!item) throw new ApiError(100026);
      const { content_type: contentType, bytes } = item.image;
      const image = await imageStream(context.db, item.image);
      if (wantsImage(context.accept)) {
        return stream(contentType, image, { ...ATTACHED, 'content-length': String(bytes) });
      }
      const { json, length } = writeItem(contentType, image, bytes);
      return stream('application/json; charset=utf-8', json, { 'content-length': String(length) });
    },

    async listChecks(context, { params }) {
      return toChecks(await readData(context, params, { action: 'userData.checksRead' }));
    },

    async archive(context, { params }) {
      const data = await readData(context, params, { action: 'userData.archived' });
      const ensureAllowed = stillAllowed(deps.mayStillCall, context, [api.userData.archive.permission]);
      const archive = archiveInstance(deps, context.db, { data, now: context.now, ensureAllowed });
      const name = `${data.instance.id}.zip`;
      return stream('application/zip', archive, {
        ...ATTACHED,
        'content-disposition': `attachment; filename="${name}"`,
        'x-expected-bytes': String(imageBytes(data)),
      });
    },

    async signResult(context, { params }) {
      const { tenantId, now } = context;
      const data = await readData(context, params, { action: 'userData.resultSigned' });
      const claims = resultClaims(data, { issuer: baseUrlOf(tenantId), tenantId, now });
      const { jws, kid } = await sign.claims('grove-result+jwt', claims);
      return { jws, kid, expiringDtm: toDtm(data.instance.expiring_at) };
    },
  });
}

/** Estimates the size of an archive, which is streamed: nearly all of it are images, which it does not compress. */
const imageBytes = ({ images }: InstanceData) => images.reduce((sum, { bytes }) => sum + bytes, 0);

/** Ensures that no browser shows an uploaded file as a page of this server. */
const ATTACHED = { 'content-disposition': 'attachment', 'content-security-policy': 'sandbox' };

function wantsImage(accept: string | undefined): boolean {
  return accept !== undefined && /(^|,)\s*image\//.test(accept) && !/application\/json/.test(accept);
}

const ITEM_PATH = /^[A-Za-z0-9/_.-]{1,200}$/;

/** A caller can write anything into a path, personal data too, so an unusual path is not recorded in the audit trail. */
function itemOf(path: string): string {
  return ITEM_PATH.test(path) ? path : '?';
}

type Issued = { issuer: string; tenantId: string; now: number };

/** What a signed result says: how it ended and what the checks found, and nothing of the person. */
function resultClaims(data: InstanceData, { issuer, tenantId, now }: Issued) {
  const { instance, flow, checks } = data;
  return {
    iss: issuer,
    aud: tenantId,
    sub: instance.id,
    iat: Math.floor(now / SECOND),
    processDefnId: instance.definition_id,
    processDefnName: instance.process_defn_name,
    processDefnVersion: instance.process_defn_version,
    environment: instance.environment,
    status: instance.status,
    ...(flow.decision && { decision: flow.decision }),
    ...(instance.completed_at !== null && { completedDtm: toDtm(instance.completed_at) }),
    checks: checks.map(({ step, name, status, reason }) => ({
      step,
      name,
      status,
      ...(reason !== null && { reason }),
    })),
    assurance: assuranceOf(data),
  };
}
