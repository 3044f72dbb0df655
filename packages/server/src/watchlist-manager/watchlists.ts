import type { api, Body, Ok } from '@grove/contract';
import { changedBy } from '../audit/audit.ts';
import { ensureBelowLimit } from '../db/below-limit.ts';
import { ensureUniqueName } from '../db/unique-name.ts';
import type { NoteErased } from '../erasure-log/write-down.ts';
import { actor } from '../kernel/actor.ts';
import { fromDuration } from '../kernel/clock.ts';
import type { Context } from '../kernel/context.ts';
import { ApiError, invalidInput } from '../kernel/errors.ts';
import { newId } from '../kernel/ids.ts';
import type { Handlers } from '../kernel/implement.ts';
import { fold, likePattern, paging, toPage } from '../kernel/pages.ts';
import { creation, trackedView, updateOf } from '../kernel/tracked.ts';
import type { EraseDeps } from './erase-again.ts';
import { deleteList, emptyList } from './erase-again.ts';
import {
  addList,
  changeList,
  countLists,
  findList,
  findListForUpdate,
  LIST_SORTABLE,
  type ListRow,
  pageLists,
} from './watchlists.repository.ts';

/** Watchlists without their members, which are in `members.ts`. */
export const MAX_WATCHLISTS_PER_ENVIRONMENT = 100;
const DEFAULT_MAX_SIZE = 10_000;

export type WatchlistsDeps = EraseDeps & { noteErased: NoteErased };

type WatchlistHandlers = Pick<Handlers<typeof api.watchlists>, 'list' | 'create' | 'get' | 'update' | 'delete'>;
type Watchlist = Ok<typeof api.watchlists.get>;
type Change = Body<typeof api.watchlists.update>;

export function watchlistHandlers(deps: WatchlistsDeps): WatchlistHandlers {
  const { audit } = deps;
  return {
    async list({ db, principal: { environment } }, { query }) {
      const page = paging(query, LIST_SORTABLE);
      const filter = { environment, pattern: likePattern(query.name, '/query/name'), type: query.type };
      const { rows, total } = await pageLists(db, filter, page);
      return toPage(rows.map(toWatchlist), total, page);
    },

    async create(context, { body }) {
      const { db, now, principal } = context;
      const { environment } = principal;
      const name = nameOf(body.name);
      const row: ListRow = {
        id: newId(now),
        environment,
        name,
        name_folded: fold(name),
        description: body.description || null,
        type: body.type ?? 'FACE',
        status: body.status ?? 'ACTIVE',
        max_size: body.maxSize ?? DEFAULT_MAX_SIZE,
        num_members: 0,
        expire_after: expireAfter(body.expireMembersAfter),
        revision: 0,
        ...creation(actor(principal), now),
      };
      await db.write(async (tx) => {
        const count = () => countLists(tx, { environment });
        await ensureBelowLimit(tx, { of: ['watchlists', environment], limit: MAX_WATCHLISTS_PER_ENVIRONMENT, count });
        await ensureUniqueName('watchlist', name, () => addList(tx, row));
        await audit.record(tx, { ...changedBy(context), action: 'watchlist.created', item: row.id });
      });
      return toWatchlist(row);
    },

    async get({ db, principal: { environment } }, { params }) {
      const row = await findList(db, { environment, id: params.watchlistId });
      if (!row) throw new ApiError(100041);
      return toWatchlist(row);
    },

    async update(context, { params, body }) {
      const { environment } = context.principal;
      return context.db.write(async (tx) => {
        const before = await findListForUpdate(tx, { environment, id: params.watchlistId });
        if (!before) throw new ApiError(100041);
        const after = applyChange(context, before, body);
        await ensureUniqueName('watchlist', after.name, () => changeList(tx, after));
        await audit.record(tx, { ...changedBy(context), action: 'watchlist.updated', item: after.id });
        return toWatchlist(after);
      });
    },

    async delete(context, { params }) {
      await remove(deps, context, params.watchlistId);
      return undefined;
    },
  };
}

async function remove(deps: WatchlistsDeps, context: Context, id: string): Promise<void> {
  const key = { environment: context.principal.environment, id };
  await emptyList(context.db, key);
  await context.db.write(async (tx) => {
    const row = await findListForUpdate(tx, key);
    if (!row) throw new ApiError(100041);
    await deleteList(deps, tx, row.id, changedBy(context));
    await deps.noteErased(tx, 'watchlist', [row.id]);
  });
}

function applyChange({ now, principal }: Context, before: ListRow, input: Change): ListRow {
  const name = input.name === undefined ? before.name : nameOf(input.name);
  if (input.maxSize !== undefined && input.maxSize < before.num_members) {
    throw invalidInput({ pointer: '/maxSize', message: `must be at least ${before.num_members}, its present size` });
  }
  return {
    ...before,
    name,
    name_folded: fold(name),
    description: input.description === undefined ? before.description : input.description || null,
    status: input.status ?? before.status,
    max_size: input.maxSize ?? before.max_size,
    expire_after: input.expireMembersAfter === undefined ? before.expire_after : expireAfter(input.expireMembersAfter),
    ...updateOf({ principal, now }),
  };
}

function nameOf(text: string): string {
  const name = text.trim();
  if (name === '') throw invalidInput({ pointer: '/name', message: 'must not be empty' });
  return name;
}

function expireAfter(duration: string | null | undefined): string | null {
  if (!duration) return null;
  if (fromDuration(duration) <= 0) {
    throw invalidInput({ pointer: '/expireMembersAfter', message: 'must be greater than zero' });
  }
  return duration;
}

function toWatchlist(row: ListRow): Watchlist {
  return {
    id: row.id,
    environment: row.environment,
    name: row.name,
    ...(row.description !== null && { description: row.description }),
    type: row.type,
    status: row.status,
    maxSize: row.max_size,
    numMembers: row.num_members,
    ...(row.expire_after !== null && { expireMembersAfter: row.expire_after }),
    ...trackedView(row),
  };
}
