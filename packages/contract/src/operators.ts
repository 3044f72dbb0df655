import { IfUnchanged } from './if-unchanged.ts';
import { del, get, group, post } from './operation.ts';
import { likeFilter, page, pageQuery } from './page.ts';
import {
  DateTime,
  Empty,
  Id,
  listOf,
  MAX_LIST_SIZE,
  nameText,
  oneOf,
  text,
  VISIBLE_NAME,
  withTitle,
} from './schema.ts';
import { Type } from './type.ts';

/** The people who run a tenant: operators, their roles, and the sessions of the console. All of it is ours. */

export const MAX_OPERATOR_NAME_LENGTH = 100;
const MAX_ROLE_PERMISSIONS = 200;
export const MAX_PASSKEYS_PER_OPERATOR = 10;

/** Control characters, invisible marks and marks that change the direction: with them, two names could look the same in the audit log. */
const INVISIBLE =
  '\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u061c\\u180e\\u200b\\u200e\\u200f\\u2028-\\u202e\\u2060-\\u206f\\ufeff\\ufff9-\\ufffb';
const IN_EMAIL = `[^\\s@()<>${INVISIBLE}\\u200c\\u200d]`;
/** Names of some scripts need the two joiners. */
const IN_NAME = `[^()<>${INVISIBLE}]`;

export const Email = Type.String({ minLength: 3, maxLength: 254, pattern: `^${IN_EMAIL}+@${IN_EMAIL}+$` });
export const Name = Type.String({
  minLength: 1,
  maxLength: MAX_OPERATOR_NAME_LENGTH,
  pattern: `^(?=.*[^\\s\\u200c\\u200d])${IN_NAME}*$`,
  format: VISIBLE_NAME,
  description: 'The name that the audit log and reviews show',
});
const RoleName = text(1, 50, 'Owner, Administrator, Developer, Reviewer, Auditor, or a role of the tenant');
export const Environments = Type.Array(oneOf('live', 'test'), {
  minItems: 1,
  maxItems: 2,
  uniqueItems: true,
  description: 'Where the operators of this role may work',
});

const Operator = withTitle(
  'Operator',
  Type.Object({
    id: Id,
    name: Type.String(),
    email: Type.Optional(Type.String()),
    role: Type.String(),
    status: {
      ...oneOf('INVITED', 'ACTIVE', 'SUSPENDED'),
      description: 'INVITED until the operator has a passkey. A SUSPENDED operator has no sessions and cannot sign in',
    },
    lockedUntilDtm: Type.Optional(Type.String({ ...DateTime, description: 'Set after five failed attempts' })),
    lastSignInDtm: Type.Optional(DateTime),
    linkExpiringDtm: Type.Optional(Type.String({ ...DateTime, description: 'When the last link expires' })),
    createdDtm: DateTime,
    createdBy: Type.String(),
    lastUpdatedDtm: DateTime,
    lastUpdatedBy: Type.String(),
  }),
);

const OperatorLink = withTitle(
  'OperatorLink',
  Type.Object({
    operator: Operator,
    url: Type.String({ description: 'Lets the operator create a passkey; shown once, works once' }),
    expiringDtm: DateTime,
  }),
);

const OperatorSession = withTitle(
  'OperatorSession',
  Type.Object({
    id: Id,
    browser: Type.String(),
    network: Type.String({ description: 'The network of the address that signed in' }),
    createdDtm: DateTime,
    lastSeenDtm: DateTime,
    expiringDtm: DateTime,
    current: Type.Boolean(),
  }),
);

export const OperatorSessions = withTitle(
  'OperatorSessions',
  Type.Object({ sessions: listOf(OperatorSession, MAX_LIST_SIZE) }),
);

/** Only names: reviewers must be able to mention colleagues whom they may not administer. */
export const colleagues = group('/api/operator-manager/colleagues', {
  list: get('', {
    summary: 'List the names of the operators who can sign in',
    permission: 'OperatorManager:listColleagues',
    ok: withTitle(
      'Colleagues',
      Type.Object({
        colleagues: listOf(Type.Object({ operatorId: Id, name: Type.String() }, { title: 'Colleague' }), MAX_LIST_SIZE),
      }),
    ),
    codes: [100015],
  }),
});

const grantCode = [100015] as const;

