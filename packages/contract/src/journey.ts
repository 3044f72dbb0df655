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
    images: listOf(Type.String(), 20, 'The images of this attempt that have arrived'),
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
    codes: session,
  }),
  submitStep: post('/{processInstanceId}/steps/{stepId}', {
    summary: 'Submit the current step',
    auth: 'journey',
    body: StepInput,
    ok: Journey,
    codes: [...session, 100056, 100057, 100058],
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
  watch: get('/{processInstanceId}/events', {
    summary: 'Live status, as server-sent events',
    description: 'An event `journey` for each change, with the revision; read the journey then.',
    auth: 'journey',
    produces: 'text/event-stream',
    codes: session,
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
