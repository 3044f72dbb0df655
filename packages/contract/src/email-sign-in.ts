import { del, post } from './operation.ts';
import { Email } from './operators.ts';
import { Empty, text, withTitle } from './schema.ts';
import { Type } from './type.ts';

/** How an operator signs in without a passkey: a link by e-mail, then a code of an authenticator app. */

const SixDigits = text(6, 20, 'The six digits that the app shows');

const enrolment = {
  secret: Type.String({ description: 'base32; shown only once' }),
  uri: Type.String({ description: '`otpauth://totp/…`' }),
  qrCode: Type.String({ description: 'The same as an image, as a `data:` address' }),
};

const Opened = withTitle(
  'EmailLinkOpened',
  Type.Object({
    ceremonyId: Type.String({ description: 'Send it with the code' }),
    enrolment: Type.Optional(
      Type.Object(enrolment, {
        title: 'EmailLinkEnrolment',
        description: 'Present if the operator must set up the app first',
      }),
    ),
  }),
);

const CodeOfApp = withTitle('OperatorCode', Type.Object({ ceremonyId: text(1, 100), code: SixDigits }));
const ofPages = [100067, 100217] as const;
const ofSession = [100067, 100210] as const;

export const emailSignIn = {
  start: post('/signIn/email/start', {
    summary: 'Send a sign-in link by e-mail',
    description:
      'The response is the same whether an operator has the address or not. The link works once, within ten ' +
      'minutes. Grove sends it to operators who have an authenticator app, and to operators who have neither a ' +
      'passkey nor a single sign-on account; these set up an app with the link.',
    auth: 'public',
    body: withTitle('OperatorEmail', Type.Object({ email: Email })),
    ok: Empty,
    codes: [...ofPages, 100160],
  }),
  open: post('/signIn/email/open', {
    summary: 'Open a sign-in link from an e-mail',
    auth: 'public',
    body: withTitle('OperatorEmailCode', Type.Object({ code: text(1, 200, 'The code of the link') })),
    ok: Opened,
    codes: [...ofPages, 100219],
  }),
} as const;

/** How a signed-in operator sets up and removes the authenticator app. */
export const ownCodes = {
  startTotp: post('/totp/start', {
    summary: 'Begin to set up an authenticator app',
    description: 'An earlier app stays valid until the new one is set up.',
    auth: 'operator',
    destructive: true,
    body: Empty,
    ok: withTitle('OperatorTotp', Type.Object({ ceremonyId: Type.String(), ...enrolment })),
    codes: [...ofSession, 100211],
  }),
  completeTotp: post('/totp/complete', {
    summary: 'Complete the setup of an authenticator app with its first code',
    auth: 'operator',
    destructive: true,
    body: CodeOfApp,
    ok: Empty,
    codes: [...ofSession, 100035, 100211, 100350],
  }),
  deleteTotp: del('/totp', {
    summary: 'Remove the authenticator app; the last way to sign in cannot be removed',
    auth: 'operator',
    destructive: true,
    status: 204,
    codes: [...ofSession, 100211, 100220],
  }),
} as const;

export { CodeOfApp, SixDigits };