export const operators = group('/api/operator-manager/operators', {
  list: get('', {
    summary: 'List the operators of the tenant',
    permission: 'OperatorManager:listOperators',
    query: pageQuery({ name: likeFilter('operators whose name') }),
    ok: page(Operator),
    codes: [100015],
  }),
  invite: post('', {
    summary: 'Invite an operator',
    description:
      'Returns a link with which the operator creates a passkey. It works once, for three days. A caller can give ' +
      'only a role whose permissions it holds.',
    permission: 'OperatorManager:inviteOperator',
    destructive: true,
    audit: 'operator.invited',
    body: withTitle('OperatorInput', Type.Object({ name: Name, email: Email, role: RoleName })),
    ok: OperatorLink,
    status: 201,
    codes: [100014, ...grantCode, 100065, 100211, 100214],
  }),
  get: get('/{operatorId}', {
    summary: 'Get an operator',
    permission: 'OperatorManager:getOperator',
    ok: Operator,
    codes: [100213, 100015],
  }),
  update: post('/{operatorId}', {
    summary: 'Rename, suspend or unlock an operator, or change the role',
    description:
      'Changes only the fields that you send. A suspended operator loses all sessions at once. A caller cannot ' +
      'change an operator whose role holds more than the caller.',
    permission: 'OperatorManager:updateOperator',
    destructive: true,
    audit: 'operator.updated',
    body: withTitle(
      'OperatorChange',
      Type.Object({
        name: Type.Optional(Name),
        role: Type.Optional(RoleName),
        status: Type.Optional(oneOf('ACTIVE', 'SUSPENDED')),
        unlock: Type.Optional(Type.Boolean({ description: 'Ends the lock after failed attempts' })),
      }),
    ),
    ok: Operator,
    codes: [100213, 100214, ...grantCode, 100211, 100212],
  }),
  remove: del('/{operatorId}', {
    summary: 'Remove an operator with all passkeys and sessions',
    permission: 'OperatorManager:removeOperator',
    destructive: true,
    audit: 'operator.removed',
    status: 204,
    codes: [100213, ...grantCode, 100211, 100212],
  }),
  reset: post('/{operatorId}/reset', {
    summary: 'Create a new link for an operator',
    description: 'Ends the passkeys and sessions of the operator, and any earlier link.',
    permission: 'OperatorManager:resetOperator',
    destructive: true,
    audit: 'operator.reset',
    body: Empty,
    ok: OperatorLink,
    codes: [100213, ...grantCode, 100211],
  }),
  listSessions: get('/{operatorId}/sessions', {
    summary: 'List the sessions of an operator',
    permission: 'OperatorManager:listOperatorSessions',
    ok: OperatorSessions,
    codes: [100213, ...grantCode],
  }),
  endSessions: del('/{operatorId}/sessions', {
    summary: 'End all sessions of an operator',
    permission: 'OperatorManager:endOperatorSessions',
    audit: 'operator.sessionsEnded',
    status: 204,
    codes: [100213, ...grantCode],
  }),
});

const Permissions = listOf(
  Type.String({ minLength: 1, maxLength: 200, description: '`TNT#<tenant>#<Component>:<operation>`' }),
  MAX_ROLE_PERMISSIONS,
);

const Role = withTitle(
  'OperatorRole',
  Type.Object({
    name: Type.String(),
    description: Type.Optional(Type.String()),
    permissions: Permissions,
    environments: Environments,
    masked: Type.Boolean({ description: 'Whether operators of this role see personal data masked' }),
    builtIn: Type.Boolean({ description: 'Comes with Grove and cannot be changed' }),
    operators: Type.Integer({ description: 'How many operators have the role' }),
    lastUpdatedDtm: Type.Optional(Type.String({ ...DateTime, description: 'Absent for a built-in role' })),
  }),
);

const roleFields = {
  description: Type.Optional(text(0, 255)),
  permissions: Type.Optional(Permissions),
  environments: Type.Optional(Environments),
  masked: Type.Optional(
    Type.Boolean({
      description:
        'Operators of this role see masked what the contract marks as `x-personal`, such as `J•••`, and no images or ' +
        'archives (100366). Default: false',
    }),
  ),
};

export const operatorRoles = group('/api/operator-manager/roles', {
  list: get('', {
    summary: 'List the roles: first those of Grove, then those of the tenant',
    permission: 'OperatorManager:listRoles',
    ok: withTitle('OperatorRoles', Type.Object({ roles: listOf(Role, MAX_LIST_SIZE) })),
  }),
  create: post('', {
    summary: 'Create a role',
    permission: 'OperatorManager:createRole',
    destructive: true,
    audit: 'operatorRole.created',
    body: withTitle('OperatorRoleInput', Type.Object({ ...roleFields, name: nameText(1, 50) })),
    ok: Role,
    status: 201,
    codes: [264, 100014, ...grantCode, 100065, 100211],
  }),
  update: post('/{roleName}', {
    summary: 'Change a role of the tenant, for everybody who has it',
    permission: 'OperatorManager:updateRole',
    destructive: true,
    audit: 'operatorRole.updated',
    query: IfUnchanged,
    body: withTitle('OperatorRoleChange', Type.Object(roleFields)),
    ok: Role,
    codes: [264, ...grantCode, 100211, 100214, 100351],
  }),
  delete: del('/{roleName}', {
    summary: 'Delete a role that nobody has',
    permission: 'OperatorManager:deleteRole',
    destructive: true,
    audit: 'operatorRole.deleted',
    status: 204,
    codes: [100211, 100214, 100215, ...grantCode],
  }),
});
