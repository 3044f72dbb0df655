import type { api, Ok } from '@grove/contract';
import { toDtm } from '../kernel/clock.ts';
import type { InstanceData } from '../process-manager/runtime/instance-data.ts';
import { assuranceOf } from './assurance-of.ts';
import { type Item, listItems } from './list-items.ts';

/** User data and checks as callers see them, in answers and in archives. */
type UserData = Ok<typeof api.userData.get>;
type Checks = Ok<typeof api.userData.listChecks>;

export function toUserData(instanceData: InstanceData, optimized: boolean): UserData {
  const items = optimized ? [] : listItems(instanceData);
  const { documents, faces, forms } = instanceData.data;
  const corrections = correctionsOf(instanceData);
  const { decision, done } = instanceData.flow;
  return {
    documents: Object.fromEntries(
      Object.entries(documents).map(([key, document]) => [
        key,
        { ...toDocument(document, imagesOf(items, 'documents', key)), ...corrections.get(key) },
      ]),
    ),
    faces: Object.fromEntries(
      Object.entries(faces).map(([key, { images: _names, ...face }]) => [
        key,
        { ...face, ...imagesOf(items, 'faces', key) },
      ]),
    ),
    forms: { ...forms },
    _checks: Object.fromEntries(Object.entries(done).map(([id, { checks: _checks, ...record }]) => [id, record])),
    ...(decision && { _decision: decision }),
    _assurance: assuranceOf(instanceData),
  };
}

/** The corrections of reviewers, by the key of the document. */
function correctionsOf({ definition, data }: InstanceData) {
  const byKey = Map.groupBy(
    data.corrections ?? [],
    ({ step }) => definition.steps.find(({ id }) => id === step)?.key as string,
  );
  return new Map(
    [...byKey].map(([key, corrections]) => [
      key,
      { corrections: corrections.map(({ step: _step, at, ...rest }) => ({ ...rest, correctedDtm: toDtm(at) })) },
    ]),
  );
}

function toDocument(document: Readonly<Record<string, unknown>>, images: UserData['documents'][string]['images']) {
  const { documentType, countryCode, biographicData, marks } = document as Partial<UserData['documents'][string]>;
  return {
    ...(documentType && { documentType }),
    ...(countryCode && { countryCode }),
    biographicData: biographicData ?? [],
    images,
    ...(marks && { marks }),
  };
}

function imagesOf(items: readonly Item[], kind: Item['kind'], key: string) {
  const own = items.filter((item) => item.kind === kind && item.key === key);
  return Object.fromEntries(own.map(({ path, image }) => [image.name, { path, contentType: image.content_type }]));
}

/** The reasons that mean that the image does not show exactly one face. */
const NO_FACE: ReadonlySet<string> = new Set(['no_face', 'several_faces']);

/** The codes by which clients of the original service know that a face cannot be used. */
function codeOf({ name, status, reason }: InstanceData['checks'][number]): { code?: number } {
  if (name !== 'faceQuality' || status !== 'FAILED') return {};
  return { code: NO_FACE.has(reason ?? '') ? 748 : 802 };
}

export function toChecks({ checks }: Pick<InstanceData, 'checks'>): Checks {
  return checks.map((check) => ({
    id: `${check.step}/${check.name}`,
    step: check.step,
    name: check.name,
    type: check.type,
    status: check.status,
    ...(check.score !== null && { score: check.score }),
    ...(check.threshold !== null && { threshold: check.threshold }),
    ...(check.reason !== null && { reason: check.reason }),
    ...codeOf(check),
    ...(check.advice !== null && { advice: check.advice }),
    attempts: check.attempts,
    dateTime: toDtm(check.at),
    ...(check.meta_data !== null && { metaData: JSON.parse(check.meta_data) as Record<string, unknown> }),
  }));
}
