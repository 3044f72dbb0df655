import { del, get, group, post } from '../operation.ts';
import { cursorPage, cursorQuery, likeFilter, page, pageQuery } from '../page.ts';
import {
  anyObject,
  CalendarDate,
  DateTime,
  Empty,
  Id,
  listOf,
  personal,
  stringMap,
  text,
  withTitle,
} from '../schema.ts';
import { Type } from '../type.ts';
import { Environment, InstanceStatus, Parameters, StatusMapped } from './parameters.ts';

/** Process instances (specification 4.8), with additions that are ours. */

const ProcessInstanceCreated = withTitle(
  'ProcessInstanceCreated',
  Type.Object({
    redirectUrl: Type.String({ description: 'Send the end user here; the address works once' }),
    processInstanceId: Id,
    themeUrl: Type.Optional(Type.String()),
  }),
);

const instanceFields = {
  id: Id,
  tenantId: Type.String(),
  processDefnId: Id,
  processDefnName: Type.String(),
  processDefnVersion: Type.Integer(),
  lastName: Type.Optional(personal(Type.String())),
  firstName: Type.Optional(personal(Type.String())),
  phoneNumber: Type.Optional(personal(Type.String())),
  email: Type.Optional(personal(Type.String())),
  externalReference: Type.Optional(
    personal(Type.String({ description: 'As the caller sent it when the instance was created' })),
  ),
  status: InstanceStatus,
  environment: Environment,
  retentionDays: Type.Optional(
    Type.Integer({ description: 'How many days the process definition keeps its instances' }),
  ),
  expiringDtm: Type.Optional(
    Type.String({ ...DateTime, description: 'When the retention ends and the instance can be deleted' }),
  ),
};

const plainView = {
  ...instanceFields,
  createdAt: DateTime,
  elapsedMilliseconds: Type.Integer(),
  statusMapped: StatusMapped,
  review: Type.Optional(
    Type.Object({
      status: Type.Optional(Type.String()),
      comment: Type.Optional(Type.String()),
      reviewer: Type.Optional(Type.String()),
    }),
  ),
  redactedDtm: Type.Optional(
    Type.String({ ...DateTime, description: 'When all personal data was removed; absent if it was not' }),
  ),
};

const ProcessInstance = withTitle('ProcessInstance', Type.Object(plainView));

const ProcessInstanceListItem = withTitle(
  'ProcessInstanceListItem',
  Type.Object({
    ...plainView,
    scheduledExpiry: Type.Optional(
      Type.Boolean({ description: 'True if the instance will be deleted after its retention' }),
    ),
    extendedSearchField: Type.Optional(Type.String()),
    extendedSearchTerms: Type.Optional(listOf(personal(Type.String()), 100)),
  }),
);

const ProcessInstanceWithParameters = withTitle(
  'ProcessInstanceWithParameters',
  Type.Object({
    ...instanceFields,
    createdDtm: DateTime,
    lastUpdatedDtm: DateTime,
    processTokenId: Type.Optional(Id),
    processTokenCounter: Type.Optional(Type.Integer()),
    processServerId: Type.String({ description: 'The regional system that runs it, such as `fir`' }),
    dateOfBirth: Type.Optional(
      personal(
        Type.String({
          ...CalendarDate,
          description: 'From the document; until one was read, from the parameter of that name',
        }),
      ),
    ),
    processDefinitionType: Type.Optional(Type.String()),
    name: Type.Optional(personal(Type.String({ description: 'The `name` of the request that created the instance' }))),
    description: Type.Optional(personal(Type.String())),
    parentProcessInstanceId: Type.Optional(Id),
    processTokenParameters: personal(anyObject('The parameters of the process token, as this instance received them')),
  }),
);

const externalReference = Type.Optional(
  text(1, 255, 'The reference of the person or the case in your own systems; shown with the instance and searchable'),
);

