import { Assurance } from './assurance.ts';
import { get, group, post } from './operation.ts';
import {
  anyObject,
  DateTime,
  Empty,
  listOf,
  MAX_LIST_SIZE,
  mapOf,
  oneOf,
  personal,
  text,
  withTitle,
} from './schema.ts';
import { Type } from './type.ts';

/** The data of the end user, and the results of the checks (specification 4.9). */

const MAX_ITEMS_OF_A_KIND = 100;

const Image = withTitle(
  'UserDataImage',
  Type.Object({
    path: Type.String({ description: 'Pass it to getdata to read the image' }),
    contentType: Type.Optional(Type.String()),
  }),
);

const personalText = (options: { description?: string }) => personal(Type.String(options));

const BiographicField = withTitle(
  'BiographicField',
  Type.Object({
    fieldName: Type.String({ description: 'Such as `Document Number`' }),
    values: Type.Object({
      visualZoneValue: Type.Optional(
        personalText({
          description:
            'As printed. A date is `YYYY-MM-DD` if its order is known or the zone confirms it; otherwise it has the form ' +
            'of the print, such as `12 AUG 1974`. For dates, prefer the other two',
        }),
      ),
      mrzValue: Type.Optional(personalText({ description: 'From the machine-readable zone; dates are `YYYY-MM-DD`' })),
      barcodeValue: Type.Optional(personalText({ description: 'From the barcode; dates are `YYYY-MM-DD`' })),
      correctedValue: Type.Optional(
        personalText({ description: 'What a reviewer says that the document says. It counts in place of the others' }),
      ),
    }),
  }),
);

const Mark = withTitle(
  'PictureMark',
  Type.Object({
    kind: oneOf('outline', 'zone', 'face', 'landmarks'),
    points: listOf(Type.Number(), 400, 'x and y in turn, as shares of the width and the height of the picture'),
  }),
);
const MAX_MARKS = 20;

const Correction = withTitle(
  'UserDataCorrection',
  Type.Object({
    fieldName: Type.String(),
    before: personalText({ description: 'The value until then; empty if the field was not read' }),
    value: personalText({}),
    comment: Type.String({ description: 'Why' }),
    reviewer: Type.String(),
    correctedDtm: DateTime,
  }),
);
const MAX_CORRECTIONS = 50;

const Document = withTitle(
  'UserDataDocument',
  Type.Object({
    documentType: Type.Optional(oneOf('PASSPORT', 'ID_CARD', 'DRIVERS_LICENSE', 'OTHER')),
    countryCode: Type.Optional(Type.String({ description: 'ISO 3166-1 alpha-3' })),
    biographicData: listOf(BiographicField, 200),
    corrections: Type.Optional(
      listOf(Correction, MAX_CORRECTIONS, 'The corrections of reviewers, the first one first'),
    ),
    images: mapOf(
      Image,
      MAX_ITEMS_OF_A_KIND,
      '`front`, `back`, and the images cropped from them: `front.cropped`, `back.cropped`, `portrait`; absent when `optimized`',
    ),
    marks: Type.Optional(
      mapOf(
        listOf(Mark, MAX_MARKS),
        MAX_ITEMS_OF_A_KIND,
        'The positions of the findings, by the name of the photograph',
      ),
    ),
  }),
);

const UserData = withTitle(
  'UserData',
  Type.Object({
    documents: mapOf(Document, MAX_ITEMS_OF_A_KIND, 'By the key of the step, such as `doc1`'),
    faces: mapOf(
      personal(anyObject('A captured face')),
      MAX_ITEMS_OF_A_KIND,
      'By the key of the step, such as `face1`',
    ),
    forms: mapOf(
      personal(anyObject('The answers, by field')),
      MAX_ITEMS_OF_A_KIND,
      'By the key of the step, such as `form1`',
    ),
    _checks: personal(anyObject('The outcome of each check, by the id of its step')),
    _decision: Type.Optional(Type.String({ description: 'The decision of the journey: PASS, FAIL or REVIEW' })),
    _assurance: Assurance,
  }),
);

const UserDataItem = withTitle(
  'UserDataItem',
  Type.Object({
    contentType: Type.String(),
    data: Type.String({ contentEncoding: 'base64', description: 'The content, base64' }),
  }),
);

