import { Environment, InstanceStatus, StatusMapped } from './process-manager/parameters.ts';
import { anyObject, DateTime, Id, listOf, mapOf, oneOf, text, withTitle } from './schema.ts';
import { JOURNEY_LANGUAGES, PublicTheme } from './theme-server.ts';
import { Type } from './type.ts';

/** What the browser of an end user sends and receives. */

const Fault = Type.Object(
  {
    reason: Type.String({ description: 'A word such as `blurred`; it never says which attribute did not match' }),
    advice: oneOf('retry', 'final'),
    picture: Type.Optional(Type.String({ description: 'The image to take again, if it is one of them' })),
  },
  { title: 'JourneyFault' },
);

const JourneyStep = Type.Object(
  {
    id: Type.String(),
    type: Type.String(),
    attempt: Type.Integer({ description: 'From 1' }),
    maxAttempts: Type.Integer(),
    triesLeft: Type.Integer({ description: 'How many tries remain, including the current one' }),
    expiringDtm: Type.Optional(Type.String({ ...DateTime, description: 'The step can be submitted until this time' })),
    settings: anyObject('What the page needs to show the step'),
    images: listOf(Type.String(), 40, 'The images of this attempt that have arrived'),
    fault: Type.Optional(Fault),
    mayUseAnyway: Type.Optional(
      Type.Boolean({ description: 'The end user may use the images of the previous attempt although they are poor' }),
    ),
  },
  { title: 'JourneyStep' },
);

const Channel = oneOf('EMAIL', 'SMS');

const Messages = Type.Object(
  {
    channels: listOf(Channel, 2, 'How messages can be sent from here'),
    email: Type.Optional(
      Type.String({ description: 'The known address of the end user, shortened, such as `a…@example.com`' }),
    ),
    phoneNumber: Type.Optional(Type.String({ description: 'The known telephone number, shortened, such as `+49…12`' })),
    handoff: Type.Optional({
      ...oneOf('SENDING', 'SENT', 'FAILED'),
      description: 'The status of the message with the newest link',
    }),
    tells: Type.Optional(
      Type.String({ description: 'The address to which Grove sends the notification of the decision, shortened' }),
    ),
  },
  { title: 'JourneyMessages', description: 'Present only if messages are set up' },
);

export const Journey = withTitle(
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
    needs: listOf(
      oneOf('document', 'face', 'form', 'passkey', 'totp'),
      5,
      'What the end user needs at hand, each once',
    ),
    minutes: Type.Integer({ description: 'An estimate of how many minutes the journey takes' }),
    retentionDays: Type.Integer({ description: 'How long the data is stored' }),
    themeUrl: Type.String({ description: 'The address of the theme' }),
    theme: Type.Optional(PublicTheme),
    texts: Type.Optional(
      mapOf(
        anyObject('By key: the text, or its parsed form if it has placeholders'),
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
      'Earlier steps that the end user may repeat now',
    ),
    askedAgain: Type.Optional(
      Type.Object(
        {
          reason: Type.Optional(Type.String({ description: 'The reason: one of those of `askAgain`' })),
          message: Type.Optional(mapOf(Type.String(), 50, 'What the reviewer wrote, by language')),
        },
        { title: 'JourneyAskedAgain', description: 'A reviewer asks the end user to repeat the current step' },
      ),
    ),
    waitingFor: Type.Optional(oneOf('check', 'review', 'resume')),
    result: Type.Optional(
      Type.Object({
        outcome: oneOf('passed', 'received', 'tryAgain', 'notPossible', 'expired'),
        redirectUrl: Type.Optional(Type.String()),
        homeUrl: Type.Optional(
          Type.String({ description: 'The first website that the tenant lists, if there is no `redirectUrl`' }),
        ),
      }),
    ),
    device: Type.Object({
      active: Type.Boolean({ description: 'False while the journey runs on another device' }),
      handoff: oneOf('NONE', 'OFFERED', 'CONFIRMING', 'CONNECTED'),
    }),
    messages: Type.Optional(Messages),
  }),
);

