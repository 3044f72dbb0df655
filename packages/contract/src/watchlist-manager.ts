import { del, get, group, post } from './operation.ts';
import { cursorPage, cursorQuery, likeFilter, page, pageQuery } from './page.ts';
import { Environment } from './process-manager/parameters.ts';
import { DateTime, Duration, Id, listOf, nameText, oneOf, personal, text, withTitle } from './schema.ts';
import { Type } from './type.ts';

/**
 * Lists of faces, document numbers and e-mail addresses to look out for (specification 4.11). A match gives candidates for
 * a human, never a verdict.
 */

/** The largest picture of a face, as bytes. */
export const MAX_WATCHLIST_IMAGE_BYTES = 5 * 2 ** 20;
/** The most members that a watchlist may have. */
export const MAX_WATCHLIST_SIZE = 100_000;
const MAX_CANDIDATES = 50;
const DEFAULT_SIZE = 10_000;

const ListType = oneOf('FACE', 'DOCUMENT_NUMBER', 'EMAIL');
const ListStatus = oneOf('ACTIVE', 'INACTIVE');

const Watchlist = withTitle(
  'Watchlist',
  Type.Object({
    id: Id,
    environment: Environment,
    name: Type.String(),
    description: Type.Optional(Type.String()),
    type: ListType,
    status: ListStatus,
    maxSize: Type.Integer({ description: 'How many members the list may have' }),
    numMembers: Type.Integer(),
    expireMembersAfter: Type.Optional(Duration),
    createdDtm: Type.Optional(DateTime),
    lastUpdatedDtm: Type.Optional(DateTime),
    createdBy: Type.Optional(Type.String()),
    lastUpdatedBy: Type.Optional(Type.String()),
  }),
);

const MaxSize = Type.Integer({
  minimum: 1,
  maximum: MAX_WATCHLIST_SIZE,
  default: DEFAULT_SIZE,
  description: 'How many members the list may have',
});

const ExpireAfter = Type.String({ ...Duration, description: 'How long after they were added members expire' });

const WatchlistInput = withTitle(
  'WatchlistInput',
  Type.Object({
    name: nameText(1, 100),
    description: Type.Optional(text(0, 255)),
    type: Type.Optional(ListType),
    status: Type.Optional(ListStatus),
    maxSize: Type.Optional(MaxSize),
    expireMembersAfter: Type.Optional(ExpireAfter),
  }),
);

const WatchlistUpdate = withTitle(
  'WatchlistUpdate',
  Type.Object({
    name: Type.Optional(nameText(1, 100)),
    description: Type.Optional(text(0, 255)),
    status: Type.Optional(ListStatus),
    maxSize: Type.Optional(MaxSize),
    expireMembersAfter: Type.Optional(
      Type.Unsafe<string | null>({
        type: ['string', 'null'],
        format: 'duration',
        maxLength: 40,
        description: 'For members that are added from now on; null means never',
      }),
    ),
  }),
);

/** What is known of a member, beside the face or the value that a search compares. */
const details = {
  firstName: Type.Optional(text(0, 255)),
  lastName: Type.Optional(text(0, 255)),
  email: Type.Optional(text(0, 255)),
  phoneNumber: Type.Optional(text(0, 255)),
  note: Type.Optional(text(0, 2000)),
};

const WatchlistMember = withTitle(
  'WatchlistMember',
  Type.Object({
    id: Id,
    environment: Environment,
    watchlistId: Id,
    firstName: Type.Optional(personal(details.firstName)),
    lastName: Type.Optional(personal(details.lastName)),
    email: Type.Optional(personal(details.email)),
    phoneNumber: Type.Optional(personal(details.phoneNumber)),
    note: Type.Optional(personal(details.note)),
    value: Type.Optional(personal(Type.String({ description: 'The document number or e-mail address' }))),
    quality: Type.Optional(Type.Number({ description: 'The quality of the picture, from 0 to 1' })),
    expiringDtm: Type.Optional(DateTime),
    createdDtm: DateTime,
    lastUpdatedDtm: Type.Optional(DateTime),
    createdBy: Type.Optional(Type.String()),
    lastUpdatedBy: Type.Optional(Type.String()),
  }),
);

const Image = Type.String({
  minLength: 1,
  maxLength: Math.ceil(MAX_WATCHLIST_IMAGE_BYTES / 3) * 4,
  contentEncoding: 'base64',
  description: 'A picture of one face as JPEG, PNG or WebP, base64; Grove turns it into numbers and does not store it',
});
const Value = text(1, 255, 'The document number or e-mail address; Grove compares its normal form');
const Expires = Type.String({
  ...Duration,
  description: 'How long the member stays on the list; default: as the list says',
});

const MemberInput = withTitle(
  'WatchlistMemberInput',
  Type.Object({
    image: Type.Optional(Image),
    value: Type.Optional(Value),
    expireAfter: Type.Optional(Expires),
    ...details,
  }),
);

const MemberUpdate = withTitle(
  'WatchlistMemberUpdate',
  Type.Object({ image: Type.Optional(Image), expireAfter: Type.Optional(Expires), ...details }),
);