const Check = withTitle(
  'Check',
  Type.Object({
    id: Type.String(),
    step: Type.String(),
    name: Type.String(),
    type: oneOf('document', 'face', 'liveness', 'watchlist', 'form', 'http', 'identity'),
    status: Type.Unsafe<'PASSED' | 'FAILED' | 'REVIEW' | 'NOT_PERFORMED'>({
      ...oneOf('PASSED', 'FAILED', 'REVIEW', 'NOT_PERFORMED'),
      description: 'A check that could not run is NOT_PERFORMED, never PASSED',
    }),
    score: Type.Optional(Type.Number()),
    threshold: Type.Optional(Type.Number()),
    reason: Type.Optional(
      Type.String({
        description:
          'Why the check did not pass; or what a passed check is based on: `challenge_answered` (the requested ' +
          'movements were seen), `no_signs_found` (the document showed no signs of a forgery)',
      }),
    ),
    code: Type.Optional(
      Type.Integer({
        description: 'For a face that cannot be used: 748 if no face was found, 802 if its quality is too low',
      }),
    ),
    advice: Type.Optional(oneOf('retry', 'final')),
    attempts: Type.Integer(),
    dateTime: DateTime,
    metaData: Type.Optional(personal(anyObject('What else the check found'))),
  }),
);

const SignedResult = withTitle(
  'SignedResult',
  Type.Object({
    jws: Type.String({
      description:
        'A JWT of type `grove-result+jwt` with `iss`, `aud` (the tenant), `sub` (the instance), `iat`, `status`, ' +
        '`decision`, `checks` (step, name, status, reason) and `assurance` (what was assessed, and how). It has no ' +
        'personal data',
    }),
    kid: Type.String({ description: 'The key of `/.well-known/jwks.json` that signed it' }),
    expiringDtm: Type.Optional(
      Type.String({ ...DateTime, description: 'The instance can be deleted from then on; the result stays valid' }),
    ),
  }),
);

export const userData = group(
  '/api/userdata-server/processDefinitions/{processDefnId}/processInstances/{processInstanceId}',
  {
    get: get('/userdata', {
      summary: 'Get the user data of a process instance',
      description: 'Images are references; read one with getdata.',
      permission: 'UserDataServer:getProcessInstanceUserData',
      persons: 'one',
      query: Type.Object({
        optimized: Type.Optional(Type.Boolean({ default: false, description: 'Leave out images' })),
      }),
      ok: UserData,
      codes: [100022, 100364],
    }),
    getItem: get('/getdata', {
      summary: 'Get one item of user data, such as a captured image',
      description: 'With `Accept: image/*`, the response is the image itself instead of JSON.',
      permission: 'UserDataServer:getProcessInstanceUserData',
      persons: 'one',
      query: Type.Object({ path: text(1, 500, 'The path of the item, such as `documents/doc1/front/cropped`') }),
      ok: UserDataItem,
      alsoProduces: 'image/*',
      codes: [7, 100022, 100026, 100364, 100366],
    }),
    listChecks: get('/userdata/checks', {
      summary: 'List the checks of a process instance',
      description: 'Returns all of them at once, because a journey has a limited number of steps.',
      permission: 'UserDataServer:getProcessInstanceUserData',
      persons: 'one',
      ok: withTitle('Checks', listOf(Check, MAX_LIST_SIZE)),
      codes: [100022],
    }),
    archive: post('/userdataarchive', {
      summary: 'Get all data of a process instance as a zip archive',
      description:
        'The archive has `instance.json` (names, parameters, review), `userdata.json`, `checks.json`, `events.json`, ' +
        '`sessions.json`, `notes.json` (of reviewers), the images of every attempt, `manifest.json` with the SHA-256 ' +
        'of each file, and `manifest.jws`, a detached JWS over the manifest that `/.well-known/jwks.json` verifies.',
      permission: 'UserDataServer:getProcessInstanceUserData',
      persons: 'one',
      body: Empty,
      produces: 'application/zip',
      codes: [100022, 100364, 100366],
    }),
    signResult: post('/signedResult', {
      summary: 'Get the signed result of a process instance',
      description: 'Whoever holds it can show it to others, who verify it with `/.well-known/jwks.json`.',
      permission: 'UserDataServer:signResult',
      persons: 'one',
      body: Empty,
      ok: SignedResult,
      codes: [100022],
    }),
  },
);