/** What a templated process token leaves open until its instance is created. */
const InstanceOverrides = withTitle(
  'InstanceOverrides',
  Type.Object({
    parameters: Type.Optional(Parameters),
    externalReference,
    name: Type.Optional(text(0, 50)),
    description: Type.Optional(text(0, 2000)),
    notAfterDtm: Type.Optional(DateTime),
  }),
);

/** The token is not active, has expired, is not valid yet or has no uses left, or its definition is not deployed. */
export const unusableToken = [100024, 100044, 100045, 100046, 100047] as const;

const FromToken = Type.Object({ pt: text(1, 50, 'The id of the process token') });

const ResumeLink = withTitle(
  'ResumeLink',
  Type.Object({
    // Personal, because everybody who opens it sees what the end user sees.
    redirectUrl: personal(Type.String({ description: 'Takes the end user back to the journey; works once' })),
    expiringDtm: DateTime,
  }),
);

const ResumeMail = withTitle(
  'ResumeMail',
  Type.Object({
    to: Type.Optional(text(3, 254, 'An e-mail address; default: the known address of the end user')),
    language: Type.Optional(text(2, 35, 'The language of the message, such as `de`. Default: English')),
  }),
);

const SentLink = withTitle(
  'SentLink',
  Type.Object({
    sentTo: personal(Type.String({ description: 'The address, shortened' })),
    expiringDtm: DateTime,
  }),
);

const Resume = withTitle(
  'Resume',
  Type.Object({
    variables: Type.Optional({
      ...stringMap(50, 1000),
      description: 'What conditions can read as `data.pauses.<key of the step>`',
    }),
  }),
);

const InstanceEvent = withTitle(
  'InstanceEvent',
  Type.Object({
    sequence: Type.Integer({ description: 'From 1, without gaps, for each instance' }),
    type: Type.String({ description: 'Such as `instance.created`' }),
    dateTime: DateTime,
    status: InstanceStatus,
    step: Type.Optional(Type.String({ description: 'The id of the step of the event' })),
    data: Type.Optional(anyObject('Details of the event; no personal data')),
  }),
);

const instanceFilters = {
  processDefinitionName: likeFilter('instances whose process definition name'),
  processDefinitionId: Type.Optional(text(1, 50)),
  processInstanceStatus: Type.Optional(InstanceStatus),
};

export const searchFilters = {
  ...instanceFilters,
  searchString: Type.Optional(
    text(
      1,
      255,
      'Words of the name, e-mail, telephone number, external reference or id. A text without a word is refused',
    ),
  ),
  startDateTime: Type.Optional(Type.String({ ...DateTime, description: 'Created at or after' })),
  endDateTime: Type.Optional(Type.String({ ...DateTime, description: 'Created before' })),
};

