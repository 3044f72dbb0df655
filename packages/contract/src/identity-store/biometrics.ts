import { codesOf, faceCodes } from '../errors.ts';
import { group, ofUser, post } from '../operation.ts';
import { Id, ImageData, MAX_IMAGE_BODY_BYTES, oneOf, text, withTitle } from '../schema.ts';
import { Type } from '../type.ts';
import { User } from './users.ts';

/** Biometrics of users: enrolment, face authentication and failures that happened elsewhere (specification 4.10). */

const ContentType = text(0, 100, 'Such as `image/jpeg`; recognised from the data when absent');

const Subtype = text(0, 50, '`FRONTAL`, which is the default');

/** `data` is not required by the schema: its absence has a code of its own (20114). */
const BiometricInput = withTitle(
  'BiometricInput',
  Type.Object({
    data: Type.Optional(ImageData),
    contentType: Type.Optional(ContentType),
    subtype: Type.Optional(Subtype),
    algorithm: Type.Optional(text(0, 50, 'Default: the only algorithm')),
    status: Type.Optional({
      ...oneOf('ACTIVE', 'DISABLED'),
      description: 'A disabled face stays stored but matches nobody; without `data`, only the status is changed',
    }),
  }),
);

const BiometricFailure = withTitle(
  'BiometricFailure',
  Type.Object({
    type: text(1, 50, 'The biometric that failed, such as `face`'),
    reason: Type.Optional(text(0, 255)),
  }),
);

/** Absent members and thresholds out of range have codes of their own (20114, 20123 to 20126), so the schema accepts them. */
const FaceAuthentication = withTitle(
  'FaceAuthentication',
  Type.Object({
    data: Type.Optional(ImageData),
    contentType: Type.Optional(ContentType),
    type: Type.Optional(text(0, 50, '`face`, which is the default')),
    subtype: Type.Optional(Subtype),
    matchingProcess: Type.Optional(
      Type.Object({
        algorithm: Type.Optional(text(0, 50, '`GROVE_FACE_512_1`')),
        threshold: Type.Optional(
          Type.Number({
            description: 'From 0 to 1; a similarity at or above it passes. It cannot go below the floor of the store',
          }),
        ),
        internalThreshold: Type.Optional(
          Type.Number({ description: 'From 0 to 1; at or above it the stored template may be refreshed' }),
        ),
      }),
    ),
  }),
);

const FaceAuthenticationResult = withTitle(
  'FaceAuthenticationResult',
  Type.Object({
    authenticationId: Id,
    score: Type.Number({ description: 'The similarity, from 0 to 1; higher is better. Two decimals, rounded down' }),
    user: User,
  }),
);

export const biometrics = group('/api/identity-store/stores/{storeName}', {
  update: post(ofUser('/biometrics/{type}', 'id', 'ext'), {
    summary: "Enrol or update a user's biometric",
    description:
      'The face replaces the previous one. Grove does not store the image, and never returns what it stores.',
    permission: 'IdentityStore:updateUserBiometric',
    auditOperators: 'biometric.updated',
    persons: 'one',
    body: BiometricInput,
    ok: User,
    codes: [8, 502, 2005, 2006, 2100, 20114, 20115, 20120, 100141, 100027, 100028, 100082],
    maxBodyBytes: MAX_IMAGE_BODY_BYTES,
  }),
  recordFailure: post(ofUser('/biometrics/authentications/failure', 'id', 'ext'), {
    summary: 'Record a biometric authentication that failed elsewhere',
    description: 'Counts towards the lock of the modality.',
    permission: 'IdentityStore:recordBiometricFailure',
    persons: 'one',
    body: BiometricFailure,
    ok: User,
    codes: [2005, 20115, 100027, 100028, 100082],
  }),
  authenticateFace: post(ofUser('/biometrics/authentications/face', 'ext'), {
    summary: 'Authenticate a user by face',
    permission: 'IdentityStore:authenticateFace',
    body: FaceAuthentication,
    ok: FaceAuthenticationResult,
    codes: [...codesOf(faceCodes), 502, 100027, 100028, 100082],
    maxBodyBytes: MAX_IMAGE_BODY_BYTES,
  }),
});
