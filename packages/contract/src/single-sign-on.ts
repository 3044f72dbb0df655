import { IfUnchanged } from './if-unchanged.ts';
import { del, get, group, post } from './operation.ts';
import { DateTime, listOf, text, withTitle } from './schema.ts';
import { Type } from './type.ts';

/** How the operators of a tenant sign in with the accounts of their company, by OpenID Connect. All of it is ours. */
const MAX_GROUPS = 50;
const MAX_SCOPES = 20;

const fields = {
  issuer: Type.String({
    minLength: 8,
    maxLength: 500,
    pattern: '^https?://[^\\s?#]+$',
    description: 'The address of the provider, as its discovery document names it',
  }),
  clientId: text(1, 255, 'The id that the provider gave to Grove'),
  clientSecretName: Type.Optional(
    text(
      1,
      100,
      'The live cloud secret that holds the client secret. It must be bound to the host of the provider. A public client has none',
    ),
  ),
  scopes: Type.Optional(
    listOf(text(1, 100), MAX_SCOPES, 'The requested scopes in addition to `openid`; default: `profile` and `email`'),
  ),
  groupsClaim: Type.Optional(text(1, 100, 'The claim of the ID token that lists the groups; default: `groups`')),
  roles: Type.Array(Type.Object({ group: text(1, 255), role: text(1, 50) }, { title: 'GroupRole' }), {
    minItems: 1,
    maxItems: MAX_GROUPS,
    description:
      'An account gets the role of the first group that it belongs to. An account in none of them cannot sign in',
  }),
};

const SingleSignOn = withTitle(
  'SingleSignOn',
  Type.Object({
    ...fields,
    scopes: listOf(Type.String(), MAX_SCOPES),
    groupsClaim: Type.String(),
    redirectUrl: Type.String({ description: 'The redirect address to register at the provider' }),
    lastUpdatedDtm: DateTime,
  }),
);

export const singleSignOn = group('/api/operator-manager/singleSignOn', {
  get: get('', {
    summary: 'Get the configuration of single sign-on',
    permission: 'OperatorManager:getSingleSignOn',
    ok: SingleSignOn,
    codes: [100234],
  }),
  set: post('', {
    summary: 'Set up or change single sign-on',
    description:
      'Grove reads the discovery document of the provider at once, so that it reports a wrong address here. A ' +
      'caller can map groups only to roles whose permissions it holds. If you read that none is set up (100234), send ' +
      '`ifLastUpdatedDtm=1970-01-01T00:00:00.000Z`.',
    permission: 'OperatorManager:setSingleSignOn',
    destructive: true,
    audit: 'singleSignOn.updated',
    query: IfUnchanged,
    body: withTitle('SingleSignOnInput', Type.Object(fields)),
    ok: SingleSignOn,
    codes: [100015, 100211, 100214, 100235, 100351],
  }),
  remove: del('', {
    summary: 'End single sign-on',
    description: 'The sessions end, and operators who signed in this way need a new link: see `operators.reset`.',
    permission: 'OperatorManager:removeSingleSignOn',
    destructive: true,
    audit: 'singleSignOn.removed',
    status: 204,
    codes: [100015, 100211, 100234],
  }),
});

export const SignInOptions = withTitle(
  'SignInOptions',
  Type.Object({
    singleSignOn: Type.Boolean({ description: 'Whether the page offers single sign-on' }),
    emailLink: Type.Boolean({ description: 'Whether the page offers a link by e-mail: this server sends e-mail' }),
  }),
);
export const SingleSignOnStart = withTitle(
  'SingleSignOnStart',
  Type.Object({
    again: Type.Optional(
      Type.Boolean({ description: 'Whether the provider must ask the person again although it knows the browser' }),
    ),
  }),
);
export const SingleSignOnUrl = withTitle('SingleSignOnUrl', Type.Object({ url: Type.String() }));
export const SingleSignOnAnswer = withTitle(
  'SingleSignOnAnswer',
  Type.Object({ query: text(1, 4000, 'The query of the address to which the provider sent the browser') }),
);
