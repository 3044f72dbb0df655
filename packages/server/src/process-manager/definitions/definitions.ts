import { api } from '@grove/contract';
import type { TenantTx } from '../../db/db.ts';
import { actor } from '../../kernel/actor.ts';
import { toDtm } from '../../kernel/clock.ts';
import type { Context } from '../../kernel/context.ts';
import { ensurePermission, USE_CLOUD_SECRET } from '../../kernel/ensure-permission.ts';
import { ensureUnchanged } from '../../kernel/ensure-unchanged.ts';
import { isSeenFrom } from '../../kernel/environment.ts';
import { ApiError, type FieldFault } from '../../kernel/errors.ts';
import { bindDeps, type Input, implement } from '../../kernel/implement.ts';
import { mapInSlices } from '../../kernel/in-slices.ts';
import { likePattern, paging, toPage } from '../../kernel/pages.ts';
import { trackedView, updateOf } from '../../kernel/tracked.ts';
import { tryCondition } from '../engine/conditions.ts';
import type { Definition } from '../engine/definition.ts';
import { type CheckResult, checkDefinition, deploymentFaults } from './check-definition.ts';
import {
  changeDefinition,
  type DefinitionRow,
  type DefinitionView,
  findDefinition,
  pageDefinitions,
  removeDefinition,
  SORTABLE,
  setStatus,
} from './definitions.repository.ts';
import { type Exists, lookupIn } from './lookup.ts';
import { columnsOf, ownDefinition, storeNewVersion } from './store-version.ts';
import { tagsByDefinition, tagsOf } from './tags.repository.ts';
import { tagHandlers } from './tags.ts';

/** Management of process definitions. A version can be edited until it is deployed. */
export type DefinitionsDeps = {
  /** Finds objects of other folders to which definitions refer. */
  exists?: Exists;
};

type InputOf<Name extends keyof typeof api.processDefinitions> = Input<(typeof api.processDefinitions)[Name]>;

export function definitionHandlers(deps: DefinitionsDeps = {}) {
  return implement(api.processDefinitions, {
    ...bindDeps(deps, { validate, deploy }),
    tryCondition: async ({ now }, { body }) => tryCondition(body.condition, body.values ?? {}, now),
    list,
    get,
    create,
    update,
    archive,
    delete: remove,
    ...tagHandlers(),
  });
}

async function list(context: Context, { query }: InputOf<'list'>) {
  const page = paging(query, SORTABLE);
  const { environment } = context.principal;
  const pattern = likePattern(query.name, '/query/name');
  const filter = { environment, only: query.environment, pattern, status: query.status };
  const { rows, total } = await pageDefinitions(context.db, filter, page);
  const tags = await tagsByDefinition(context.db, environment);
  const content = await mapInSlices(context.db, rows, (row) => view(context, row, tags.get(row.id) ?? []));
  return toPage(content, total, page);
}

async function get(context: Context, { params }: InputOf<'get'>) {
  const row = await findDefinition(context.db, { id: params.processDefinitionId });
  const { environment } = context.principal;
  if (!row || !isSeenFrom(environment, row)) throw new ApiError(100023);
  return viewWithDocument(context, row, await tagsOf(context.db, environment, row.id));
}

async function validate({ exists }: DefinitionsDeps, context: Context, { body }: InputOf<'validate'>) {
  const checked = checkDefinition(withoutNulls(body));
  const faults = await deploymentFaults(checked, lookupIn(context.db, context.principal.environment, exists));
  return { valid: faults.length === 0, faults, missingLanguages: [...checked.missingLanguages] };
}

async function create(context: Context, { body }: InputOf<'create'>) {
  const checked = checkDefinition(body);
  const definition = soundDefinition(checked);
  ensureMayName(context, checked);
  const row = await context.db.write((tx) =>
    storeNewVersion(tx, definition, {
      environment: context.principal.environment,
      now: context.now,
      by: actor(context.principal),
    }),
  );
  return viewWithDocument(context, row, []);
}

async function update(context: Context, { params, query, body }: InputOf<'update'>) {
  const checked = checkDefinition(body);
  const changed = await context.db.write(async (tx) => {
    const before = await ownDraft(tx, context, { id: params.processDefinitionId, query });
    const definition = soundDefinition(checked, renameFaults(checked, before));
    ensureMayName(context, checked);
    const after = { ...before, ...columnsOf(definition), ...updateOf(context) };
    await changeDefinition(tx, after);
    return after;
  });
  return viewWithDocument(context, changed, []);
}

