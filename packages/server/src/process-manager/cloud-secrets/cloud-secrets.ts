import { api, type Ok } from '@grove/contract';
import { ensureBelowLimit } from '../../db/below-limit.ts';
import type { TenantTx } from '../../db/db.ts';
import { ensureUniqueName } from '../../db/unique-name.ts';
import { actor } from '../../kernel/actor.ts';
import { isBase64 } from '../../kernel/base64.ts';
import { toDtm } from '../../kernel/clock.ts';
import type { Context } from '../../kernel/context.ts';
import { ensureUnchanged } from '../../kernel/ensure-unchanged.ts';
import { ApiError, invalidInput } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { bindDeps, type Input, implement } from '../../kernel/implement.ts';
import { mapInSlices } from '../../kernel/in-slices.ts';
import { fold, likePattern, paging, toPage } from '../../kernel/pages.ts';
import { creation, trackedView, updateOf } from '../../kernel/tracked.ts';
import type { Vault } from '../../secrets/vault.ts';
import {
  addCloudSecret,
  changeCloudSecret,
  countCloudSecrets,
  findCloudSecretForUpdate,
  lastUses,
  pageCloudSecrets,
  removeCloudSecret,
} from './cloud-secrets.repository.ts';
import { type CloudSecretRow, type CloudSecretView, type SecretType, SORTABLE } from './cloud-secrets.table.ts';
import { contextOf, SUBJECT } from './find-secret.ts';
import { normaliseHosts, shownHosts } from './secret-hosts.ts';

/**
 * Secrets that steps and webhooks use (specification 4.11). Callers can set a value but never read it. A caller sees the
 * secrets of its own environment: a test journey never sends a live secret.
 */

export const MAX_CLOUD_SECRETS_PER_ENVIRONMENT = 500;

const NAME = /^[A-Za-z0-9_-]+$/;
const NUMBER = /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/;

type CloudSecret = Ok<typeof api.cloudSecrets.create>;

type CloudSecretsDeps = { vault: Pick<Vault, 'sealFor'> };

type InputOf<Name extends keyof typeof api.cloudSecrets> = Input<(typeof api.cloudSecrets)[Name]>;

export function cloudSecretHandlers(deps: CloudSecretsDeps) {
  return implement(api.cloudSecrets, { ...bindDeps(deps, { create, update }), list, delete: remove });
}

async function list({ db, principal: { environment } }: Context, { query }: InputOf<'list'>) {
  const page = paging(query, SORTABLE);
  const pattern = likePattern(query.name, '/query/name');
  const { rows, total } = await pageCloudSecrets(db, { environment, pattern }, page);
  const names = rows.map(({ name }) => name);
  const uses = await lastUses(db, environment, names);
  return toPage(await mapInSlices(db, rows, (row) => withLastUse(row, uses.get(row.name))), total, page);
}

async function create(deps: CloudSecretsDeps, { db, now, principal }: Context, { body }: InputOf<'create'>) {
  const { name, description = null, type = 'STRING', value, hosts = [] } = body;
  const { environment } = principal;
  if (!NAME.test(name)) {
    throw invalidInput({ pointer: '/name', message: 'must consist of letters, digits, _ and -' });
  }
  checkValue(type, value);
  const stored = JSON.stringify(normaliseHosts(hosts));
  const id = newId(now);
  const row = await db.write(async (tx) => {
    const count = () => countCloudSecrets(tx, { environment });
    await ensureBelowLimit(tx, { of: ['cloud_secrets', environment], limit: MAX_CLOUD_SECRETS_PER_ENVIRONMENT, count });
    const newRow: CloudSecretRow = {
      environment,
      hosts: stored,
      id,
      name,
      name_folded: fold(name),
      description,
      type,
      sealed: await seal(deps, tx, id, value),
      ...creation(actor(principal), now),
    };
    await ensureUniqueName('cloud secret', name, () => addCloudSecret(tx, newRow));
    return newRow;
  });
  return toCloudSecret(row);
}

async function update(
  deps: CloudSecretsDeps,
  { db, now, principal }: Context,
  { params, query, body }: InputOf<'update'>,
) {
  const row = await db.write(async (tx) => {
    const before = await findCloudSecretForUpdate(tx, { environment: principal.environment, id: params.cloudSecretId });
    if (!before) throw new ApiError(100073);
    ensureUnchanged(query, before);
    if (body.value !== undefined) checkValue(before.type, body.value);
    const after: CloudSecretRow = {
      ...before,
      description: body.description ?? before.description,
      hosts: body.hosts === undefined ? before.hosts : JSON.stringify(normaliseHosts(body.hosts)),
      sealed: body.value === undefined ? before.sealed : await seal(deps, tx, before.id, body.value),
      ...updateOf({ principal, now }),
    };
    await changeCloudSecret(tx, after);
    return after;
  });
  return toCloudSecret(row);
}

async function remove({ db, principal }: Context, { params }: InputOf<'delete'>) {
  await db.write(async (tx) => {
    if (!(await removeCloudSecret(tx, { environment: principal.environment, id: params.cloudSecretId })))
      throw new ApiError(100073);
  });
  return undefined;
}

function seal({ vault }: CloudSecretsDeps, tx: TenantTx, id: string, value: string): Promise<Uint8Array> {
  return vault.sealFor(tx, SUBJECT, contextOf(id), Buffer.from(value));
}

function checkValue(type: SecretType, value: string): void {
  const pointer = '/value';
  if (type === 'NUMBER' && !NUMBER.test(value)) throw invalidInput({ pointer, message: 'must be a number' });
  if (type === 'BINARY' && !isBase64(value)) throw invalidInput({ pointer, message: 'must be base64' });
}

/** Ignores uses before the creation, which belong to a deleted secret of the same name. */
function withLastUse(row: CloudSecretView, at: number | undefined): CloudSecret {
  const isOfThis = at !== undefined && at >= row.created_at;
  return { ...toCloudSecret(row), ...(isOfThis && { lastUsedDtm: toDtm(at) }) };
}

function toCloudSecret(row: CloudSecretView): CloudSecret {
  return {
    id: row.id,
    environment: row.environment,
    name: row.name,
    ...(row.description !== null && { description: row.description }),
    type: row.type,
    hosts: shownHosts(row.hosts),
    ...trackedView(row),
  };
}