export const processInstances = group('/api/process-manager/processInstances', {
  create: post('/create', {
    summary: 'Create a process instance from a process token',
    description:
      'Redirect the end user to `redirectUrl`. The call takes one use of the token. The parameters in the optional ' +
      'body override those of the token, for this instance alone.',
    permission: 'ProcessManager:createProcessInstance',
    query: FromToken,
    body: InstanceOverrides,
    ok: ProcessInstanceCreated,
    status: 201,
    codes: [100021, ...unusableToken, 100025],
  }),
  start: post('', {
    summary: 'Create a process instance and redirect to it',
    description:
      'The optional body fills in a templated process token for this instance alone. `pi` in the query of ' +
      '`Location` is the id of the instance.',
    permission: 'ProcessManager:startProcessInstance',
    query: FromToken,
    body: InstanceOverrides,
    status: 307,
    codes: [100021, ...unusableToken, 100025],
  }),
  get: get('/{processInstanceId}', {
    summary: 'Get a process instance',
    permission: 'ProcessManager:getProcessInstance',
    persons: 'one',
    ok: ProcessInstance,
    codes: [100022],
  }),
  getWithParameters: get('/{processInstanceId}/withParameters', {
    summary: 'Get a process instance with the parameters of its token',
    permission: 'ProcessManager:getProcessInstance',
    persons: 'one',
    ok: ProcessInstanceWithParameters,
    codes: [100022, 100364],
  }),
  delete: del('/{processInstanceId}', {
    summary: 'Delete a process instance and all data of its end user',
    permission: 'ProcessManager:deleteProcessInstance',
    destructive: true,
    codes: [100022],
  }),
  redact: post('/{processInstanceId}/redact', {
    summary: 'Remove all personal data of a process instance and keep its verdict',
    description:
      'Names, parameters, images, document data, form answers, faces, links to other instances, notes, comments and ' +
      'sessions are removed, also of its child instances. Status, times, events, the checks with their reasons, the verdicts of ' +
      'reviewers and the figures of usage stay. It cannot be undone. The journey must have ended (100056). Repeated ' +
      'calls change nothing. `GET …/erasures/{processInstanceId}` returns the receipt when the images are deleted, too.',
    // Without `persons`: the response shows no personal data, and no read budget must stop a clean-up.
    permission: 'ProcessManager:redactProcessInstance',
    destructive: true,
    body: Empty,
    ok: ProcessInstance,
    codes: [100022, 100056],
  }),
  list: get('', {
    summary: 'List process instances',
    permission: 'ProcessManager:getProcessInstance',
    persons: 'each',
    query: cursorQuery(instanceFilters),
    ok: cursorPage(ProcessInstanceListItem),
  }),
  search: get('/search', {
    summary: 'Search process instances',
    description:
      'Finds instances by the applicant, the searchable parameters and the time of creation, the newest first. ' +
      'Every word must match; for the last word, a beginning of at least 3 characters is enough, but not for an operator whose role is masked. `totalElements` is' +
      ' exact up to 10,000 and never higher. If more instances than that contain every single word, only the newest' +
      ' 50,000 are searched; with several words or a filter, `totalElements` then only says whether there is ' +
      'another page.',
    permission: 'ProcessManager:getProcessInstance',
    persons: 'each',
    query: cursorQuery(searchFilters),
    ok: cursorPage(ProcessInstanceListItem),
  }),
  listEvents: get('/{processInstanceId}/events', {
    summary: 'List the events of a process instance',
    permission: 'ProcessManager:listProcessInstanceEvents',
    query: pageQuery({}),
    ok: page(InstanceEvent),
    codes: [100022],
  }),
  resume: post('/{processInstanceId}/resume', {
    summary: 'Resume a process instance that waits in a pause step',
    permission: 'ProcessManager:resumeProcessInstance',
    persons: 'one',
    body: Resume,
    ok: ProcessInstance,
    codes: [100022, 100062],
  }),
  cancel: post('/{processInstanceId}/cancel', {
    summary: 'Cancel a process instance that has not ended',
    description:
      'The instance ends with the status `COMPLETED_TERMINATED`. The event `instance.terminated` has the reason `cancelled`. ' +
      'Its child instances end, too. What was captured stays until the instance is deleted.',
    permission: 'ProcessManager:cancelProcessInstance',
    persons: 'one',
    audit: 'processInstance.cancelled',
    body: Empty,
    ok: ProcessInstance,
    codes: [100022, 100057],
  }),
  createResumeLink: post('/{processInstanceId}/resumeLink', {
    summary: 'Create a link with which the end user continues on any device',
    description: 'The link works once, within 24 hours. Give it only to the end user.',
    permission: 'ProcessManager:createResumeLink',
    audit: 'processInstance.resumeLinkCreated',
    body: Empty,
    ok: ResumeLink,
    status: 201,
    codes: [100022, 100057, 100366],
  }),
  sendResumeLink: post('/{processInstanceId}/resumeLink/send', {
    summary: 'Send the end user a link by e-mail, with which they continue on any device',
    description:
      'The link works once, within 24 hours. The response does not have it. The limits of messages to end users apply: ' +
      'three an hour for an instance, five a day for an address.',
    permission: 'ProcessManager:sendResumeLink',
    body: ResumeMail,
    ok: SentLink,
    status: 202,
    codes: [100022, 100057, 100160, 100161, 100162, 100366],
  }),
});

export { ProcessInstance };
