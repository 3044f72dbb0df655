import { del, get, group, post } from './operation.ts';
import { likeFilter, page, pageQuery } from './page.ts';
import { DateTime, Empty, listOf, MAX_LIST_SIZE, nameText, nullable, oneOf, text, withTitle } from './schema.ts';
import { Type } from './type.ts';

/** API keys and the bearer tokens they are exchanged for (specification 4.1 to 4.6). */

const MAX_PERMISSIONS = 200;

const PermissionString = Type.String({
  minLength: 1,
  maxLength: 200,
  description: '`TNT#<tenant>#<Component>:<operation>`; a trailing `*` is a wildcard',
});

export const ApiKey = withTitle(
  'ApiKey',
  Type.Object({
    id: nullable(26),
    environment: oneOf('live', 'test'),
    type: oneOf('PERMANENT', 'SESSION'),
    code: Type.String({ description: 'The secret, in the response to create only; masked afterwards' }),
    name: text(1, 255),
    description: Type.Optional(text(0, 255)),
    status: oneOf('ACTIVE', 'BLOCKED', 'ARCHIVED'),
    permissions: listOf(Type.String(), MAX_PERMISSIONS),
    permittedOperations: listOf(Type.String(), MAX_LIST_SIZE, 'The operations these permissions open'),
    createdDtm: DateTime,
    lastUpdatedDtm: DateTime,
    createdBy: Type.String(),
    lastUpdatedBy: Type.String(),
    expiringDtm: Type.Optional(DateTime),
    lastIssuedAtDtm: Type.Optional(DateTime),
  }),
);

const Expiring = Type.Unsafe<string | null>({
  type: ['string', 'null'],
  format: 'date-time',
  maxLength: 40,
  description:
    'From this time on, the key issues no tokens; null means never. A SESSION key must have a time, at most 24 hours ahead',
});

const writable = {
  type: Type.Optional(oneOf('PERMANENT', 'SESSION')),
  description: Type.Optional(text(0, 255)),
  status: Type.Optional(oneOf('ACTIVE', 'BLOCKED', 'ARCHIVED')),
  permissions: Type.Optional(listOf(PermissionString, MAX_PERMISSIONS)),
  expiringDtm: Type.Optional(Expiring),
};

/** Read-only fields may be sent back as they were read; they are ignored. */
const ApiKeyInput = withTitle(
  'ApiKeyInput',
  Type.Object({
    ...writable,
    name: nameText(1, 255),
    environment: Type.Optional(oneOf('live', 'test')),
  }),
);
const ApiKeyChange = withTitle('ApiKeyChange', Type.Object({ ...writable, name: Type.Optional(nameText(1, 255)) }));

const IssuedToken = withTitle(
  'IssuedToken',
  Type.Object({
    token: Type.String({ description: 'A bearer token (JWT, EdDSA); for back ends only, never in a page' }),
    ttl: Type.Integer({ description: 'Seconds until the token expires' }),
  }),
);

export const apiKeys = group('/api/arthr/apiKeys', {
  issue: post('/issue', {
    summary: 'Exchange an API key for a bearer token',
    description: 'Send the key in `X-Api-Key`. Reuse the token until its `ttl` has elapsed.',
    auth: 'apiKey',
    body: Empty,
    ok: IssuedToken,
    codes: [271],
  }),
  list: get('', {
    summary: 'List API keys',
    permission: 'ArthrServer:listTenantApiKeys',
    query: pageQuery({
      name: likeFilter('keys whose name'),
      expiringWithinDays: Type.Optional(
        Type.Integer({ minimum: 1, maximum: 366, description: 'Only active keys that expire within so many days' }),
      ),
    }),
    ok: page(ApiKey),
  }),
  create: post('', {
    summary: 'Create an API key',
    description: 'The secret is in `code`, in this response only. Only `name` is required.',
    permission: 'ArthrServer:createTenantApiKey',
    destructive: true,
    audit: 'apiKey.created',
    body: ApiKeyInput,
    ok: ApiKey,
    status: 201,
    codes: [264, 100014, 100015, 100017],
  }),
  get: get('/{apiKeyId}', {
    summary: 'Get an API key',
    permission: 'ArthrServer:getFromTenant',
    ok: ApiKey,
    codes: [130],
  }),
  update: post('/{apiKeyId}', {
    summary: 'Update an API key',
    description:
      'Changes only the fields that you send. Blocking or archiving a key ends its tokens. If a key has a ' +
      'permission that the caller lacks, the caller can block it, but not change it otherwise.',
    permission: 'ArthrServer:updateTenantApiKey',
    destructive: true,
    audit: 'apiKey.updated',
    body: ApiKeyChange,
    ok: ApiKey,
    codes: [130, 264, 100014, 100015],
  }),
  delete: del('/{apiKeyId}', {
    summary: 'Delete an API key permanently',
    description: 'The caller must hold all permissions of the key.',
    permission: 'ArthrServer:deleteFromTenant',
    destructive: true,
    audit: 'apiKey.deleted',
    status: 204,
    codes: [130, 100015],
  }),
});
