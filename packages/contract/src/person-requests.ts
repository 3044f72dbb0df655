import { get, group, post } from './operation.ts';
import { Environment } from './process-manager/parameters.ts';
import { DateTime, Empty, Id, listOf, oneOf, text, withTitle } from './schema.ts';
import { Type } from './type.ts';

/** One request finds, exports or erases everything about one person. All of it is ours. */

/** A request that finds more is refused: it is not about one person. */
export const MAX_FOUND_OF_PERSON = 1000;

const Selectors = {
  email: Type.Optional(
    text(3, 254, 'Finds everything that contains this address: parameters, answers, attributes; case-insensitive'),
  ),
  externalId: Type.Optional(
    text(
      1,
      255,
      'The id that your system gave the person: the external id of a user, or a parameter `externalId`, `externalRef`, `extId` or `userExtId`',
    ),
  ),
  userId: Type.Optional(
    text(1, 64, 'Finds the user of an identity store with this id, and the instances that name it'),
  ),
  parameter: Type.Optional(
    Type.Object(
      { name: text(1, 64, 'The name of a parameter, such as `customerNumber`'), value: text(1, 2000, 'Its value') },
      { description: 'Finds process tokens and process instances with exactly this parameter' },
    ),
  ),
};

const PersonItems = withTitle(
  'PersonItems',
  Type.Object({
    processInstances: listOf(Type.String(), MAX_FOUND_OF_PERSON),
    processTokens: listOf(Type.String(), MAX_FOUND_OF_PERSON),
    users: listOf(Type.String(), MAX_FOUND_OF_PERSON),
    watchlistMembers: listOf(Type.String(), MAX_FOUND_OF_PERSON),
  }),
);

const PersonRequest = withTitle(
  'PersonRequest',
  Type.Object({
    id: Id,
    action: oneOf('FIND', 'ERASE'),
    environment: Environment,
    state: Type.Unsafe<'SEARCHING' | 'ERASING' | 'DONE' | 'FAILED'>({
      ...oneOf('SEARCHING', 'ERASING', 'DONE', 'FAILED'),
      description: 'A job works on it until it is DONE. FAILED: see `reason`; nothing was erased',
    }),
    reason: Type.Optional(Type.String({ description: 'Why the request failed' })),
    reference: Type.Optional(Type.String()),
    searched: Type.Integer({ description: 'How many items were searched so far' }),
    total: Type.Integer({ description: 'How many items there were to search when the request began' }),
    found: PersonItems,
    erased: Type.Integer({ description: 'How many of the found items were erased so far' }),
    createdDtm: DateTime,
    createdBy: Type.String(),
    confirmedDtm: Type.Optional(DateTime),
    receipt: Type.Optional(
      Type.String({
        description:
          'Present when an ERASE is DONE: a JWS of type `grove-person-erasure+jwt` with the ids of everything that was ' +
          'erased',
      }),
    ),
  }),
);

const NewPersonRequest = withTitle(
  'NewPersonRequest',
  Type.Object({
    ...Selectors,
    reference: Type.Optional(
      text(1, 100, 'Your own number for this request, such as that of a ticket. The receipt contains it'),
    ),
  }),
);

export const personRequests = group('/api/userdata-server/personRequests', {
  find: post('', {
    summary: 'Find everything about one person',
    description:
      'Finds process instances, process tokens, users and watchlist members of the environment of the API key. ' +
      'Everything that one of the selectors finds belongs to the request. A job does the work in batches; read the ' +
      'request to see its progress.',
    permission: 'PersonRequests:find',
    body: NewPersonRequest,
    ok: PersonRequest,
    status: 202,
    codes: [100065],
  }),
  erase: post('/erase', {
    summary: 'Erase everything about one person',
    description:
      'Finds the same, then deletes it permanently and signs one receipt. Process tokens stay, without their ' +
      'parameters and their name. You can send the request again: it erases what was stored since.',
    permission: 'PersonRequests:erase',
    destructive: true,
    body: NewPersonRequest,
    ok: PersonRequest,
    status: 202,
    codes: [100065],
  }),
  get: get('/{personRequestId}', {
    summary: 'Get the progress of a person request, what it found, and its receipt',
    permission: 'PersonRequests:get',
    ok: PersonRequest,
    codes: [100230],
  }),
  archive: post('/{personRequestId}/archive', {
    summary: 'Get everything that a person request found as a zip archive',
    description:
      'Available when a FIND is DONE. Each process instance has the files of its own archive in a folder; users, ' +
      'tokens and members are JSON. `manifest.json` and `manifest.jws` are as in the archive of an instance.',
    permission: 'PersonRequests:archive',
    destructive: true,
    persons: 'each',
    body: Empty,
    produces: 'application/zip',
    codes: [100230, 100231, 100366],
  }),
});
