import { get, group, post } from './operation.ts';
import { unusableToken } from './process-manager/instances.ts';
import { Environment, InstanceStatus, StatusMapped } from './process-manager/parameters.ts';
import { anyObject, DateTime, Empty, Id, listOf, MAX_IMAGE_BYTES, mapOf, named, oneOf, text } from './schema.ts';
import { JOURNEY_LANGUAGES, PublicTheme } from './theme-server.ts';
import { Type } from './type.ts';

/**
 * What the end user's browser calls. It holds no bearer token: a one-time code is redeemed for a cookie that opens one
 * instance and nothing else. The server says what comes next; the browser shows it and sends back what was done.
 */

const Fault = Type.Object(
  {
    reason: Type.String({ description: 'A word such as `blurred`; nothing about which attribute did not match' }),
    advice: oneOf('retry', 'final'),
    picture: Type.Optional(Type.String({ description: 'The image that should be taken again, if it is one of them' })),
  },
  { title: 'JourneyFault' },
);

const JourneyStep = Type.Object(
  {
    id: Type.String(),
    type: Type.String(),
    attempt: Type.Integer({ description: 'From 1' }),
    maxAttempts: Type.Integer(),
    triesLeft: Type.Integer({ description: 'How many tries there are, the present one included' }),
    expiringDtm: Type.Optional(Type.String({ ...DateTime, description: 'Until then it can be submitted' })),
    settings: anyObject('What the page needs to show the step'),
    images: listOf(Type.String(), 40, 'The images of this attempt that have arrived'),
    fault: Type.Optional(Fault),
    mayUseAnyway: Type.Optional(
      Type.Boolean({ description: 'The images of the attempt before may be used although they are poor' }),
    ),
  },
  { title: 'JourneyStep' },
);

const Channel = oneOf('EMAIL', 'SMS');

const Messages = Type.Object(
  {
    channels: listOf(Channel, 2, 'How messages can be sent from here'),
    email: Type.Optional(
      Type.String({ description: 'The address of the end user that is known, such as `a…@example.com`' }),
    ),
    phoneNumber: Type.Optional(Type.String({ description: 'The number that is known, such as `+49…12`' })),
    handoff: Type.Optional({
      ...oneOf('SENDING', 'SENT', 'FAILED'),
      description: 'What became of the message with the newest link',
    }),
    tells: Type.Optional(Type.String({ description: 'Where the end user is told that it is decided, shortened' })),
  },
  { title: 'JourneyMessages', description: 'Only where messages are set up' },
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
    theme: Type.Optional(PublicTheme),
    texts: Type.Optional(
      mapOf(
        anyObject('By key: a text, or what it was read into where something is to be filled in'),
        JOURNEY_LANGUAGES.length,
        'The texts of the tenant, by language, with `theme`',
      ),
    ),
    step: Type.Optional(JourneyStep),
    correctable: listOf(
      Type.Object(
        {
          stepId: Type.String(),
          type: Type.String(),
          title: Type.Optional(
            mapOf(Type.String(), 50, 'What the tenant calls it, by language; `und` is a text without one'),
          ),
        },
        { title: 'JourneyCorrectable' },
      ),
      100,
      'Earlier steps that the end user may do again now',
    ),
    askedAgain: Type.Optional(
      Type.Object(
        {
          reason: Type.Optional(Type.String({ description: 'Why, as one of the reasons of `askAgain`' })),
          message: Type.Optional(mapOf(Type.String(), 50, 'What the reviewer wrote, by language')),
        },
        { title: 'JourneyAskedAgain', description: 'A reviewer has asked for the present step again' },
      ),
    ),
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
    messages: Type.Optional(Messages),
  }),
);

const SessionInput = named(
  'JourneySessionInput',
  Type.Object({
    code: Type.Optional(text(1, 200, 'The one-time code of a redirect address, a resume link or a hand-off')),
    pt: Type.Optional(text(1, 50, 'The id of a process token: makes an instance of its own')),
    tn: Type.Optional(text(1, 40, 'The tenant of the process token, where the address does not name it')),
    embedded: Type.Optional(
      Type.Boolean({
        description:
          'The page stands in a frame of another site: its cookie is kept apart for that site (`Partitioned`)',
      }),
    ),
    embedOrigin: Type.Optional(
      text(
        1,
        300,
        'The origin whose page frames this one, or has opened its window. It must be on the list of the tenant for the ' +
          'environment of the journey that is opened',
      ),
    ),
  }),
);

