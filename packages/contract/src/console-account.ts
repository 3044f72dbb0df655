import { CodeOfApp, emailSignIn, ownCodes, SixDigits } from './email-sign-in.ts';
import { del, get, group, post } from './operation.ts';
import { Email, Environments, MAX_PASSKEYS_PER_OPERATOR, Name, OperatorSessions } from './operators.ts';
import { savedViews } from './saved-views.ts';
import { anyObject, DateTime, Empty, Id, listOf, MAX_LIST_SIZE, text, withTitle } from './schema.ts';
import { SignInOptions, SingleSignOnAnswer, SingleSignOnStart, SingleSignOnUrl } from './single-sign-on.ts';
import { Type } from './type.ts';

const Credential = anyObject('RegistrationResponseJSON or AuthenticationResponseJSON of WebAuthn');

const Ceremony = withTitle(
  'OperatorCeremony',
  Type.Object({
    ceremonyId: Type.String({ description: 'Send it when you complete the ceremony; it works once' }),
    publicKey: anyObject('The options for the browser, in the JSON form of WebAuthn'),
  }),
);

const Completion = withTitle(
  'OperatorCeremonyCompletion',
  Type.Object({ ceremonyId: text(1, 100), credential: Credential }),
);

const ConsoleSession = withTitle(
  'ConsoleSession',
  Type.Object({
    tenantId: Type.String(),
    tenantName: Type.String(),
    region: Type.String(),
    operator: Type.Object({ id: Id, name: Type.String(), email: Type.Optional(Type.String()), role: Type.String() }),
    permissions: listOf(Type.String(), MAX_LIST_SIZE, 'The permissions of the role'),
    environments: Environments,
    masked: Type.Boolean({ description: 'Whether the role sees personal data masked' }),
    ofInstallation: Type.Boolean({
      description: 'Whether the operator may also manage all tenants of the installation',
    }),
    sessionId: Id,
    authenticatedDtm: Type.String({ ...DateTime, description: 'When the passkey was used last' }),
    idleSeconds: Type.Integer({ description: 'How long the session lasts without a request' }),
    expiringDtm: Type.String({ ...DateTime, description: 'When the session ends in any case' }),
  }),
);

const OperatorPasskey = Type.Object(
  { id: Id, name: Type.String(), createdDtm: DateTime, lastUsedDtm: Type.Optional(DateTime) },
  { title: 'OperatorPasskey' },
);

const Invitation = withTitle(
  'OperatorInvitation',
  Type.Object({
    tenantName: Type.String(),
    name: Type.String(),
    email: Type.Optional(Type.String()),
    role: Type.String(),
    ceremonyId: Type.String(),
    publicKey: anyObject('The options for the browser, in the JSON form of WebAuthn'),
  }),
);

const Code = text(1, 200, 'The code of the link');
const ofPages = [100067, 100217] as const;

