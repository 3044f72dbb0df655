import { api, type Ok } from '@grove/contract';
import type { TenantDb, TenantTx } from '../db/db.ts';
import { actor } from '../kernel/actor.ts';
import { toDtm } from '../kernel/clock.ts';
import type { Context } from '../kernel/context.ts';
import { ApiError, invalidInput } from '../kernel/errors.ts';
import { bindDeps, type Input, implement } from '../kernel/implement.ts';
import { operatorName } from '../kernel/operator-name.ts';
import { fold, likePattern, paging, toPage } from '../kernel/pages.ts';
import { trackedView, updateOf } from '../kernel/tracked.ts';
import { removeCeremoniesOf } from './ceremonies.repository.ts';
import { hasJoined, inviteOperator, type Link, resetOperator } from './links.ts';
import {
  changeOperator,
  findOperator,
  findOperatorForUpdate,
  type OperatorRow,
  pageOperators,
  removeOperator,
  SORTABLE,
} from './operators.repository.ts';
import { ensureOwnerStays } from './owners.ts';
import { isLockedAt } from './passkeys.ts';
import { ensureHolds, ensureLive, getGrant, lockGrant } from './role-rules.ts';
import { removeSessionsOf, sessionsOf } from './sessions.repository.ts';
import { toSessions } from './sessions.ts';

type OperatorView = Ok<typeof api.operators.get>;

export type OperatorDeps = {
  baseUrlOf(tenantId: string): string;
  /** Gives back the reviews that somebody of this name has claimed. */
  releaseClaims(db: TenantDb, reviewer: string): Promise<void>;
};

type InputOf<Name extends keyof typeof api.operators> = Input<(typeof api.operators)[Name]>;

export function operatorHandlers(deps: OperatorDeps) {
  return implement(api.operators, {
    ...bindDeps(deps, { invite, update, remove, reset }),
    list,
    get,
    listSessions,
    endSessions,
  });
}

async function list({ db, now, principal }: Context, { query }: InputOf<'list'>) {
  ensureLive(principal);
  const page = paging(query, SORTABLE);
  const pattern = likePattern(query.name, '/query/name');
  const { rows, total } = await pageOperators(db, { pattern }, page);
  return toPage(
    rows.map((row) => toOperator(row, now)),
    total,
    page,
  );
}

function invite(deps: OperatorDeps, context: Context, { body }: InputOf<'invite'>) {
  return context.db.write(async (tx) => {
    ensureLive(context.principal);
    ensureHolds(context.principal, await lockGrant(tx, body.role));
    return toLink(await inviteOperator(tx, body, makerOf(deps, context)), context.now);
  });
}

async function get({ db, now, principal }: Context, { params }: InputOf<'get'>) {
  ensureLive(principal);
  const row = await findOperator(db, { id: params.operatorId });
  if (!row) throw new ApiError(100213);
  return toOperator(row, now);
}

async function update(deps: OperatorDeps, context: Context, { params, body }: InputOf<'update'>) {
  const { before, after } = await context.db.write(async (tx) => {
    const before = await lockOperator(tx, context, params.operatorId);
    if (body.role !== undefined) ensureHolds(context.principal, await lockGrant(tx, body.role));
    // An invited operator who never joined would count as an owner, and the last owner who can sign in could be
    // removed.
    if (body.status === 'ACTIVE' && !(await hasJoined(tx, before))) {
      throw invalidInput({
        pointer: '/status',
        message: 'must wait until the operator has used a link; reset makes one',
      });
    }
    const { name = before.name, role = before.role, status = before.status } = body;
    const unlocked = body.unlock === true && { failures: 0, locked_until: null };
    const after = { ...before, name, name_folded: fold(name), role, status, ...unlocked, ...updateOf(context) };
    await ensureOwnerStays(tx, before, after);
    // A link must not bring back somebody who was suspended.
    const suspended = status === 'SUSPENDED' ? { ...after, link_hash: null, link_expires_at: null } : after;
    await changeOperator(tx, suspended);
    if (status === 'SUSPENDED') {
      await removeSessionsOf(tx, { operatorId: before.id });
      await removeCeremoniesOf(tx, { operatorId: before.id });
    }
    return { before, after: suspended };
  });
  // A claim holds the operator's name, which may have changed, or the operator may no longer review.
  const isOther = before.name !== after.name || before.role !== after.role || before.status !== after.status;
  if (isOther) await deps.releaseClaims(context.db, operatorName(before));
  return toOperator(after, context.now);
}

async function remove(deps: OperatorDeps, context: Context, { params }: InputOf<'remove'>) {
  const removed = await context.db.write(async (tx) => {
    const row = await lockOperator(tx, context, params.operatorId);
    await ensureOwnerStays(tx, row);
    await removeOperator(tx, { id: row.id });
    return row;
  });
  await deps.releaseClaims(context.db, operatorName(removed));
  return undefined;
}

async function reset(deps: OperatorDeps, context: Context, { params }: InputOf<'reset'>) {
  const link = await context.db.write(async (tx) =>
    resetOperator(tx, await lockOperator(tx, context, params.operatorId), makerOf(deps, context)),
  );
  await deps.releaseClaims(context.db, operatorName(link.operator));
  return toLink(link, context.now);
}

async function listSessions({ db, now, principal }: Context, { params }: InputOf<'listSessions'>) {
  ensureLive(principal);
  if (!(await findOperator(db, { id: params.operatorId }))) throw new ApiError(100213);
  return toSessions(await sessionsOf(db, { operatorId: params.operatorId }), now, principal.operator?.sessionId);
}

async function endSessions(context: Context, { params }: InputOf<'endSessions'>) {
  const end = async (tx: TenantTx) =>
    removeSessionsOf(tx, { operatorId: (await lockOperator(tx, context, params.operatorId)).id });
  await context.db.write(end);
  return undefined;
}

function makerOf({ baseUrlOf }: OperatorDeps, { principal, now, tenantId }: Context) {
  return { by: actor(principal), now, baseUrl: baseUrlOf(tenantId) };
}

/** Locks the operator. Ensures that the caller holds all that the operator's role permits. */
async function lockOperator(tx: TenantTx, { principal }: Context, id: string): Promise<OperatorRow> {
  ensureLive(principal);
  const row = await findOperatorForUpdate(tx, { id });
  if (!row) throw new ApiError(100213);
  ensureHolds(principal, await getGrant(tx, row.role));
  return row;
}

export function toOperator(row: OperatorRow, now: number): OperatorView {
  const { locked_until, last_sign_in_at, link_hash, link_expires_at } = row;
  return {
    id: row.id,
    name: row.name,
    role: row.role,
    status: row.status,
    ...(row.email !== '' && { email: row.email }),
    ...(locked_until !== null && isLockedAt(row, now) && { lockedUntilDtm: toDtm(locked_until) }),
    ...(last_sign_in_at !== null && { lastSignInDtm: toDtm(last_sign_in_at) }),
    ...(link_hash !== null && link_expires_at !== null && { linkExpiringDtm: toDtm(link_expires_at) }),
    ...trackedView(row),
  };
}

function toLink({ operator, url, expiresAt }: Link, now: number) {
  return { operator: toOperator(operator, now), url, expiringDtm: toDtm(expiresAt) };
}