const Threshold = Type.Number({
  minimum: 0.5,
  maximum: 1,
  default: 0.6,
  description: 'The lowest score at which a face is a candidate',
});
const Limit = Type.Integer({ minimum: 1, maximum: MAX_CANDIDATES, default: 10 });

const MatchInput = withTitle(
  'WatchlistMatchInput',
  Type.Object({
    image: Type.Optional(Image),
    value: Type.Optional(Value),
    threshold: Type.Optional(Threshold),
    limit: Type.Optional(Limit),
  }),
);

const Candidate = Type.Object(
  {
    memberId: Id,
    score: Type.Number({ description: 'From 0 to 1; 1 for an equal value' }),
    firstName: Type.Optional(personal(Type.String())),
    lastName: Type.Optional(personal(Type.String())),
  },
  { title: 'WatchlistCandidate' },
);

const WatchlistMatch = withTitle(
  'WatchlistMatch',
  Type.Object({
    watchlistId: Id,
    candidates: listOf(Candidate, MAX_CANDIDATES, 'For a human to look at, the likeliest first'),
    numCompared: Type.Integer(),
    numNotComparable: Type.Integer({ description: 'Members whose picture was read by an earlier model' }),
  }),
);

const image = { maxBodyBytes: Math.ceil(MAX_WATCHLIST_IMAGE_BYTES / 3) * 4 + 64 * 2 ** 10 } as const;

export const watchlists = group('/api/watchlist-manager/facewatchlists', {
  list: get('', {
    summary: 'List watchlists',
    permission: 'WatchlistManager:listWatchlists',
    query: pageQuery({ name: likeFilter('watchlists whose name'), type: Type.Optional(ListType) }),
    ok: page(Watchlist),
  }),
  create: post('', {
    summary: 'Create a watchlist of faces, document numbers or e-mail addresses',
    permission: 'WatchlistManager:createWatchlist',
    body: WatchlistInput,
    ok: Watchlist,
    status: 201,
    codes: [100014, 100065],
  }),
  get: get('/{watchlistId}', {
    summary: 'Get a watchlist',
    permission: 'WatchlistManager:getWatchlist',
    ok: Watchlist,
    codes: [100041],
  }),
  update: post('/{watchlistId}', {
    summary: 'Change a watchlist; members that you omit stay',
    permission: 'WatchlistManager:updateWatchlist',
    body: WatchlistUpdate,
    ok: Watchlist,
    codes: [100014, 100041],
  }),
  delete: del('/{watchlistId}', {
    summary: 'Delete a watchlist with all its members',
    permission: 'WatchlistManager:deleteWatchlist',
    destructive: true,
    status: 204,
    codes: [100041],
  }),
  listMembers: get('/{watchlistId}/watchlist-members', {
    summary: 'List the members of a watchlist',
    permission: 'WatchlistManager:listWatchlistMembers',
    persons: 'each',
    query: cursorQuery({ name: likeFilter('members whose first or last name') }),
    ok: cursorPage(WatchlistMember),
    codes: [100041],
  }),
  addMember: post('/{watchlistId}/watchlist-members', {
    summary: 'Add a member, by a picture of the face or by a document number or e-mail address',
    permission: 'WatchlistManager:addWatchlistMember',
    body: MemberInput,
    ...image,
    ok: WatchlistMember,
    status: 201,
    codes: [100041, 100059, 100101, 100102, 100104],
  }),
  addMemberImage: post('/{watchlistId}/watchlist-member-images', {
    summary: 'Add a member to a face watchlist, with the picture as the body',
    permission: 'WatchlistManager:addWatchlistMemberImage',
    query: Type.Object({ ...details, expireAfter: Type.Optional(Expires) }),
    consumes: ['image/jpeg', 'image/png', 'image/webp'],
    maxBodyBytes: MAX_WATCHLIST_IMAGE_BYTES,
    ok: WatchlistMember,
    status: 201,
    codes: [100041, 100059, 100101, 100102],
  }),
  getMember: get('/{watchlistId}/watchlist-members/{memberId}', {
    summary: 'Get a member of a watchlist',
    permission: 'WatchlistManager:getWatchlistMember',
    persons: 'one',
    ok: WatchlistMember,
    codes: [100041, 100100],
  }),
  updateMember: post('/{watchlistId}/watchlist-members/{memberId}', {
    summary: 'Change a member; fields that you omit stay, an empty text removes a field',
    permission: 'WatchlistManager:updateWatchlistMember',
    persons: 'one',
    body: MemberUpdate,
    ...image,
    ok: WatchlistMember,
    codes: [100041, 100059, 100100, 100102],
  }),
  removeMember: del('/{watchlistId}/watchlist-members/{memberId}', {
    summary: 'Remove a member permanently',
    permission: 'WatchlistManager:removeWatchlistMember',
    status: 204,
    codes: [100041, 100100],
  }),
  match: post('/{watchlistId}/match', {
    summary: 'Search a watchlist for a face or a value',
    description:
      'Gives candidates for a human, never a verdict. Every search is in the audit log, and so is every read of a member.',
    permission: 'WatchlistManager:matchWatchlist',
    persons: 'each',
    body: MatchInput,
    ...image,
    ok: WatchlistMatch,
    codes: [100041, 100059, 100102, 100103],
  }),
});
