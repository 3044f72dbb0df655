import { IfUnchanged } from '../if-unchanged.ts';
import { get, group, post } from '../operation.ts';
import { page, pageQuery } from '../page.ts';
import { DateTime, listOf, nameText, text, withTitle } from '../schema.ts';
import { Type } from '../type.ts';

/** What a tenant sets for all its journeys, and what its sandbox offers. All of it is ours. */

export const MAX_REDIRECT_ORIGINS = 100;
export const MAX_EMBED_ORIGINS = 50;
export const MAX_REVIEW_REASONS = 9;
export const MAX_REVIEW_QUEUES = 20;
const MAX_QUEUE_NAME = 50;
export const MAX_QUEUE_DEFINITIONS = 50;
const MAX_REASON_LENGTH = 200;
const MAX_DUE_HOURS = 8760;
const MAX_PERSONS_PER_HOUR = 1_000_000_000;

const redirectOrigins = listOf(
  text(1, 255),
  MAX_REDIRECT_ORIGINS,
  'Origins to which end users may be redirected: `https://www.example.com`, `http://localhost:3000`, or the scheme of an app, `myapp:`',
);
const embedOrigins = listOf(
  text(1, 255),
  MAX_EMBED_ORIGINS,
  'Origins of pages that may show a journey in a frame or a window: `https://www.example.com`, `http://localhost:3000`',
);
const allowSpecimens = Type.Boolean({
  description: 'Live journeys accept documents of invented states, such as Utopia: for demonstrations only',
});
const readBudget = withTitle(
  'ReadBudget',
  Type.Object(
    {
      personsPerHour: Type.Integer({ minimum: 1, maximum: MAX_PERSONS_PER_HOUR }),
      block: Type.Boolean({
        description:
          'Whether Grove refuses a key that has used up its budget (429, code 100191) until the hour is over',
      }),
    },
    {
      description:
        'How many persons each API key and each operator may read in an hour, by lists, searches and single reads, before an alarm is raised: ' +
        'the audit event and webhook event `apiKey.readBudgetExceeded`, and a warning in the log',
    },
  ),
);

const lenientRequests = Type.Boolean({
  description:
    'Ignores unknown members in bodies of operations of the specification, and names them in the ' +
    'header `Grove-Ignored`, instead of refusing them. This is for clients that migrate. `Prefer: ' +
    'handling=lenient` does it for one request',
});

const fourEyes = Type.Boolean({
  description: 'A review needs the same verdict of two different operators; API keys do not count',
});

const secondReviewPercent = Type.Integer({
  minimum: 0,
  maximum: 100,
  description:
    'The percentage of reviews that need the same verdict of two different operators, as with `fourEyes`. ' +
    'Nobody can foresee which. 0 means none',
});

const reviewReasons = listOf(
  text(1, MAX_REASON_LENGTH),
  MAX_REVIEW_REASONS,
  'Reasons that reviewers give often; the console offers these instead of its own',
);

const reviewDueHours = Type.Integer({
  minimum: 0,
  maximum: MAX_DUE_HOURS,
  description: 'Within how many hours a review should be decided; 0 means no deadline',
});

const reviewQueues = listOf(
  withTitle(
    'ReviewQueueSetting',
    Type.Object({
      name: nameText(1, MAX_QUEUE_NAME, 'What reviewers see'),
      processDefnNames: Type.Array(text(1, 50), {
        minItems: 1,
        maxItems: MAX_QUEUE_DEFINITIONS,
        description: 'The process definitions whose reviews are in the queue, of any version',
      }),
    }),
  ),
  MAX_REVIEW_QUEUES,
  'Named parts of the queue of reviewers; a review may be in several',
);

const Settings = withTitle(
  'ProcessSettings',
  Type.Object({
    redirectOrigins,
    embedOrigins,
    allowSpecimens,
    readBudget,
    lenientRequests,
    fourEyes,
    secondReviewPercent,
    reviewReasons,
    reviewDueHours,
    reviewQueues,
    lastUpdatedDtm: Type.String({ ...DateTime, description: '1970-01-01 before the first change' }),
  }),
);
const SettingsUpdate = withTitle(
  'ProcessSettingsUpdate',
  Type.Object({
    redirectOrigins: Type.Optional(redirectOrigins),
    embedOrigins: Type.Optional(embedOrigins),
    allowSpecimens: Type.Optional(allowSpecimens),
    lenientRequests: Type.Optional(lenientRequests),
    readBudget: Type.Optional(readBudget),
    fourEyes: Type.Optional(fourEyes),
    secondReviewPercent: Type.Optional(secondReviewPercent),
    reviewReasons: Type.Optional(reviewReasons),
    reviewDueHours: Type.Optional(reviewDueHours),
    reviewQueues: Type.Optional(reviewQueues),
  }),
);

export const processSettings = group('/api/process-manager/settings', {
  get: get('', {
    summary: 'Get the settings of journeys',
    permission: 'ProcessManager:getSettings',
    ok: Settings,
  }),
  update: post('', {
    summary: 'Change the settings of journeys',
    permission: 'ProcessManager:updateSettings',
    destructive: true,
    audit: 'processSettings.updated',
    query: IfUnchanged,
    body: SettingsUpdate,
    ok: Settings,
    codes: [100351],
  }),
});

const Scenario = withTitle(
  'SandboxScenario',
  Type.Object({
    name: Type.String({ description: 'The value of the parameter `_scenario`' }),
    description: Type.String(),
    outcome: Type.String({ description: 'The status in which `document-and-selfie` ends with this scenario' }),
  }),
);

export const sandbox = group('/api/process-manager/sandbox', {
  listScenarios: get('/scenarios', {
    summary: 'List the sandbox scenarios',
    description: 'Instances of test keys run the same code; the parameter `_scenario` chooses what the checks find.',
    permission: 'ProcessManager:listScenarios',
    query: pageQuery({}),
    ok: page(Scenario),
  }),
});
