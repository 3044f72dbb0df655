import {
  BeginInput,
  FaceChallenge,
  HandoffInput,
  HandoffMessage,
  HandoffOffer,
  Journey,
  JourneySession,
  MAX_FRAME_BYTES,
  Notice,
  NoticeInput,
  NumberInput,
  RepeatInput,
  SentHandoff,
  SessionInput,
  Simulation,
  SimulationInput,
  StartChallenge,
  StepBegun,
  StepInput,
  Uploaded,
} from './journey-schemas.ts';
import { get, group, post } from './operation.ts';
import { unusableToken } from './process-manager/instances.ts';
import { Empty, MAX_IMAGE_BYTES, text } from './schema.ts';
import { Type } from './type.ts';

/**
 * What the end user's browser calls. It holds no bearer token: a one-time code is redeemed for a cookie that opens one
 * instance and nothing else. The server says what comes next; the browser shows it and sends back what was done.
 */

const session = [100022, 100054, 100067] as const;

export const journey = group('/api/journey', {
  createSession: post('/sessions', {
    summary: 'Redeem a one-time code for the cookie of one instance',
    auth: 'public',
    body: SessionInput,
    ok: JourneySession,
    codes: [100021, 100055, 100067, 100240, ...unusableToken],
  }),
  get: get('/{processInstanceId}', {
    summary: 'Get the current step, or what the journey waits for',
    auth: 'journey',
    query: Type.Object({
      theme: Type.Optional(
        Type.Boolean({ default: false, description: 'Include the theme and the texts of the tenant' }),
      ),
    }),
    ok: Journey,
    codes: [100054],
  }),
  submitStep: post('/{processInstanceId}/steps/{stepId}', {
    summary: 'Submit the current step',
    auth: 'journey',
    body: StepInput,
    ok: Journey,
    codes: [...session, 100056, 100057, 100058, 100132, 100155],
  }),
  repeatStep: post('/{processInstanceId}/steps/{stepId}/again', {
    summary: 'Go back to an earlier step and do it again',
    description:
      'The step must be one of `correctable`. The current step waits and keeps its attempts; checks that depend on ' +
      'the earlier step are repeated. A journey has 5 corrections.',
    auth: 'journey',
    body: RepeatInput,
    ok: Journey,
    codes: [...session, 100056, 100057, 100058, 100232],
  }),
  getSimulation: get('/{processInstanceId}/simulation', {
    summary: 'List the outcomes that a sandbox journey can have',
    description: 'For the panel that developers see in test journeys. Live journeys have none.',
    auth: 'journey',
    ok: Simulation,
    codes: [100022, 100054, 100058, 100233],
  }),
  simulate: post('/{processInstanceId}/simulation', {
    summary: 'Choose the outcome of a sandbox journey',
    description: 'Later checks find what the scenario says; earlier checks stay as they are.',
    auth: 'journey',
    body: SimulationInput,
    ok: Simulation,
    codes: [...session, 100057, 100058, 100233],
  }),
  uploadImage: post('/{processInstanceId}/steps/{stepId}/images/{imageName}', {
    summary: 'Upload an image of the current step',
    description:
      'The body is a JPEG, PNG or WebP. Grove re-encodes it without metadata before anything else reads it. A ' +
      'document may also be a PDF, unless the definition requires the camera: its first page becomes the image. In ' +
      'the sandbox, a JSON document can replace the image.',
    auth: 'journey',
    consumes: ['image/jpeg', 'image/png', 'image/webp', 'application/pdf', 'application/json'],
    maxBodyBytes: MAX_IMAGE_BYTES,
    ok: Uploaded,
    codes: [...session, 100056, 100057, 100058, 100059],
  }),
  getImage: get('/{processInstanceId}/steps/{stepId}/images/{imageName}', {
    summary: 'Get an image of the current step',
    description: 'The stored image, for half an hour: that of this attempt, or else that of the previous one.',
    auth: 'journey',
    produces: 'image/jpeg',
    codes: [100022, 100054, 100056, 100057, 100058, 100156],
  }),
  createChallenge: post('/{processInstanceId}/steps/{stepId}/challenges', {
    summary: 'Start an active liveness challenge for the current step',
    description:
      'The server reveals one instruction at a time. Send frames until the state is `DONE`, then submit the step ' +
      'with the `challengeId`. A new start ends the previous challenge.',
    auth: 'journey',
    body: StartChallenge,
    status: 201,
    ok: FaceChallenge,
    codes: [...session, 100056, 100057, 100058, 100130, 100131],
  }),
  sendFrame: post('/{processInstanceId}/steps/{stepId}/challenges/{challengeId}/frames', {
    summary: 'Send a camera frame for the open instruction of a challenge',
    description:
      'Send one JPEG at a time; the response names the open instruction. In the sandbox, a JSON document can ' +
      'replace the frame.',
    auth: 'journey',
    query: Type.Object({
      token: Type.String({ maxLength: 64, description: 'The token of the open instruction' }),
      signature: Type.String({
        pattern: '^[A-Za-z0-9_-]{86}$',
        maxLength: 86,
        description: 'ECDSA signature of `{challengeId}.{token}.{hex SHA-256 of the body}`, base64url',
      }),
      at: Type.Optional(Type.Number({ minimum: 0, description: 'Milliseconds by the clock of the page' })),
    }),
    consumes: ['image/jpeg', 'application/json'],
    maxBodyBytes: MAX_FRAME_BYTES,
    ok: FaceChallenge,
    codes: [...session, 100056, 100057, 100058, 100059, 100132, 100180],
  }),
  beginStep: post('/{processInstanceId}/steps/{stepId}/begin', {
    summary: 'Begin the current step, if the page needs something from the server first',
    description:
      'For registrations and authentications with passkeys and for registrations of one-time passwords. A second ' +
      'call discards what the first one began. Only the secret of a one-time password stays until it is confirmed ' +
      'or expires, or until `anew` asks for another.',
    auth: 'journey',
    body: BeginInput,
    ok: StepBegun,
    codes: [...session, 100056, 100057, 100058, 100142],
  }),
  leaveStep: post('/{processInstanceId}/steps/{stepId}/left', {
    summary: 'Report that the end user left the page of the current step',
    description:
      'A hint that the page sends when it is closed. It changes nothing; if the end user comes back, it is withdrawn.',
    auth: 'journey',
    body: Empty,
    status: 204,
    codes: [...session, 100056, 100057, 100058],
  }),
  watch: get('/{processInstanceId}/events', {
    summary: 'Follow the live status, as server-sent events',
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
    summary: 'Offer to continue on another device',
    auth: 'journey',
    body: HandoffInput,
    ok: HandoffOffer,
    codes: [...session, 100057, 100058],
  }),
  sendHandoff: post('/{processInstanceId}/handoffs/send', {
    summary: 'Offer to continue on another device, and send the link there',
    description: 'The link replaces an earlier one. An instance sends 3 messages an hour; an address gets 5 a day.',
    auth: 'journey',
    body: HandoffMessage,
    ok: SentHandoff,
    codes: [...session, 100057, 100058, 100160, 100161, 100162],
  }),
  tellWhenDecided: post('/{processInstanceId}/notices', {
    summary: 'Request an e-mail when the verification is decided',
    description: 'Grove sends one message, which does not contain the decision. A second request changes the address.',
    auth: 'journey',
    body: NoticeInput,
    ok: Notice,
    codes: [...session, 100057, 100058, 100160, 100161, 100162],
  }),
  confirmHandoff: post('/{processInstanceId}/handoffs/confirm', {
    summary: 'Confirm on the other device, with the number that the first device shows',
    description: 'A wrong number ends the offer.',
    auth: 'journey',
    body: NumberInput,
    ok: Journey,
    codes: [...session, 100057, 100064],
  }),
  denyHandoff: post('/{processInstanceId}/handoffs/deny', {
    summary: 'Report on the other device that somebody else started the journey',
    auth: 'journey',
    body: Empty,
    status: 204,
    codes: [...session, 100064],
  }),
  takeBack: post('/{processInstanceId}/handoffs/takeBack', {
    summary: 'Continue on the first device',
    auth: 'journey',
    body: Empty,
    ok: Journey,
    codes: [...session, 100057, 100064],
  }),
});

const StartQuery = Type.Object({
  pi: text(1, 50, 'The id of the instance'),
  c: Type.Optional(text(1, 200, 'The one-time code of an older link. New links have it in the fragment.')),
});

/** The addresses that end users open; they only lead to the journey. */
export const processServer = group('', {
  startProcess: get('/api/process-server/startProcess', {
    summary: 'Go to the journey of an instance',
    description:
      'Redirects to the web journey. The one-time code is in the fragment of the address, which browsers keep and ' +
      'servers never see. The page redeems the code, so a link preview does not use it up.',
    auth: 'public',
    query: StartQuery,
    status: 303,
  }),
  followProcess: post('/api/process-server/startProcess', {
    summary: 'Go to the journey of an instance, for clients that repeat the method after a 307',
    auth: 'public',
    query: StartQuery,
    status: 303,
  }),
  openToken: get('/processInstances', {
    summary: 'Go to the journey of a process token',
    description: 'The `startProcessAddress` of a process token. Opening the journey creates the instance.',
    auth: 'public',
    query: Type.Object({
      pt: text(1, 50, 'The id of the process token'),
      tn: Type.Optional(text(1, 40, 'The tenant')),
    }),
    status: 303,
  }),
});
