import { Type } from 'typebox';
import { del, get, group, post } from './operation.ts';
import { likeFilter, page, pageQuery } from './page.ts';
import {
  anyObject,
  CalendarDate,
  DateTime,
  Duration,
  Empty,
  Id,
  lenientInteger,
  listOf,
  named,
  oneOf,
  stringMap,
  text,
} from './schema.ts';

/** Process tokens, the instances made from them, and their neighbours (specification 4.7, 4.8 and 4.11). */

const MAX_INT32 = 2 ** 31 - 1;

const TokenType = oneOf('UNLIMITED', 'MULTI_USE_COUNT_LIMITED', 'MULTI_USE_TIME_LIMITED');
const TokenStatus = oneOf('ACTIVE', 'INACTIVE');

const parameters = {
  ...stringMap(100, 4000),
  description:
    'Attached to the instances; any keys. `firstName`, `lastName`, `email` and `phoneNumber` describe the applicant, ' +
    '`_redirectUrl` is where the end user is sent at the end.',
};

const tokenText = {
  name: text(0, 50, 'A name of its own in the tenant'),
  description: Type.Optional(text(0, 255)),
  processDefnTag: Type.Optional(text(1, 50, 'Binds the definition that bears this tag, instead of a name and version')),
  uiUrl: Type.Optional(text(0, 500, 'The user interface that executes the process')),
  notBeforeDtm: Type.Optional(DateTime),
  notAfterDtm: Type.Optional(DateTime),
  maxProcessDuration: Type.Optional(Type.String({ ...Duration, deprecated: true })),
  forTest: Type.Optional(Type.Boolean({ deprecated: true })),
  parameters: Type.Optional(parameters),
};

/** Read-only fields may be sent back as they were read; they are ignored. */
const ProcessTokenInput = named(
  'ProcessTokenInput',
  Type.Object({
    ...tokenText,
    processDefnName: Type.Optional(text(0, 50, 'The definition to run; required unless `processDefnTag` is given')),
    processDefnVersion: Type.Optional(lenientInteger(1, MAX_INT32)),
    status: Type.Optional(TokenStatus),
    type: Type.Optional(TokenType),
    maxCount: Type.Optional(lenientInteger(1, MAX_INT32)),
  }),
);

const ProcessToken = named(
  'ProcessToken',
  Type.Object({
    id: Id,
    tenantId: Type.String(),
    ...tokenText,
    processDefnName: text(0, 50),
    processDefnVersion: Type.Optional(Type.Integer()),
    status: TokenStatus,
    type: TokenType,
    maxCount: Type.Optional(Type.Integer({ description: 'How many instances the token can make' })),
    counter: Type.Integer({ description: 'How many instances the token has made' }),
    startProcessAddress: Type.String({ description: 'A link that starts the process' }),
    createdDtm: DateTime,
    createdBy: Type.String(),
    lastUpdatedDtm: DateTime,
    lastUpdatedBy: Type.String(),
  }),
);

export const processTokens = group('/api/process-manager/processTokens', {
  create: post('', {
    summary: 'Create a process token',
    description:
      'Binds a process definition, by name and version, to a token that instances are made from. ' +
      '`MULTI_USE_COUNT_LIMITED` needs `maxCount`, `MULTI_USE_TIME_LIMITED` needs `notAfterDtm`.',
    permission: 'ProcessManager:addProcessToken',
    body: ProcessTokenInput,
    ok: ProcessToken,
    status: 201,
    codes: [100014, 100023, 100025],
  }),
  list: get('', {
    summary: 'List process tokens',
    permission: 'ProcessManager:listProcessTokens',
    query: pageQuery({ processTokenSearch: likeFilter('tokens whose name') }),
    ok: page(ProcessToken),
  }),
});

const InstanceStatus = oneOf(
  'PENDING',
  'ACTIVE',
  'PAUSED',
  'REVIEW',
  'COMPLETED_ENDED_SUCCESS',
  'COMPLETED_ENDED_ERROR',
  'COMPLETED_PROCESS_ERROR',
  'COMPLETED_TERMINATED',
);

const StatusMapped = oneOf('Pending', 'In Progress', 'Paused', 'Review', 'Accepted', 'Declined', 'Error', 'Abandoned');

const ProcessInstanceCreated = named(
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
  lastName: Type.Optional(Type.String()),
  firstName: Type.Optional(Type.String()),
  phoneNumber: Type.Optional(Type.String()),
  email: Type.Optional(Type.String()),
  status: InstanceStatus,
  retentionDays: Type.Optional(Type.Integer({ description: 'Days the process definition keeps its instances' })),
  expiringDtm: Type.Optional(Type.String({ ...DateTime, description: 'From then on the instance can be deleted' })),
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
};

const ProcessInstance = named('ProcessInstance', Type.Object(plainView));

const ProcessInstanceListItem = named(
  'ProcessInstanceListItem',
  Type.Object({
    ...plainView,
    scheduledExpiry: Type.Optional(Type.Boolean({ description: 'True when it will be deleted after its retention' })),
    extendedSearchField: Type.Optional(Type.String()),
    extendedSearchTerms: Type.Optional(listOf(Type.String(), 100)),
  }),
);

