import { del, get, group, post } from '../operation.ts';
import { cursorPage, cursorQuery, likeFilter } from '../page.ts';
import { DateTime, Duration, Id, lenientInteger, oneOf, personal, text, withTitle } from '../schema.ts';
import { Type } from '../type.ts';
import { Environment, Parameters } from './parameters.ts';

/** Process tokens (specification 4.7). */

const MAX_INT32 = 2 ** 31 - 1;

const TokenType = oneOf('UNLIMITED', 'MULTI_USE_COUNT_LIMITED', 'MULTI_USE_TIME_LIMITED');
const TokenStatus = oneOf('ACTIVE', 'INACTIVE');
const MadeFor = oneOf('PUSH_NOTIFICATION');

const tokenText = {
  name: text(0, 50, 'A unique name in the tenant; if it is empty, the token is named by its id'),
  description: Type.Optional(text(0, 2000)),
  processDefnTag: Type.Optional(text(1, 50, 'Binds the definition with this tag, instead of a name and version')),
  uiUrl: Type.Optional(text(0, 500, 'The user interface that executes the process')),
  notBeforeDtm: Type.Optional(DateTime),
  notAfterDtm: Type.Optional(DateTime),
  maxProcessDuration: Type.Optional(Type.String({ ...Duration, deprecated: true })),
  forTest: Type.Optional(
    Type.Boolean({
      deprecated: true,
      'x-without-effect': true,
      description: 'Stored and shown. It has no effect: the API key decides what is a test',
    }),
  ),
  parameters: Type.Optional(Parameters),
};

/** Read-only fields may be sent back as they were read; they are ignored. */
const ProcessTokenInput = withTitle(
  'ProcessTokenInput',
  Type.Object({
    ...tokenText,
    processDefnName: Type.Optional(text(0, 50, 'The definition to run; required without `processDefnTag`')),
    processDefnVersion: Type.Optional(lenientInteger(1, MAX_INT32)),
    status: Type.Optional(TokenStatus),
    type: Type.Optional(TokenType),
    maxCount: Type.Optional(lenientInteger(0, MAX_INT32)),
  }),
);

/** Only the fields in the request are changed. The definition may be sent back as it was read, but cannot be changed. */
const ProcessTokenChange = withTitle(
  'ProcessTokenChange',
  Type.Object({
    ...tokenText,
    name: Type.Optional(tokenText.name),
    processDefnName: Type.Optional(text(0, 50)),
    processDefnVersion: Type.Optional(lenientInteger(1, MAX_INT32)),
    status: Type.Optional(TokenStatus),
    type: Type.Optional(TokenType),
    maxCount: Type.Optional(lenientInteger(0, MAX_INT32)),
  }),
);

const ProcessToken = withTitle(
  'ProcessToken',
  Type.Object({
    id: Id,
    tenantId: Type.String(),
    ...tokenText,
    parameters: Type.Optional(personal(Parameters)),
    processDefnName: text(0, 50),
    processDefnVersion: Type.Optional(Type.Integer()),
    status: TokenStatus,
    type: TokenType,
    maxCount: Type.Optional(Type.Integer({ description: 'How many instances the token can create' })),
    madeFor: Type.Optional(MadeFor),
    environment: Environment,
    counter: Type.Integer({ description: 'How many instances the token has created' }),
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
      'Binds a process definition, by name and version, to a token from which instances are created. ' +
      '`MULTI_USE_COUNT_LIMITED` needs `maxCount`, `MULTI_USE_TIME_LIMITED` needs `notAfterDtm`. For `UNLIMITED`, a' +
      ' `maxCount` is stored and shown, but not applied.',
    permission: 'ProcessManager:addProcessToken',
    auditOperators: 'processToken.created',
    body: ProcessTokenInput,
    ok: ProcessToken,
    status: 201,
    codes: [100014, 100023, 100025, 100047, 100065],
  }),
  list: get('', {
    summary: 'List process tokens',
    description:
      'Lists the tokens that callers created. Grove creates tokens too, for push notifications that ask for a ' +
      'process; `madeFor` lists them.',
    permission: 'ProcessManager:listProcessTokens',
    persons: 'each',
    query: cursorQuery({ processTokenSearch: likeFilter('tokens whose name'), madeFor: Type.Optional(MadeFor) }),
    ok: cursorPage(ProcessToken),
  }),
  get: get('/{processTokenId}', {
    summary: 'Get a process token',
    permission: 'ProcessManager:getProcessToken',
    persons: 'one',
    ok: ProcessToken,
    codes: [100021],
  }),
  update: post('/{processTokenId}', {
    summary: 'Change a process token',
    description:
      'Changes only the fields that you send; `parameters` replace all earlier ones. With `status` `INACTIVE`, ' +
      'neither the token nor its link can create an instance. The definition cannot be changed. Existing instances ' +
      'stay as they are.',
    permission: 'ProcessManager:updateProcessToken',
    persons: 'one',
    body: ProcessTokenChange,
    ok: ProcessToken,
    codes: [100014, 100021, 100025],
  }),
  delete: del('/{processTokenId}', {
    summary: 'Delete a process token',
    description: 'The link of the token creates no more instances. Existing instances stay.',
    permission: 'ProcessManager:deleteProcessToken',
    status: 204,
    codes: [100021],
  }),
});