async function deploy({ exists }: DefinitionsDeps, context: Context, { params }: InputOf<'deploy'>) {
  return context.db.write(async (tx) => {
    const before = await ownDefinition(tx, context.principal.environment, params.processDefinitionId);
    if (before.status === 'ARCHIVED') throw unchangeable(before);
    const after =
      before.status === 'DEPLOYED_ACTIVE'
        ? before
        : { ...before, status: 'DEPLOYED_ACTIVE' as const, deployed_at: context.now, ...updateOf(context) };
    if (after !== before) {
      const checked = checkDefinition(JSON.parse(before.document));
      ensureMayName(context, checked);
      ensureNone(await deploymentFaults(checked, lookupIn(tx, after.environment, exists)));
      await setStatus(tx, after);
    }
    return view(context, after, await tagsOf(tx, after.environment, after.id));
  });
}

async function archive(context: Context, { params }: InputOf<'archive'>) {
  return context.db.write(async (tx) => {
    const before = await ownDefinition(tx, context.principal.environment, params.processDefinitionId);
    const tags = await tagsOf(tx, before.environment, before.id);
    if (tags.length > 0) {
      const names = tags.map((tag) => JSON.stringify(tag)).join(', ');
      throw new ApiError(100049, { detail: `it has the tags ${names}: move them to another version first` });
    }
    if (before.status === 'ARCHIVED') return view(context, before, tags);
    const after = { ...before, status: 'ARCHIVED' as const, ...updateOf(context) };
    await setStatus(tx, after);
    return view(context, after, tags);
  });
}

async function remove(context: Context, { params }: InputOf<'delete'>) {
  await context.db.write(async (tx) => {
    const row = await ownDefinition(tx, context.principal.environment, params.processDefinitionId);
    if (row.deployed_at !== null) throw unchangeable(row);
    await removeDefinition(tx, { id: row.id });
  });
  return undefined;
}

/** Ensures that a caller whose definition sends a cloud secret may use it. */
function ensureMayName({ principal }: Context, { references }: CheckResult): void {
  if (!references.some(({ kind }) => kind === 'secret')) return;
  ensurePermission(principal, USE_CLOUD_SECRET, 'a step that sends a cloud secret');
}

/** `null` for an optional member means that it is absent, as in every body. */
function withoutNulls(document: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(document).filter(([, value]) => value !== null));
}

function soundDefinition({ definition, faults }: CheckResult, more: readonly FieldFault[] = []): Definition {
  ensureNone([...more, ...faults]);
  if (!definition) throw new Error('a document without faults is a definition');
  return definition;
}

function renameFaults({ name }: CheckResult, before: DefinitionRow): FieldFault[] {
  if (name === before.name) return [];
  return [{ pointer: '/name', message: `must stay ${before.name}: a version cannot get another name` }];
}

function ensureNone(faults: readonly FieldFault[]): void {
  const [first] = faults;
  if (first) throw new ApiError(100048, { errors: [...faults], detail: `${first.pointer} ${first.message}` });
}

type Draft = { id: string; query: { ifLastUpdatedDtm?: string } };

/** Ensures that the version can be changed, and did not change since the caller read it. */
async function ownDraft(tx: TenantTx, { principal }: Context, { id, query }: Draft): Promise<DefinitionRow> {
  const row = await ownDefinition(tx, principal.environment, id);
  if (row.status !== 'EDITABLE') throw unchangeable(row);
  ensureUnchanged(query, row);
  return row;
}

function unchangeable({ status }: DefinitionRow): ApiError {
  const was = status === 'ARCHIVED' ? 'it is archived' : 'it was deployed';
  return new ApiError(100049, { detail: `${was}; create a new version instead` });
}

function view({ tenantId }: Context, row: DefinitionView, tags: string[]) {
  return {
    id: row.id,
    tenantId,
    environment: row.environment,
    name: row.name,
    version: row.version,
    status: row.status,
    ...(row.description !== null && { description: row.description }),
    processDefinitionType: row.definition_type,
    retentionDays: row.retention_days,
    tags,
    ...trackedView(row),
    ...(row.deployed_at !== null && { deployedDtm: toDtm(row.deployed_at) }),
  };
}

function viewWithDocument(context: Context, row: DefinitionRow, tags: string[]) {
  return { ...view(context, row, tags), document: JSON.parse(row.document) as Record<string, unknown> };
}
