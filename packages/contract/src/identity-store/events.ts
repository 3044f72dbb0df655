import { get, group, post } from '../operation.ts';
import { likeFilter } from '../page.ts';
import { DateTime, Id, lenientInteger, listOf, MAX_LIST_SIZE, oneOf, text, withTitle } from '../schema.ts';
import { Type } from '../type.ts';
import { Modality } from './users.ts';

/** Queries over the events of identity stores, which run in the background (specification, Events). */

/** What can happen in an identity store; webhooks can subscribe to each. */
export const IDENTITY_EVENTS = [
  'identity.storeCreated',
  'identity.storeUpdated',
  'identity.configCreated',
  'identity.configUpdated',
  'identity.configDeleted',
  'identity.userCreated',
  'identity.userUpdated',
  'identity.userDeleted',
  'identity.userLocked',
  'identity.userUnlocked',
  'identity.modalityLocked',
  'identity.modalityDisabled',
  'identity.authenticatorRegistered',
  'identity.authenticatorRemoved',
  'identity.registrationFailed',
  'identity.authenticationSucceeded',
  'identity.authenticationFailed',
  'identity.biometricUpdated',
  'identity.pushNotificationSent',
  'identity.pushNotificationRejected',
] as const;

export type IdentityEventType = (typeof IDENTITY_EVENTS)[number];

const MAX_INT32 = 2 ** 31 - 1;

const size = Type.Optional(
  Type.Integer({ minimum: 1, maximum: MAX_LIST_SIZE, description: 'How many results a page has' }),
);

/** Clients of the original service send unused filters as empty texts. These filter nothing, as in a query string. */
const exactFilter = Type.Optional(text(0, 50));

const EventQuery = withTitle(
  'EventQuery',
  Type.Object({
    size,
    parentProcessDefnId: exactFilter,
    parentProcessDefnName: likeFilter('events whose parent process definition name', 0),
    parentProcessDefnVersion: Type.Optional(lenientInteger(1, MAX_INT32)),
    parentProcessInstanceId: exactFilter,
    childProcessDefnName: likeFilter('events whose child process definition name', 0),
    childProcessDefnVersion: Type.Optional(lenientInteger(1, MAX_INT32)),
    childProcessDefnTag: likeFilter('events whose child process definition tag', 0),
    type: Type.Optional(oneOf(...IDENTITY_EVENTS)),
    userId: Type.Optional(text(1, 50, 'Only events of this user')),
    startDateTime: Type.Optional(Type.String({ ...DateTime, description: 'Events at or after this time' })),
    endDateTime: Type.Optional(Type.String({ ...DateTime, description: 'Events before this time' })),
  }),
);

const IdentityStoreEvent = withTitle(
  'IdentityStoreEvent',
  Type.Object({
    id: Id,
    type: Type.String({ description: 'Such as `identity.userCreated`' }),
    storeName: Type.String(),
    userId: Type.Optional(Id),
    modality: Type.Optional(Modality),
    code: Type.Optional(Type.Integer({ description: 'Why the attempt was refused; see the error catalogue' })),
    rpId: Type.Optional(Type.String()),
    createdDtm: DateTime,
    parentProcessDefnId: Type.Optional(Type.String()),
    parentProcessDefnName: Type.Optional(Type.String()),
    parentProcessDefnVersion: Type.Optional(Type.Integer()),
    parentProcessInstanceId: Type.Optional(Type.String()),
    childProcessDefnName: Type.Optional(Type.String()),
    childProcessDefnVersion: Type.Optional(Type.Integer()),
    childProcessDefnTag: Type.Optional(Type.String()),
  }),
);

const EventQueryStarted = withTitle('EventQueryStarted', Type.Object({ executionId: Id }));

const EventQueryResult = withTitle(
  'EventQueryResult',
  Type.Object({
    status: oneOf('QUEUED', 'RUNNING', 'SUCCEEDED', 'FAILED'),
    results: listOf(IdentityStoreEvent, MAX_LIST_SIZE),
    nextToken: Type.Optional(Type.String({ description: 'Send it to read the next page; absent at the end' })),
  }),
);

export const events = group('/api/identity-store/events/queries', {
  startQuery: post('/start', {
    summary: 'Start an event query',
    description: 'The filters must all hold. Names and tags match with `%` and `_`, the rest exactly.',
    permission: 'IdentityStore:startEventQuery',
    body: EventQuery,
    ok: EventQueryStarted,
    status: 201,
    codes: [100065],
  }),
  getQueryResult: get('/{executionId}/result', {
    summary: 'Get the result of an event query',
    description:
      'Ask again while `status` is QUEUED or RUNNING. The newest events come first. With `%` or `_` in a filter, a ' +
      'page may have fewer events than `size` although more follow.',
    permission: 'IdentityStore:getEventQueryResult',
    query: Type.Object({ size, nextToken: Type.Optional(text(0, 1000)) }),
    ok: EventQueryResult,
    codes: [100036],
  }),
});
