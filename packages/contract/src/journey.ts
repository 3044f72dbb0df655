import { Type } from 'typebox';
import { get, group, post } from './operation.ts';
import { unusableToken } from './process-manager/instances.ts';
import { Environment, InstanceStatus, StatusMapped } from './process-manager/parameters.ts';
import { anyObject, DateTime, Empty, Id, listOf, MAX_IMAGE_BYTES, named, oneOf, text } from './schema.ts';

/**
 * What the end user's browser calls. It holds no bearer token: a one-time code is redeemed for a cookie that opens one
 * instance and nothing else. The server says what comes next; the browser shows it and sends back what was done.
 */

const Fault = Type.Object(
  {
    reason: Type.String({ description: 'A word such as `blurred`; nothing about which attribute did not match' }),
    advice: oneOf('retry', 'final'),
  },
  { title: 'JourneyFault' },
);

const JourneyStep = Type.Object(
  {
    id: Type.String(),
    type: Type.String(),
    attempt: Type.Integer({ description: 'From 1' }),
    maxAttempts: Type.Integer(),
    expiringDtm: Type.Optional(Type.String({ ...DateTime, description: 'Until then it can be submitted' })),
    settings: anyObject('What the page needs to show the step'),
    images: listOf(Type.String(), 40, 'The images of this attempt that have arrived'),
    fault: Type.Optional(Fault),
  },
  { title: 'JourneyStep' },
);

const Journey = named(
  'Journey',
  Type.Object({
    processInstanceId: Id,
    environment: Environment,
    tenantName: Type.String(),
    status: InstanceStatus,
    statusMapped: StatusMapped,
    revision: Type.Integer({ description: 'Grows with every change; send it back with a step' }),
    progress: Type.Object({ position: Type.Integer(), total: Type.Integer() }),
    stepTypes: listOf(Type.String(), 100, 'What the end user is asked for, each type once, for a page that prepares'),
    retentionDays: Type.Integer({ description: 'How long what is gathered is kept' }),
    themeUrl: Type.String({ description: 'Where the look of the pages is read' }),
    step: Type.Optional(JourneyStep),
    waitingFor: Type.Optional(oneOf('check', 'review', 'resume')),
    result: Type.Optional(
      Type.Object({
        outcome: oneOf('passed', 'received', 'tryAgain', 'notPossible', 'expired'),
        redirectUrl: Type.Optional(Type.String()),
      }),
    ),
    device: Type.Object({
      active: Type.Boolean({ description: 'False while the journey runs on another device' }),
      handoff: oneOf('NONE', 'OFFERED', 'CONFIRMING', 'CONNECTED'),
    }),
  }),
);

const SessionInput = named(
  'JourneySessionInput',
  Type.Object({
    code: Type.Optional(text(1, 200, 'The one-time code of a redirect address, a resume link or a hand-off')),
    pt: Type.Optional(text(1, 50, 'The id of a process token: makes an instance of its own')),
    tn: Type.Optional(text(1, 40, 'The tenant of the process token, where the address does not name it')),
  }),
);

const JourneySession = named(
  'JourneySession',
  Type.Object({
    processInstanceId: Id,
    expiringDtm: DateTime,
    handoff: Type.Optional(
      Type.Object({
        tenantName: Type.String(),
        browser: Type.String({ description: 'The browser that offered the hand-off, as it named itself' }),
        offeredDtm: DateTime,
        numbers: listOf(Type.Integer(), 3, 'One of them is shown on the first device'),
      }),
    ),
  }),
);

const StepInput = named(
  'JourneyStepInput',
  Type.Object({
    revision: Type.Integer({ minimum: 0, description: 'The revision that the page showed' }),
    result: Type.Optional(anyObject('What the end user gave; its shape depends on the type of the step')),
    unable: Type.Optional(Type.Boolean({ description: 'The end user cannot do this step; a human will look at it' })),
  }),
);

const Uploaded = named(
  'JourneyImage',
  Type.Object({ name: Type.String(), sha256: Type.String(), bytes: Type.Integer() }),
);

const FaceChallenge = named(
  'JourneyChallenge',
  Type.Object({
    nonce: Type.String({ description: 'Sent back with the answer, once' }),
    poses: listOf(
      oneOf('centre', 'left', 'right', 'up', 'down'),
      10,
      'Where to turn the head, in this order, as the camera sees it: a mirrored preview swaps left and right',
    ),
    expiringDtm: DateTime,
  }),
);

const StepBegun = named(
  'JourneyStepBegun',
  Type.Object({
    begun: Type.Boolean({ description: 'False if the step is over: read the journey anew' }),
    settings: anyObject('What the page needs to go on, such as `publicKey` for a passkey or `uri` for a TOTP'),
  }),
);

const HandoffOffer = named(
  'JourneyHandoff',
  Type.Object({
    url: Type.String({ description: 'To open on the other device, as a link or a QR code' }),
    number: Type.Integer({ description: 'The end user finds this number again on the other device' }),
    expiringDtm: DateTime,
  }),
);

