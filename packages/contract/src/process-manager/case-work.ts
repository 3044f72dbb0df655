import { get, group, post } from '../operation.ts';
import { page, pageQuery } from '../page.ts';
import { DateTime, Id, listOf, oneOf, personal, text, withTitle } from '../schema.ts';
import { Type } from '../type.ts';
import { InstanceStatus } from './parameters.ts';

/** What reviewers see in addition to a case: what it has in common with others, and the notes of colleagues. All of it is ours. */

export const MAX_INSTANCE_LINKS = 50;
export const MAX_NOTE_LENGTH = 4000;
export const MAX_MENTIONS = 20;

/** The language of an e-mail to a colleague. */
export const ColleagueLanguage = Type.Optional({
  ...oneOf('en', 'de', 'ar'),
  description: 'The language of the e-mail to the operator, if the server sends e-mail; default: English',
});

export const LINK_KINDS = ['DOCUMENT_NUMBER', 'FACE', 'EMAIL', 'PHONE', 'DEVICE'] as const;

const InstanceLink = withTitle(
  'InstanceLink',
  Type.Object({
    processInstanceId: Id,
    processDefnName: Type.String(),
    status: InstanceStatus,
    createdDtm: DateTime,
    firstName: Type.Optional(personal(Type.String())),
    lastName: Type.Optional(personal(Type.String())),
    shares: listOf(oneOf(...LINK_KINDS), LINK_KINDS.length, 'What the two instances have in common'),
    score: Type.Optional(Type.Number({ description: 'The similarity of the faces, from 0 to 1' })),
  }),
);

export const instanceLinks = group('/api/process-manager/processInstances/{processInstanceId}/links', {
  list: get('', {
    summary: 'List the instances that share a document number, face, e-mail address, telephone number or device',
    description:
      'The newest first, at most 50. Values are compared by keyed hashes, so nobody can read them from the ' +
      'database. Faces are compared if a `duplicate` step looked for them. A device is the same if the browser ' +
      'still holds the session of the other instance. Parents and children of the instance are left out.',
    permission: 'ProcessManager:listInstanceLinks',
    persons: 'each',
    ok: withTitle('InstanceLinks', Type.Object({ links: listOf(InstanceLink, MAX_INSTANCE_LINKS) })),
    codes: [100022, 100364],
  }),
});

export const MAX_SHOWN_SESSIONS = 100;
const MAX_NETWORKS = 10;

const InstanceSession = withTitle(
  'InstanceSession',
  Type.Object({
    browser: Type.String({ description: 'Such as `Chrome on Android`, as the browser says' }),
    handedOver: Type.Boolean({ description: 'Whether the end user continued here on a second device' }),
    createdDtm: DateTime,
    expiringDtm: DateTime,
    networks: listOf(
      Type.Object(
        {
          network: personal(Type.String({ description: '`203.0.113.0/24`, or a /48 of IPv6' })),
          firstSeenDtm: DateTime,
        },
        { title: 'SessionNetwork' },
      ),
      MAX_NETWORKS,
      'The networks of its addresses, the first one first; more than one if the address changed',
    ),
    timeZone: Type.Optional(Type.String({ description: 'The time zone of the browser, such as `Europe/Dublin`' })),
    countryCode: Type.Optional(
      Type.String({ description: 'ISO 3166-1 alpha-2: the country of its first address, as the proxy reports it' }),
    ),
  }),
);

export const MAX_SHOWN_MESSAGES = 50;

const InstanceMessage = withTitle(
  'InstanceMessage',
  Type.Object({
    id: Id,
    kind: {
      ...oneOf('HANDOFF', 'RESUME', 'ASKED_AGAIN', 'DECIDED'),
      description:
        'A link to a second device, a link of an operator, a link because a reviewer asked again, or the notification of the decision',
    },
    channel: oneOf('EMAIL', 'SMS'),
    state: {
      ...oneOf('WAITING', 'SENDING', 'SENT', 'FAILED'),
      description: '`WAITING` for the decision; `SENT` if the mail server or the gateway took it',
    },
    createdDtm: DateTime,
  }),
);

export const instanceSessions = group('/api/process-manager/processInstances/{processInstanceId}/sessions', {
  list: get('', {
    summary: 'List the browsers and networks from which the end user used an instance, and the messages to them',
    description:
      'The oldest first. The browser itself reports its name and its time zone. Messages show neither address ' +
      'nor text, and are removed a while after their link has expired.',
    permission: 'ProcessManager:listInstanceSessions',
    persons: 'one',
    ok: withTitle(
      'InstanceSessions',
      Type.Object({
        sessions: listOf(InstanceSession, MAX_SHOWN_SESSIONS),
        messages: listOf(InstanceMessage, MAX_SHOWN_MESSAGES),
      }),
    ),
    codes: [100022, 100364],
  }),
});

const Note = withTitle(
  'InstanceNote',
  Type.Object({
    id: Id,
    processInstanceId: Id,
    author: Type.String(),
    createdDtm: DateTime,
    text: personal(Type.String()),
    mentions: listOf(
      Type.Object({ operatorId: Id, name: Type.String() }, { title: 'NoteMention' }),
      MAX_MENTIONS,
      'The mentioned operators',
    ),
  }),
);

export const instanceNotes = group('/api/process-manager/processInstances/{processInstanceId}/notes', {
  list: get('', {
    summary: 'List the notes about a process instance',
    description: 'The oldest first.',
    permission: 'ProcessManager:listInstanceNotes',
    persons: 'one',
    query: pageQuery({}),
    ok: page(Note),
    codes: [100022, 100364],
  }),
  add: post('', {
    summary: 'Write a note about a process instance',
    description:
      'A note is for colleagues; the end user sees it only in an archive of everything about the person. A note ' +
      'cannot be changed. The mentioned operators find it in their list of mentions.',
    permission: 'ProcessManager:addInstanceNote',
    body: withTitle(
      'InstanceNoteInput',
      Type.Object({
        text: text(1, MAX_NOTE_LENGTH),
        mentions: Type.Optional(listOf(Id, MAX_MENTIONS, 'The ids of the mentioned operators')),
        language: ColleagueLanguage,
      }),
    ),
    ok: Note,
    status: 201,
    codes: [100022, 100065, 100364],
  }),
});

export const noteMentions = group('/api/process-manager/noteMentions', {
  list: get('', {
    summary: 'List the notes that mention the calling operator',
    description: 'The newest first. A note cannot mention an API key, so API keys get an empty list.',
    permission: 'ProcessManager:listNoteMentions',
    persons: 'each',
    query: pageQuery({}),
    ok: page(Note),
  }),
});
