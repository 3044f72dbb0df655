import { Type } from 'typebox';
import { get, group } from './operation.ts';
import { likeFilter, page, pageQuery } from './page.ts';
import { DateTime, Duration, Id, named, oneOf, text } from './schema.ts';

/** Lists of faces to look out for (specification 4.11). A match gives candidates for a human, never a verdict. */

const Watchlist = named(
  'Watchlist',
  Type.Object({
    id: Id,
    name: Type.String(),
    description: Type.Optional(Type.String()),
    type: oneOf('FACE'),
    status: oneOf('ACTIVE', 'INACTIVE'),
    maxSize: Type.Integer({ description: 'How many members it may have' }),
    numMembers: Type.Integer(),
    expireMembersAfter: Type.Optional(Duration),
    createdDtm: Type.Optional(DateTime),
    lastUpdatedDtm: Type.Optional(DateTime),
  }),
);

const WatchlistMember = named(
  'WatchlistMember',
  Type.Object({
    id: Id,
    watchlistId: Id,
    firstName: Type.Optional(text(0, 255)),
    lastName: Type.Optional(text(0, 255)),
    email: Type.Optional(text(0, 255)),
    phoneNumber: Type.Optional(text(0, 255)),
    note: Type.Optional(Type.String()),
    expiringDtm: Type.Optional(DateTime),
    createdDtm: DateTime,
    lastUpdatedDtm: Type.Optional(DateTime),
  }),
);

export const watchlists = group('/api/watchlist-manager/facewatchlists', {
  list: get('', {
    summary: 'List face watchlists',
    permission: 'WatchlistManager:listWatchlists',
    query: pageQuery({ name: likeFilter('watchlists whose name') }),
    ok: page(Watchlist),
  }),
  listMembers: get('/{watchlistId}/watchlist-members', {
    summary: 'List the members of a face watchlist',
    permission: 'WatchlistManager:listWatchlistMembers',
    query: pageQuery({ name: likeFilter('members whose first or last name') }),
    ok: page(WatchlistMember),
    codes: [100041],
  }),
});