const NumberInput = named(
  'JourneyHandoffConfirmation',
  Type.Object({ number: Type.Integer({ minimum: 0, maximum: 99 }) }),
);

const session = [100022, 100054, 100067] as const;

export const journey = group('/api/journey', {
  createSession: post('/sessions', {
    summary: 'Redeem a one-time code for the cookie of one instance',
    auth: 'public',
    body: SessionInput,
    ok: JourneySession,
    codes: [100021, 100055, 100067, ...unusableToken],
  }),
  get: get('/{processInstanceId}', {
    summary: 'What now',
    auth: 'journey',
    ok: Journey,
    codes: [100054],
  }),
  submitStep: post('/{processInstanceId}/steps/{stepId}', {
    summary: 'Submit the current step',
    auth: 'journey',
    body: StepInput,
    ok: Journey,
    codes: [...session, 100056, 100057, 100058, 100132],
  }),
  uploadImage: post('/{processInstanceId}/steps/{stepId}/images/{imageName}', {
    summary: 'Upload an image of the current step',
    description:
      'JPEG, PNG or WebP as the body itself; it is re-encoded without metadata before anything looks at it. ' +
      'In the sandbox a JSON document can stand in for it.',
    auth: 'journey',
    consumes: ['image/jpeg', 'image/png', 'image/webp', 'application/json'],
    maxBodyBytes: MAX_IMAGE_BYTES,
    ok: Uploaded,
    codes: [...session, 100056, 100057, 100058, 100059],
  }),
  createChallenge: post('/{processInstanceId}/steps/{stepId}/challenges', {
    summary: 'Draw a challenge of active liveness for the current step',
    description:
      'Upload the selfie as `image` and 10 to 24 frames as `frame1`, `frame2`, …, then submit the step with the nonce ' +
      'and `frames: [{ name, at }]` in the order they were taken, `at` in milliseconds since the start.',
    auth: 'journey',
    body: Empty,
    status: 201,
    ok: FaceChallenge,
    codes: [...session, 100056, 100057, 100058, 100130, 100131],
  }),
  beginStep: post('/{processInstanceId}/steps/{stepId}/begin', {
    summary: 'Begin the current step, where the page needs something that is made for it',
    description:
      'For registrations and authentications with passkeys and for registrations of one-time passwords. ' +
      'To begin again gives up what was begun before.',
    auth: 'journey',
    body: Empty,
    ok: StepBegun,
    codes: [...session, 100056, 100057, 100058, 100142],
  }),
  watch: get('/{processInstanceId}/events', {
    summary: 'Live status, as server-sent events',
    description: 'An event `journey` for each change, with the revision; read the journey then.',
    auth: 'journey',
    produces: 'text/event-stream',
    codes: [100054],
  }),
  abandon: post('/{processInstanceId}/abandon', {
    summary: 'End the journey without finishing it',
    auth: 'journey',
    body: Empty,
    ok: Journey,
    codes: [...session, 100057, 100058],
  }),
  offerHandoff: post('/{processInstanceId}/handoffs', {
    summary: 'Offer to go on with another device',
    auth: 'journey',
    body: Empty,
    ok: HandoffOffer,
    codes: [...session, 100057, 100058],
  }),
  confirmHandoff: post('/{processInstanceId}/handoffs/confirm', {
    summary: 'Confirm on the other device, by the number that the first one shows',
    description: 'A wrong number ends the offer.',
    auth: 'journey',
    body: NumberInput,
    ok: Journey,
    codes: [...session, 100057, 100064],
  }),
  denyHandoff: post('/{processInstanceId}/handoffs/deny', {
    summary: 'Say on the other device that it was not me',
    auth: 'journey',
    body: Empty,
    status: 204,
    codes: [...session, 100064],
  }),
  takeBack: post('/{processInstanceId}/handoffs/takeBack', {
    summary: 'Go on with the first device',
    auth: 'journey',
    body: Empty,
    ok: Journey,
    codes: [...session, 100057, 100064],
  }),
});

/** The addresses that end users open; they only lead to the journey. */
export const processServer = group('', {
  startProcess: get('/api/process-server/startProcess', {
    summary: 'Go to the journey of an instance',
    description: 'Redirects to the web journey. The one-time code is redeemed there, so a link preview spends nothing.',
    auth: 'public',
    query: Type.Object({ pi: text(1, 50, 'The id of the instance'), c: text(1, 200, 'The one-time code') }),
    status: 303,
  }),
  followProcess: post('/api/process-server/startProcess', {
    summary: 'Go to the journey of an instance, for clients that follow a 307 with the same method',
    auth: 'public',
    query: Type.Object({ pi: text(1, 50, 'The id of the instance'), c: text(1, 200, 'The one-time code') }),
    status: 303,
  }),
  openToken: get('/processInstances', {
    summary: 'Go to the journey of a process token',
    description: 'The `startProcessAddress` of a process token. The instance is made when the journey is opened.',
    auth: 'public',
    query: Type.Object({
      pt: text(1, 50, 'The id of the process token'),
      tn: Type.Optional(text(1, 40, 'The tenant')),
    }),
    status: 303,
  }),
});
