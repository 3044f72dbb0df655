import { codesOf, totpCodes } from '../errors.ts';
import { IfUnchanged, lastUpdated } from '../if-unchanged.ts';
import { group, ofUser, post } from '../operation.ts';
import { Empty, nameText, oneOf, personal, text, withTitle } from '../schema.ts';
import { Type } from '../type.ts';
import { AuthenticationResult, User } from './users.ts';

/** Time-based one-time passwords, RFC 6238 (specification 4.10). */

const Algorithm = oneOf('SHA1', 'SHA256', 'SHA512');

const policyFields = {
  ...lastUpdated,
  issuer: Type.Optional(nameText(1, 100, 'What the authenticator app shows, without a colon')),
  algorithm: Type.Optional(Algorithm),
  digits: Type.Optional(Type.Integer({ minimum: 6, maximum: 8, description: 'The digits of a code; default: 6' })),
  period: Type.Optional(
    Type.Integer({ minimum: 15, maximum: 120, description: 'The seconds of a time step; default: 30' }),
  ),
  window: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 5,
      description: 'How many time steps before and after now are accepted; default: 1',
    }),
  ),
};

const TotpPolicyInput = withTitle('TotpPolicyInput', Type.Object({ name: nameText(1, 100), ...policyFields }));
const TotpPolicyChange = withTitle('TotpPolicyChange', Type.Object(policyFields));

export const TotpPolicy = withTitle(
  'TotpPolicy',
  Type.Object({
    name: Type.String(),
    issuer: Type.String(),
    algorithm: Algorithm,
    digits: Type.Integer(),
    period: Type.Integer(),
    window: Type.Integer(),
    ...lastUpdated,
  }),
);

const TotpRegistration = withTitle(
  'TotpRegistration',
  Type.Object({
    secret: Type.String({ description: 'base32; shown in this response only' }),
    uri: personal(Type.String({ description: '`otpauth://totp/…`, with the external id of the user' })),
    qrCode: personal(Type.String({ description: 'The address as a QR code: an SVG data URI' })),
  }),
);

const TotpCode = withTitle('TotpCode', Type.Object({ code: text(1, 10, 'The code that the authenticator app shows') }));

export const totps = group('/api/identity-store/stores/{storeName}', {
  createPolicy: post('/totpPolicy', {
    summary: 'Create a TOTP policy',
    permission: 'IdentityStore:createTotpPolicy',
    audit: 'totpPolicy.created',
    body: TotpPolicyInput,
    ok: TotpPolicy,
    status: 201,
    codes: [100014, 100027, 100065],
  }),
  updatePolicy: post('/totpPolicy/{policyName}', {
    summary: 'Update a TOTP policy',
    description: 'Changes only the fields that you send.',
    permission: 'IdentityStore:updateTotpPolicy',
    audit: 'totpPolicy.updated',
    query: IfUnchanged,
    body: TotpPolicyChange,
    ok: TotpPolicy,
    codes: [100027, 100030, 100351],
  }),
  startRegistration: post(ofUser('/totps/registrations/{policyName}', 'id'), {
    summary: 'Start a TOTP registration',
    description: 'Show `qrCode` to the end user, then complete with the first code.',
    permission: 'IdentityStore:startTotpRegistration',
    persons: 'one',
    body: Empty,
    ok: TotpRegistration,
    status: 201,
    codes: [502, 2100, 100027, 100028, 100030],
  }),
  completeRegistration: post(ofUser('/totps/registrations/{policyName}/complete', 'id', 'ext'), {
    summary: 'Complete a TOTP registration with the first code',
    permission: 'IdentityStore:completeTotpRegistration',
    body: TotpCode,
    ok: User,
    codes: [502, 2100, 100027, 100028, 100030, 100051, 100053],
  }),
  authenticate: post(ofUser('/totps/authentications/{policyName}', 'id', 'ext'), {
    summary: 'Authenticate with a TOTP code',
    description: 'A code is accepted once.',
    permission: 'IdentityStore:authenticateTotp',
    body: TotpCode,
    ok: AuthenticationResult,
    codes: [...codesOf(totpCodes), 100027, 100028, 100030],
  }),
  deregister: post(ofUser('/totps/deregistrations/{policyName}', 'id'), {
    summary: "Delete a user's TOTP",
    permission: 'IdentityStore:deregisterTotp',
    auditOperators: 'totp.deleted',
    persons: 'one',
    body: Empty,
    ok: User,
    codes: [100027, 100028, 100030, 100053],
  }),
});