export const SessionInput = withTitle(
  'JourneySessionInput',
  Type.Object({
    code: Type.Optional(text(1, 200, 'The one-time code of a redirect address, a resume link or a hand-off')),
    pt: Type.Optional(text(1, 50, 'The id of a process token: creates a new instance')),
    tn: Type.Optional(text(1, 40, 'The tenant of the process token, if the address does not name it')),
    embedded: Type.Optional(
      Type.Boolean({
        description:
          'The page is in a frame of another site: the browser keeps its cookie for that site alone (`Partitioned`)',
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
    timeZone: Type.Optional(text(1, 60, 'The time zone of the browser, such as `Europe/Berlin`; for reviewers')),
  }),
);

const JourneyPlace = Type.Object(
  {
    city: Type.Optional(Type.String({ description: 'The city of the time zone of its clock' })),
    countryCode: Type.Optional(Type.String({ description: 'The country of that time zone' })),
    addressCountryCode: Type.Optional(
      Type.String({ description: 'The country of its address, as the proxy reports it' }),
    ),
  },
  { title: 'JourneyPlace', description: 'The place of the browser that offered the hand-off, as far as it is known' },
);

export const Simulation = withTitle(
  'JourneySimulation',
  Type.Object({
    scenario: Type.String({ description: 'The current scenario: what the checks find' }),
    scenarios: listOf(
      Type.Object(
        { name: Type.String(), description: Type.String(), outcome: Type.String() },
        { title: 'JourneyScenario' },
      ),
      100,
      'The scenarios to choose from; the outcome is that of `document-and-selfie`',
    ),
    steps: listOf(
      Type.Object(
        {
          id: Type.String(),
          type: Type.String(),
          settings: anyObject('The settings that the page of the step receives'),
        },
        { title: 'JourneySimulatedStep' },
      ),
      100,
      'What a live journey of this definition asks of the end user',
    ),
  }),
);

export const SimulationInput = withTitle(
  'JourneySimulationInput',
  Type.Object({ scenario: text(1, 50, 'One of the sandbox scenarios') }),
);

export const JourneySession = withTitle(
  'JourneySession',
  Type.Object({
    processInstanceId: Id,
    expiringDtm: DateTime,
    handoff: Type.Optional(
      Type.Object({
        tenantName: Type.String(),
        browser: Type.String({ description: 'The browser that offered the hand-off, as it names itself' }),
        offeredDtm: DateTime,
        place: Type.Optional(JourneyPlace),
        numbers: listOf(Type.Integer(), 3, 'One of them is shown on the first device'),
      }),
    ),
    // The current journey with its theme, so that the page needs no second request.
    journey: Type.Optional(Journey),
  }),
);

export const StepInput = withTitle(
  'JourneyStepInput',
  Type.Object({
    revision: Type.Integer({ minimum: 0, description: 'The revision of the journey that the page showed' }),
    result: Type.Optional(anyObject('The input of the end user; its shape depends on the type of the step')),
    unable: Type.Optional(Type.Boolean({ description: 'The end user cannot do this step; a human will review it' })),
    useAnyway: Type.Optional(
      Type.Boolean({
        description: 'Use the images of the previous attempt, if that is offered; a human will review them',
      }),
    ),
  }),
);

export const RepeatInput = withTitle(
  'JourneyRepeatInput',
  Type.Object({
    revision: Type.Integer({ minimum: 0, description: 'The revision of the journey that the page showed' }),
  }),
);

export const Uploaded = withTitle(
  'JourneyImage',
  Type.Object({
    name: Type.String(),
    sha256: Type.String(),
    bytes: Type.Integer(),
    pages: Type.Optional(Type.Integer({ description: 'For a PDF: how many pages it has; Grove uses the first one' })),
  }),
);

const MOVEMENTS = ['centre', 'left', 'right', 'up', 'down', 'closeEyes', 'openMouth', 'closer'] as const;

export const FaceChallenge = withTitle(
  'JourneyChallenge',
  Type.Object({
    challengeId: Id,
    state: {
      ...oneOf('OPEN', 'DONE', 'ENDED'),
      description: '`DONE`: submit the step with the `challengeId`. `ENDED`: start another',
    },
    reason: Type.Optional({
      ...oneOf('too_slow', 'wrong_movement', 'face_lost', 'several_faces', 'too_many_frames', 'too_quick'),
      description: 'Why the challenge ended',
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
            description:
              '`do`: make the movement; `return`: look straight ahead again, at rest and at the same distance',
          },
          token: Type.String({ description: 'Send it with every frame of this instruction' }),
          longestSide: Type.Integer({ description: 'How large the frames should be, in pixels' }),
          expiringDtm: DateTime,
        },
        { title: 'JourneyInstruction' },
      ),
    ),
    accepted: Type.Optional(Type.Boolean({ description: 'Whether the frame belongs to the open instruction' })),
    hint: Type.Optional(Type.String({ description: 'Why the frame is not usable, such as `no_face`' })),
    expiringDtm: DateTime,
  }),
);

/** A frame of 1,280 pixels has some 200 kB. */
export const MAX_FRAME_BYTES = 1024 * 1024;

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

export const StartChallenge = Type.Object({
  publicKey: FrameKey,
  omit: Type.Optional(
    listOf(oneOf('eyes', 'mouth', 'turn', 'closer'), 4, 'Movements that the person cannot make; a human decides then'),
  ),
});

export const BeginInput = withTitle(
  'JourneyBeginInput',
  Type.Object({
    anew: Type.Optional(Type.Boolean({ description: 'Replace the secret of a one-time password by a new one' })),
  }),
);

export const StepBegun = withTitle(
  'JourneyStepBegun',
  Type.Object({
    begun: Type.Boolean({ description: 'False if the step is over: read the journey again' }),
    settings: anyObject('What the page needs to go on, such as `publicKey` for a passkey or `uri` for a TOTP'),
  }),
);

export const HandoffOffer = withTitle(
  'JourneyHandoff',
  Type.Object({
    url: Type.String({ description: 'To open on the other device, as a link or a QR code' }),
    number: Type.Integer({ description: 'The end user finds this number again on the other device' }),
    expiringDtm: DateTime,
  }),
);

export const HandoffInput = withTitle(
  'JourneyHandoffInput',
  Type.Object({
    timeZone: Type.Optional(
      text(1, 60, 'The time zone of the browser, such as `Europe/Berlin`; shown on the other device'),
    ),
  }),
);

const Language = Type.Optional(text(2, 35, 'The language of the page; English if there is no text in that language'));
const Recipient = Type.Optional(
  text(
    3,
    254,
    'An e-mail address or a phone number with its country code; without it, the known address of the end user',
  ),
);

export const HandoffMessage = withTitle(
  'JourneyHandoffMessage',
  Type.Object({
    channel: Channel,
    to: Recipient,
    language: Language,
    timeZone: HandoffInput.properties.timeZone,
  }),
);

export const SentHandoff = withTitle(
  'JourneySentHandoff',
  Type.Object({ ...HandoffOffer.properties, sentTo: Type.String({ description: 'The address, shortened' }) }),
);

export const NoticeInput = withTitle('JourneyNoticeInput', Type.Object({ to: Recipient, language: Language }));

export const Notice = withTitle(
  'JourneyNotice',
  Type.Object({ sentTo: Type.String({ description: 'The address, shortened' }) }),
);

export const NumberInput = withTitle(
  'JourneyHandoffConfirmation',
  Type.Object({ number: Type.Integer({ minimum: 0, maximum: 99 }) }),
);