const Place = Type.Object(
  {
    city: Type.Optional(Type.String({ description: 'Of the time zone that its clock is set to' })),
    countryCode: Type.Optional(Type.String({ description: 'The country of that time zone' })),
    addressCountryCode: Type.Optional(Type.String({ description: 'The country of its address, as a proxy says' })),
  },
  { title: 'JourneyPlace', description: 'Where the browser is that offered the hand-off, as far as is known' },
);

const Simulation = named(
  'JourneySimulation',
  Type.Object({
    scenario: Type.String({ description: 'What the checks find now' }),
    scenarios: listOf(
      Type.Object(
        { name: Type.String(), description: Type.String(), outcome: Type.String() },
        { title: 'JourneyScenario' },
      ),
      100,
      'What they can be told to find; the outcome is that of `document-and-selfie`',
    ),
    steps: listOf(
      Type.Object(
        { id: Type.String(), type: Type.String(), settings: anyObject('As the page of the step is told them') },
        { title: 'JourneySimulatedStep' },
      ),
      100,
      'What a live journey of this definition asks of the end user',
    ),
  }),
);

const SimulationInput = named(
  'JourneySimulationInput',
  Type.Object({ scenario: text(1, 50, 'One of the scenarios of the sandbox') }),
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
        place: Type.Optional(Place),
        numbers: listOf(Type.Integer(), 3, 'One of them is shown on the first device'),
      }),
    ),
    // Where the journey stands, with its theme: a page that has it need not ask.
    journey: Type.Optional(Journey),
  }),
);

const StepInput = named(
  'JourneyStepInput',
  Type.Object({
    revision: Type.Integer({ minimum: 0, description: 'The revision that the page showed' }),
    result: Type.Optional(anyObject('What the end user gave; its shape depends on the type of the step')),
    unable: Type.Optional(Type.Boolean({ description: 'The end user cannot do this step; a human will look at it' })),
    useAnyway: Type.Optional(
      Type.Boolean({
        description: 'Use the images of the attempt before, where it is offered; a human will look at them',
      }),
    ),
  }),
);

const RepeatInput = named(
  'JourneyRepeatInput',
  Type.Object({ revision: Type.Integer({ minimum: 0, description: 'The revision that the page showed' }) }),
);

const Uploaded = named(
  'JourneyImage',
  Type.Object({
    name: Type.String(),
    sha256: Type.String(),
    bytes: Type.Integer(),
    pages: Type.Optional(Type.Integer({ description: 'Of a PDF: how many pages it has; the first one is used' })),
  }),
);

const MOVEMENTS = ['centre', 'left', 'right', 'up', 'down', 'closeEyes', 'openMouth', 'closer'] as const;

const FaceChallenge = named(
  'JourneyChallenge',
  Type.Object({
    challengeId: Id,
    state: {
      ...oneOf('OPEN', 'DONE', 'ENDED'),
      description: '`DONE`: submit the step with the `challengeId`. `ENDED`: start another',
    },
    reason: Type.Optional({
      ...oneOf('too_slow', 'wrong_movement', 'face_lost', 'several_faces', 'too_many_frames', 'too_quick'),
      description: 'Why it ended',
    }),
    number: Type.Integer({ description: 'Which instruction is open, from 1' }),
    total: Type.Integer({ description: 'How many there are' }),
    instruction: Type.Optional(
      Type.Object(
        {
          kind: {
            ...oneOf(...MOVEMENTS),
            description: 'Directions are those of the picture as the camera takes it: a mirrored preview swaps them',
          },
          phase: {
            ...oneOf('do', 'return'),
            description: 'Make the movement, or be as before again: straight ahead, at rest, as far away',
          },
          token: Type.String({ description: 'Sent with every frame of this instruction' }),
          longestSide: Type.Integer({ description: 'How large the frames should be, in pixels' }),
          expiringDtm: DateTime,
        },
        { title: 'JourneyInstruction' },
      ),
    ),
    accepted: Type.Optional(Type.Boolean({ description: 'Whether the frame belongs to the open instruction' })),
    hint: Type.Optional(Type.String({ description: 'Why the frame shows nothing of use, such as `no_face`' })),
    expiringDtm: DateTime,
  }),
);

