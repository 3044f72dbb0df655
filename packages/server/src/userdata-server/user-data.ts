import { api, type Ok } from '@grove/contract';
import { file } from '../kernel/answers.ts';
import { toDtm } from '../kernel/clock.ts';
import type { Context } from '../kernel/context.ts';
import { ApiError } from '../kernel/errors.ts';
import { implement } from '../kernel/implement.ts';
import type { InstanceData, ReadInstanceData } from '../process-manager/instances/instance-data.ts';
import { type Item, listItems } from './list-items.ts';

/** What the end user gave and what was found out about it (specification 4.9). */
type UserData = Ok<typeof api.userData.get>;
type Ids = { processDefnId: string; processInstanceId: string };

export function userDataHandlers({ find, image }: ReadInstanceData) {
  const read = async ({ db, principal }: Context, { processDefnId, processInstanceId }: Ids): Promise<InstanceData> => {
    const wanted = { definitionId: processDefnId, instanceId: processInstanceId, environment: principal.environment };
    const found = await find(db, wanted);
    if (!found) throw new ApiError(100022);
    return found;
  };

  const { archive: _planned, ...served } = api.userData;
  return implement(served, {
    async get(context, { params, query }) {
      return toUserData(await read(context, params), query.optimized === true);
    },

    async getItem(context, { params, query }) {
      const item = listItems(await read(context, params)).find(({ path }) => path === query.path);
      if (!item) throw new ApiError(100026);
      const bytes = await image(context.db, item.image);
      const { content_type: contentType } = item.image;
      if (wantsImage(context.accept)) return file(contentType, bytes, ATTACHED);
      return { contentType, data: bytes.toString('base64') };
    },

    async listChecks(context, { params }) {
      const { checks } = await read(context, params);
      return checks.map((check) => ({
        id: `${check.step}/${check.name}`,
        step: check.step,
        name: check.name,
        type: check.type,
        status: check.status,
        ...(check.score !== null && { score: check.score }),
        ...(check.threshold !== null && { threshold: check.threshold }),
        ...(check.reason !== null && { reason: check.reason }),
        ...(check.advice !== null && { advice: check.advice }),
        attempts: check.attempts,
        dateTime: toDtm(check.at),
        ...(check.meta_data !== null && { metaData: JSON.parse(check.meta_data) as Record<string, unknown> }),
      }));
    },
  });
}

/** What an end user uploaded is shown by no browser as a page of ours. */
const ATTACHED = { 'content-disposition': 'attachment', 'content-security-policy': 'sandbox' };

function wantsImage(accept: string | undefined): boolean {
  return accept !== undefined && /(^|,)\s*image\//.test(accept) && !/application\/json/.test(accept);
}

function toUserData(found: InstanceData, optimized: boolean): UserData {
  const items = optimized ? [] : listItems(found);
  const { documents, faces, forms } = found.data;
  const { decision, done } = found.flow;
  return {
    documents: Object.fromEntries(
      Object.entries(documents).map(([key, document]) => [
        key,
        toDocument(document, imagesOf(items, 'documents', key)),
      ]),
    ),
    faces: Object.fromEntries(
      Object.entries(faces).map(([key, { images: _names, ...face }]) => [
        key,
        { ...face, ...imagesOf(items, 'faces', key) },
      ]),
    ),
    forms: { ...forms },
    _checks: { ...done },
    ...(decision && { _decision: decision }),
  };
}

function toDocument(document: Readonly<Record<string, unknown>>, images: UserData['documents'][string]['images']) {
  const { documentType, countryCode, biographicData } = document as Partial<UserData['documents'][string]>;
  return {
    ...(documentType && { documentType }),
    ...(countryCode && { countryCode }),
    biographicData: biographicData ?? [],
    images,
  };
}

function imagesOf(items: readonly Item[], kind: Item['kind'], key: string) {
  const own = items.filter((item) => item.kind === kind && item.key === key);
  return Object.fromEntries(own.map(({ path, image }) => [image.name, { path, contentType: image.content_type }]));
}
