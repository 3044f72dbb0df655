import { CONFIGURATION_ACTIONS, OPERATOR_ACTIONS } from '../configuration-actions.ts';
import { get, group } from '../operation.ts';
import { cursorPage, cursorQuery } from '../page.ts';
import { anyObject, DateTime, Id, listOf, oneOf, text, withTitle } from '../schema.ts';
import { Type } from '../type.ts';
import { Environment } from './parameters.ts';

/** Who read personal data, who decided or deleted, and who changed the configuration. All of it is ours. */

export const AUDIT_ACTIONS = [
  'userData.read',
  'userData.itemRead',
  'userData.checksRead',
  'userData.archived',
  'userData.resultSigned',
  'instance.parametersRead',
  'instance.deleted',
  'instance.purged',
  'instance.redacted',
  'instance.erased',
  'review.claimed',
  'review.released',
  'review.assigned',
  'review.approved',
  'review.rejected',
  'review.askedAgain',
  'review.firstVerdict',
  'review.corrected',
  'review.reopened',
  'review.prioritised',
  'instance.linksRead',
  'note.added',
  'note.read',
  'instance.sessionsRead',
  'instance.linkSent',
  'export.created',
  'export.downloaded',
  'export.deleted',
  'retention.run',
  'processToken.updated',
  'processToken.deleted',
  'cloudSecret.used',
  'watchlist.created',
  'watchlist.updated',
  'watchlist.deleted',
  'watchlist.membersRead',
  'watchlist.memberRead',
  'watchlist.memberAdded',
  'watchlist.memberUpdated',
  'watchlist.memberRemoved',
  'watchlist.searched',
  'person.searched',
  'person.archived',
  'person.erased',
  'apiKey.readBudgetExceeded',
  'operator.joined',
  'operator.signedIn',
  'operator.signedOut',
  'operator.locked',
  'operator.passkeyAdded',
  'operator.passkeyDeleted',
  'operator.linkSent',
  'operator.totpAdded',
  'operator.totpDeleted',
  ...CONFIGURATION_ACTIONS,
  ...OPERATOR_ACTIONS,
] as const;

export const AuditAction = oneOf(...AUDIT_ACTIONS);

const AuditEvent = withTitle(
  'AuditEvent',
  Type.Object({
    id: Id,
    dateTime: DateTime,
    action: AuditAction,
    environment: Environment,
    actor: Type.String({
      description: 'Who did it, such as `API Key: back office`, `Jane Doe (jane@acme.com)` or `Retention`',
    }),
    apiKeyId: Type.Optional(Type.String({ description: 'The API key whose bearer token was used' })),
    operatorId: Type.Optional(Type.String({ description: 'The operator who did it, if it was a person' })),
    processInstanceId: Type.Optional(Type.String()),
    item: Type.Optional(
      Type.String({
        description:
          'What was read or changed: a path, the name of a secret, the id of a watchlist, or another name or id; never ' +
          'content',
      }),
    ),
    details: Type.Optional(
      Type.Object(
        {
          id: Type.Optional(Type.String()),
          name: Type.Optional(Type.String()),
          version: Type.Optional(Type.Integer()),
          fields: Type.Optional(listOf(Type.String(), 100, 'The members of the request')),
          values: Type.Optional(anyObject('Values that are no secrets, such as the permissions of an API key')),
          changes: Type.Optional(
            listOf(
              withTitle(
                'AuditEventChange',
                Type.Object({
                  path: Type.String({ description: 'Where: members and ids of entries, such as `steps/selfie/when`' }),
                  before: Type.Optional(Type.String({ description: 'The value as JSON; a long one is cut' })),
                  after: Type.Optional(Type.String({ description: 'The value as JSON; a long one is cut' })),
                }),
              ),
              50,
              'What an update changed, if it is no secret; an added value has no `before`, a removed one no `after`',
            ),
          ),
        },
        {
          title: 'AuditEventDetails',
          description: 'For a configuration change: the new values; for an alarm: its numbers',
        },
      ),
    ),
    requestId: Type.Optional(Type.String({ description: 'The `X-Request-Id` of the request' })),
    address: Type.Optional(
      Type.String({ description: 'The IP address of the caller; of IPv6, the network. Absent in older events' }),
    ),
  }),
);

export const auditEvents = group('/api/process-manager/auditEvents', {
  list: get('', {
    summary: 'List who read personal data, decided reviews, deleted instances and changed the configuration',
    description:
      'The newest first. Events are kept for 400 days. `totalElements` is exact up to 10,000 and never higher. ' +
      'Reads by another server in the last two seconds may not be listed yet.',
    permission: 'ProcessManager:listAuditEvents',
    query: cursorQuery({
      processInstanceId: Type.Optional(text(0, 50, 'Only events of this process instance')),
      action: Type.Optional(AuditAction),
      apiKeyId: Type.Optional(text(0, 50, 'Only actions of this API key')),
      operatorId: Type.Optional(text(0, 50, 'Only actions of this operator')),
      startDateTime: Type.Optional(Type.String({ ...DateTime, description: 'Events at or after this time' })),
      endDateTime: Type.Optional(Type.String({ ...DateTime, description: 'Events before this time' })),
    }),
    ok: cursorPage(AuditEvent),
  }),
});