/** A frame of 1,280 pixels has some 200 kB. */
const MAX_FRAME_BYTES = 1024 * 1024;

/** The public half of a key that the page made for this challenge (RFC 7518, ECDSA on P-256). */
const FrameKey = Type.Object(
  {
    kty: oneOf('EC'),
    crv: oneOf('P-256'),
    x: Type.String({ pattern: '^[A-Za-z0-9_-]{43}$', maxLength: 43 }),
    y: Type.String({ pattern: '^[A-Za-z0-9_-]{43}$', maxLength: 43 }),
  },
  { title: 'JourneyFrameKey' },
);

const StartChallenge = Type.Object({
  publicKey: FrameKey,
  omit: Type.Optional(
    listOf(oneOf('eyes', 'mouth', 'turn', 'closer'), 4, 'Movements that the person cannot make; a human decides then'),
  ),
});

const BeginInput = named(
  'JourneyBeginInput',
  Type.Object({
    anew: Type.Optional(Type.Boolean({ description: 'Replace the secret of a one-time password by a new one' })),
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

const HandoffInput = named(
  'JourneyHandoffInput',
  Type.Object({
    timeZone: Type.Optional(text(1, 60, 'That of the browser, such as `Europe/Berlin`; shown on the other device')),
  }),
);

const Language = Type.Optional(text(2, 35, 'The language of the page; English where there is no text in it'));
const Recipient = Type.Optional(
  text(3, 254, 'An e-mail address or a phone number with its country; without it, what is known of the end user'),
);

const HandoffMessage = named(
  'JourneyHandoffMessage',
  Type.Object({
    channel: Channel,
    to: Recipient,
    language: Language,
    timeZone: HandoffInput.properties.timeZone,
  }),
);

const SentHandoff = named(
  'JourneySentHandoff',
  Type.Object({ ...HandoffOffer.properties, sentTo: Type.String({ description: 'The address, shortened' }) }),
);

const NoticeInput = named('JourneyNoticeInput', Type.Object({ to: Recipient, language: Language }));

const Notice = named('JourneyNotice', Type.Object({ sentTo: Type.String({ description: 'The address, shortened' }) }));

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
    codes: [100021, 100055, 100067, 100240, ...unusableToken],
  }),
  get: get('/{processInstanceId}', {
    summary: 'What now',
    auth: 'journey',
    query: Type.Object({
      theme: Type.Optional(Type.Boolean({ default: false, description: 'Add the look and the words of the tenant' })),
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
      'One of those in `correctable`. The present step waits with the attempts that it has; what was concluded from the ' +
      'earlier step is concluded anew. A journey has 5 corrections.',
    auth: 'journey',
    body: RepeatInput,
    ok: Journey,
    codes: [...session, 100056, 100057, 100058, 100232],
  }),
  getSimulation: get('/{processInstanceId}/simulation', {
    summary: 'Which outcomes a journey of the sandbox can have',
    description: 'For the panel that developers see in test journeys. Live journeys have none.',
    auth: 'journey',
    ok: Simulation,
    codes: [100022, 100054, 100058, 100233],
  }),
  simulate: post('/{processInstanceId}/simulation', {
    summary: 'Choose the outcome of a journey of the sandbox',
    description: 'Checks that run from now on find what the scenario says; those that have run stay as they are.',
    auth: 'journey',
    body: SimulationInput,
    ok: Simulation,
    codes: [...session, 100057, 100058, 100233],
  }),
  uploadImage: post('/{processInstanceId}/steps/{stepId}/images/{imageName}', {
    summary: 'Upload an image of the current step',
    description:
      'JPEG, PNG or WebP as the body itself; it is re-encoded without metadata before anything looks at it. ' +
      'Of a document also a PDF, unless the definition requires the camera: its first page becomes the image. ' +
      'In the sandbox a JSON document can stand in for it.',
    auth: 'journey',
    consumes: ['image/jpeg', 'image/png', 'image/webp', 'application/pdf', 'application/json'],
    maxBodyBytes: MAX_IMAGE_BYTES,
    ok: Uploaded,
    codes: [...session, 100056, 100057, 100058, 100059],
  }),
  getImage: get('/{processInstanceId}/steps/{stepId}/images/{imageName}', {
    summary: 'See an image of the current step',
    description: 'The image as it was kept, for half an hour: that of this attempt, or else that of the one before.',
    auth: 'journey',
    produces: 'image/jpeg',
    codes: [100022, 100054, 100056, 100057, 100058, 100156],
  }),
  createChallenge: post('/{processInstanceId}/steps/{stepId}/challenges', {
    summary: 'Start a challenge of active liveness for the current step',
    description:
      'The server reveals one instruction at a time. Send frames until the state is `DONE`, then submit the step with ' +
      'the `challengeId`. A new start ends the challenge before it.',
    auth: 'journey',
    body: StartChallenge,
    status: 201,
    ok: FaceChallenge,
    codes: [...session, 100056, 100057, 100058, 100130, 100131],
  }),
  sendFrame: post('/{processInstanceId}/steps/{stepId}/challenges/{challengeId}/frames', {
    summary: 'Send a frame of the camera to the open instruction of a challenge',
    description:
      'One JPEG at a time; the answer says which instruction is open then. ' +
      'In the sandbox a JSON document can stand in for the frame.',
    auth: 'journey',
    query: Type.Object({
      token: Type.String({ maxLength: 64, description: 'Of the open instruction' }),
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
    codes: [...session, 100056, 100057, 100058, 100059, 100130, 100132, 100180],
  }),
  beginStep: post('/{processInstanceId}/steps/{stepId}/begin', {
    summary: 'Begin the current step, where the page needs something that is made for it',
    description:
      'For registrations and authentications with passkeys and for registrations of one-time passwords. ' +
      'To begin again gives up what was begun before. Only the secret of a one-time password stays until it is ' +
      'confirmed, expires, or `anew` asks for another.',
    auth: 'journey',
    body: BeginInput,
    ok: StepBegun,
    codes: [...session, 100056, 100057, 100058, 100142],
  }),
  leaveStep: post('/{processInstanceId}/steps/{stepId}/left', {
    summary: 'Say that the page of the current step was left',
    description: 'A hint, as a page gives it when it is closed. It changes nothing; who comes back takes it back.',
    auth: 'journey',
    body: Empty,
    status: 204,
    codes: [...session, 100056, 100057, 100058],
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
    body: HandoffInput,
    ok: HandoffOffer,
    codes: [...session, 100057, 100058],
  }),
  sendHandoff: post('/{processInstanceId}/handoffs/send', {
    summary: 'Offer to go on with another device, and send the link there',
    description:
      'The link takes the place of one that was offered before. An instance sends 3 messages an hour, an address ' +
      'gets 5 a day.',
    auth: 'journey',
    body: HandoffMessage,
    ok: SentHandoff,
    codes: [...session, 100057, 100058, 100160, 100161, 100162],
  }),
  tellWhenDecided: post('/{processInstanceId}/notices', {
    summary: 'Be told by e-mail when it is decided',
    description: 'One message, which does not say how it was decided. To ask again changes the address.',
    auth: 'journey',
    body: NoticeInput,
    ok: Notice,
    codes: [...session, 100057, 100058, 100160, 100161, 100162],
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

const StartQuery = Type.Object({
  pi: text(1, 50, 'The id of the instance'),
  c: Type.Optional(text(1, 200, 'The one-time code of an older link. New links have it in the fragment.')),
});

/** The addresses that end users open; they only lead to the journey. */
export const processServer = group('', {
  startProcess: get('/api/process-server/startProcess', {
    summary: 'Go to the journey of an instance',
    description:
      'Redirects to the web journey. The one-time code stands in the fragment of the address, which browsers take along ' +
      'and servers never see. It is redeemed by the page, so a link preview spends nothing.',
    auth: 'public',
    query: StartQuery,
    status: 303,
  }),
  followProcess: post('/api/process-server/startProcess', {
    summary: 'Go to the journey of an instance, for clients that follow a 307 with the same method',
    auth: 'public',
    query: StartQuery,
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