/** What the pages of the console call before an operator has signed in, and what operators do with their own account. */
export const consoleAccount = group('/api/console', {
  startSignIn: post('/signIn/start', {
    summary: 'Begin to sign in with a passkey',
    auth: 'public',
    body: Empty,
    ok: Ceremony,
    codes: ofPages,
  }),
  completeSignIn: post('/signIn/complete', {
    summary: 'Complete the sign-in with a passkey: sets the session cookie',
    auth: 'public',
    body: Completion,
    ok: ConsoleSession,
    codes: [...ofPages, 100035, 100216, 100218],
  }),
  signInOptions: get('/signIn', {
    summary: 'List the ways in which operators can sign in',
    auth: 'public',
    ok: SignInOptions,
    codes: [100217],
  }),
  startSingleSignOn: post('/singleSignOn/start', {
    summary: 'Begin to sign in with single sign-on',
    description:
      'Returns the address of the provider, to which the page sends the browser, and sets a cookie that binds the ' +
      'sign-in to this browser.',
    auth: 'public',
    body: SingleSignOnStart,
    ok: SingleSignOnUrl,
    codes: [...ofPages, 100234, 100235],
  }),
  completeSingleSignOn: post('/singleSignOn/complete', {
    summary: 'Complete single sign-on with the answer of the provider: sets the session cookie',
    auth: 'public',
    body: SingleSignOnAnswer,
    ok: ConsoleSession,
    codes: [...ofPages, 100035, 100065, 100212, 100234, 100235, 100236, 100237, 100238],
  }),
  startEmailSignIn: emailSignIn.start,
  openEmailLink: emailSignIn.open,
  completeEmailSignIn: post('/signIn/email/complete', {
    summary: 'Sign in with the code of the authenticator app: sets the session cookie',
    auth: 'public',
    body: CodeOfApp,
    ok: ConsoleSession,
    codes: [...ofPages, 100035, 100216, 100350],
  }),
  openInvitation: post('/invitation/open', {
    summary: 'Show an invitation, and begin to create a passkey',
    auth: 'public',
    body: withTitle('OperatorInvitationCode', Type.Object({ code: Code })),
    ok: Invitation,
    codes: [...ofPages, 100219],
  }),
  acceptInvitation: post('/invitation/accept', {
    summary: 'Create the passkey and sign in; the link cannot be used again',
    auth: 'public',
    body: withTitle(
      'OperatorInvitationAnswer',
      Type.Object({
        code: Code,
        ceremonyId: text(1, 100),
        credential: Credential,
        name: Type.Optional(Name),
        email: Type.Optional(Email),
      }),
    ),
    ok: ConsoleSession,
    codes: [...ofPages, 100014, 100035, 100094, 100218, 100219],
  }),
  getSession: get('/session', {
    summary: 'Get who is signed in, and what they may do',
    auth: 'operator',
    ok: ConsoleSession,
    codes: [100210],
  }),
  signOut: post('/signOut', {
    summary: 'Sign out: the session ends',
    auth: 'operator',
    body: Empty,
    ok: Empty,
    codes: [100067, 100210],
  }),
  startConfirmation: post('/confirmation/start', {
    summary: 'Begin to confirm a destructive operation with the passkey',
    auth: 'operator',
    body: Empty,
    ok: Ceremony,
    codes: [100067, 100210, 100239],
  }),
  completeConfirmation: post('/confirmation/complete', {
    summary: 'Confirm a destructive operation with the passkey',
    auth: 'operator',
    body: Completion,
    ok: ConsoleSession,
    codes: [100035, 100067, 100210, 100216, 100218],
  }),
  confirmByCode: post('/confirmation/code', {
    summary: 'Confirm a destructive operation with a code of the authenticator app',
    auth: 'operator',
    body: withTitle('OperatorConfirmationCode', Type.Object({ code: SixDigits })),
    ok: ConsoleSession,
    codes: [100067, 100210, 100216, 100239, 100350],
  }),
  ...ownCodes,
  ...savedViews,
  listSessions: get('/sessions', {
    summary: 'List your own sessions',
    auth: 'operator',
    ok: OperatorSessions,
    codes: [100210],
  }),
  endSession: del('/sessions/{operatorSessionId}', {
    summary: 'End one of your own sessions',
    auth: 'operator',
    status: 204,
    codes: [100035, 100067, 100210],
  }),
  listPasskeys: get('/passkeys', {
    summary: 'List your own passkeys',
    auth: 'operator',
    ok: withTitle(
      'OperatorPasskeys',
      Type.Object({
        passkeys: listOf(OperatorPasskey, MAX_PASSKEYS_PER_OPERATOR),
        totp: Type.Boolean({ description: 'Whether an authenticator app is set up' }),
      }),
    ),
    codes: [100210],
  }),
  startPasskey: post('/passkeys/start', {
    summary: 'Begin to add a passkey',
    auth: 'operator',
    destructive: true,
    body: Empty,
    ok: Ceremony,
    codes: [100038, 100067, 100210, 100211],
  }),
  completePasskey: post('/passkeys/complete', {
    summary: 'Add the passkey',
    auth: 'operator',
    destructive: true,
    body: Completion,
    ok: OperatorPasskey,
    codes: [100035, 100038, 100067, 100094, 100210, 100211, 100218],
  }),
  deletePasskey: del('/passkeys/{operatorPasskeyId}', {
    summary: 'Delete one of your own passkeys; the last one cannot be deleted',
    auth: 'operator',
    destructive: true,
    status: 204,
    codes: [100031, 100067, 100210, 100211, 100220],
  }),
});