const ProcessInstanceWithParameters = named(
  'ProcessInstanceWithParameters',
  Type.Object({
    ...instanceFields,
    createdDtm: DateTime,
    lastUpdatedDtm: DateTime,
    processTokenId: Type.Optional(Id),
    processTokenCounter: Type.Optional(Type.Integer()),
    processServerId: Type.Optional(Type.String()),
    dateOfBirth: Type.Optional(CalendarDate),
    processDefnS3Bucket: Type.Optional(Type.String()),
    processDefnS3Dir: Type.Optional(Type.String()),
    processDefinitionType: Type.Optional(Type.String()),
    processTokenParameters: anyObject('The parameters of the process token, as this instance received them'),
  }),
);

/** What a templated process token leaves to the moment its instance is made. */
const InstanceOverrides = named(
  'InstanceOverrides',
  Type.Object({
    parameters: Type.Optional(parameters),
    name: Type.Optional(text(0, 50)),
    description: Type.Optional(text(0, 255)),
    notAfterDtm: Type.Optional(DateTime),
  }),
);

const FromToken = Type.Object({ pt: text(1, 50, 'The id of the process token') });

const instanceFilters = {
  processDefinitionName: likeFilter('instances whose process definition name'),
  processDefinitionId: Type.Optional(text(0, 50)),
  processInstanceStatus: Type.Optional(InstanceStatus),
};

export const processInstances = group('/api/process-manager/processInstances', {
  create: post('/create', {
    summary: 'Create a process instance from a process token',
    description: 'Redirect the end user to `redirectUrl`. Takes one use of the token.',
    permission: 'ProcessManager:createProcessInstance',
    query: FromToken,
    body: Empty,
    ok: ProcessInstanceCreated,
    status: 201,
    codes: [100021, 100024],
  }),
  start: post('', {
    summary: 'Create a process instance and redirect to it',
    description: 'The optional body fills in a templated process token for this instance alone.',
    permission: 'ProcessManager:startProcessInstance',
    query: FromToken,
    body: InstanceOverrides,
    status: 307,
    codes: [100021, 100024, 100025],
  }),
  get: get('/{processInstanceId}', {
    summary: 'Get a process instance',
    permission: 'ProcessManager:getProcessInstance',
    ok: ProcessInstance,
    codes: [100022],
  }),
  getWithParameters: get('/{processInstanceId}/withParameters', {
    summary: 'Get a process instance with the parameters of its token',
    permission: 'ProcessManager:getProcessInstance',
    ok: ProcessInstanceWithParameters,
    codes: [100022],
  }),
  delete: del('/{processInstanceId}', {
    summary: 'Delete a process instance and all data of its end user',
    permission: 'ProcessManager:deleteProcessInstance',
    codes: [100022],
  }),
  list: get('', {
    summary: 'List process instances',
    permission: 'ProcessManager:getProcessInstance',
    query: pageQuery(instanceFilters),
    ok: page(ProcessInstanceListItem),
  }),
  search: get('/search', {
    summary: 'Search process instances',
    description: 'Finds instances by the applicant, the searchable parameters and the time of creation.',
    permission: 'ProcessManager:getProcessInstance',
    query: pageQuery({
      ...instanceFilters,
      searchString: Type.Optional(text(0, 255, 'Words of the name, e-mail, telephone number or id')),
      startDateTime: Type.Optional(Type.String({ ...DateTime, description: 'Created at or after' })),
      endDateTime: Type.Optional(Type.String({ ...DateTime, description: 'Created before' })),
    }),
    ok: page(ProcessInstanceListItem),
  }),
});

const ProcessDefinitionTag = named(
  'ProcessDefinitionTag',
  Type.Object({
    name: text(1, 50),
    processDefinitionId: Id,
    processDefnName: Type.Optional(Type.String()),
    processDefnVersion: Type.Optional(Type.Integer()),
    createdDtm: Type.Optional(DateTime),
    createdBy: Type.Optional(Type.String()),
  }),
);

const TagInput = named('TagInput', Type.Object({ name: text(1, 50, 'A name of its own in the tenant') }));

export const processDefinitions = group('/api/process-manager/processDefinitions', {
  listTags: get('/tags', {
    summary: 'List the tags of process definitions',
    permission: 'ProcessManager:listProcessDefinitionTags',
    query: pageQuery({ name: likeFilter('tags whose name') }),
    ok: page(ProcessDefinitionTag),
  }),
  addTag: post('/{processDefinitionId}/tags', {
    summary: 'Put a tag on a process definition',
    description: 'A tag is on one definition at a time; putting it on another moves it there.',
    permission: 'ProcessManager:addProcessDefinitionTag',
    body: TagInput,
    ok: ProcessDefinitionTag,
    status: 201,
    codes: [100023],
  }),
});

const CloudSecret = named(
  'CloudSecret',
  Type.Object({
    id: Id,
    name: Type.String(),
    description: Type.Optional(Type.String()),
    type: oneOf('STRING', 'NUMBER', 'BINARY'),
    createdDtm: DateTime,
    lastUpdatedDtm: DateTime,
    createdBy: Type.Optional(Type.String()),
    lastUpdatedBy: Type.Optional(Type.String()),
  }),
);

export const cloudSecrets = group('/api/process-manager/cloudSecrets', {
  list: get('', {
    summary: 'List cloud secrets',
    description: 'Values can be written but never read, so none is here.',
    permission: 'ProcessManager:listCloudSecrets',
    query: pageQuery({ name: likeFilter('secrets whose name') }),
    ok: page(CloudSecret),
  }),
});
