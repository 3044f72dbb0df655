import { type api, MAX_VIEWS_PER_OPERATOR } from '@grove/contract';
import type { TenantReads } from '../db/db.ts';
import { toDtm } from '../kernel/clock.ts';
import type { Context } from '../kernel/context.ts';
import { ApiError } from '../kernel/errors.ts';
import { newId } from '../kernel/ids.ts';
import { bindDeps, type Input } from '../kernel/implement.ts';
import { type AccountDeps, ensureOperator } from './account-parts.ts';
import { findOperatorForUpdate } from './operators.repository.ts';
import { addView, removeView, type ViewRow, viewsOf } from './views.repository.ts';

type InputOf<Name extends keyof typeof api.consoleAccount> = Input<(typeof api.consoleAccount)[Name]>;
type Deps = Pick<AccountDeps, 'vault'>;
/** Sealed, because a filter may be the name of a person. */
type SealedPart = { name: string; search: Record<string, string> };

const SUBJECT = 'operators';
const contextOf = (id: string) => `operator-view:${id}`;

/** Saves lists with their filters under a name. An operator sees only their own. */
export function viewHandlers(deps: Deps) {
  return { ...bindDeps(deps, { listViews, saveView }), deleteView };
}

async function listViews(deps: Deps, context: Context) {
  const rows = await viewsOf(context.db, { operatorId: ensureOperator(context).callerId });
  return {
    views: await Promise.all(rows.slice(0, MAX_VIEWS_PER_OPERATOR).map((row) => toView(deps, context.db, row))),
  };
}

function saveView(deps: Deps, context: Context, { body: { screen, name, search } }: InputOf<'saveView'>) {
  const { callerId: operatorId } = ensureOperator(context);
  return context.db.write(async (tx) => {
    // The lock of the operator keeps two windows from passing the limit together.
    if (!(await findOperatorForUpdate(tx, { id: operatorId }))) throw new ApiError(100210);
    const rows = await viewsOf(tx, { operatorId });
    const views = await Promise.all(rows.map((row) => toView(deps, tx, row)));
    const same = views.find((view) => view.screen === screen && view.name === name);
    if (same) await removeView(tx, { operatorId, id: same.id });
    else if (rows.length >= MAX_VIEWS_PER_OPERATOR) throw new ApiError(100065);
    const id = newId(context.now);
    const plain = Buffer.from(JSON.stringify({ name, search } satisfies SealedPart));
    const sealed = await deps.vault.sealFor(tx, SUBJECT, contextOf(id), plain);
    await addView(tx, { operator_id: operatorId, id, screen, sealed, created_at: context.now });
    return { id, screen, name, search, createdDtm: toDtm(context.now) };
  });
}

async function deleteView(context: Context, { params }: InputOf<'deleteView'>) {
  const { callerId } = ensureOperator(context);
  const isDeleted = await context.db.write((tx) => removeView(tx, { operatorId: callerId, id: params.savedViewId }));
  if (!isDeleted) throw new ApiError(100363);
  return undefined;
}

async function toView({ vault }: Deps, db: TenantReads, { id, screen, sealed, created_at }: ViewRow) {
  const plain = await vault.openFor(db, SUBJECT, contextOf(id), sealed);
  const { name, search } = JSON.parse(plain.toString('utf8')) as SealedPart;
  return { id, screen, name, search, createdDtm: toDtm(created_at) };
}
