import { Assurance } from '../assurance.ts';
import { get, group, post } from '../operation.ts';
import { page, pageQuery } from '../page.ts';
import { DateTime, Id, listOf, mapOf, nameText, oneOf, personal, text, withTitle } from '../schema.ts';
import { Type } from '../type.ts';
import { ColleagueLanguage } from './case-work.ts';
import { ProcessInstance } from './instances.ts';
import { Environment } from './parameters.ts';
import { MAX_QUEUE_DEFINITIONS, MAX_REVIEW_QUEUES, MAX_REVIEW_REASONS } from './settings.ts';

/** The review of instances by a human. All of it is ours. */

const Reviewer = nameText(1, 100, 'The name of the reviewer; default: the name of the API key');
const Comment = text(1, 1000, 'Why');

const Priority = Type.Unsafe<'NORMAL' | 'HIGH' | 'URGENT'>({
  ...oneOf('NORMAL', 'HIGH', 'URGENT'),
  description: 'How urgent it is; `sort=priority,desc` lists the most urgent first',
});

const Review = withTitle(
  'Review',
  Type.Object({
    processInstanceId: Id,
    processDefnId: Id,
    processDefnName: Type.String(),
    processDefnVersion: Type.Integer(),
    firstName: Type.Optional(personal(Type.String())),
    lastName: Type.Optional(personal(Type.String())),
    environment: Environment,
    step: Type.String({ description: 'The step that asked for the review' }),
    waitingSinceDtm: DateTime,
    priority: Priority,
    dueDtm: Type.Optional(
      Type.String({ ...DateTime, description: 'When it should be decided; see `reviewDueHours` of the settings' }),
    ),
    reasons: listOf(
      Type.String(),
      100,
      'The checks that did not pass, and other reasons against an automatic acceptance: `<step>:<reason>`',
    ),
    assurance: Assurance,
    reviewer: Type.Optional(Type.String({ description: 'Who has claimed the review' })),
    claimedUntilDtm: Type.Optional(DateTime),
    verdictsNeeded: Type.Integer({
      description:
        '2 if two different people must agree, otherwise 1. For the sample of `secondReviewPercent` it is 1 until the first verdict',
    }),
    verdictsBy: listOf(Type.String(), 100, 'Who has given a verdict that does not decide alone'),
    disagree: Type.Boolean({ description: 'Whether two reviewers gave different verdicts' }),
    evaluation: Type.Optional(
      Type.Unsafe<'PASS' | 'FAIL' | 'REVIEW'>({
        ...oneOf('PASS', 'FAIL', 'REVIEW'),
        description: 'After a correction: the result of the rules of the definition with the corrected values',
      }),
    ),
    offeredReasons: listOf(
      Type.String(),
      MAX_REVIEW_REASONS,
      'The reasons that the tenant offers to reviewers; see the settings',
    ),
  }),
);

const ClosedReview = withTitle(
  'ClosedReview',
  Type.Object({
    processInstanceId: Id,
    processDefnName: Type.String(),
    firstName: Type.Optional(personal(Type.String())),
    lastName: Type.Optional(personal(Type.String())),
    verdict: oneOf('APPROVED', 'REJECTED', 'ASKED_AGAIN', 'REOPENED'),
    reviewer: Type.String(),
    comment: Type.Optional(Type.String()),
    decidedDtm: DateTime,
    waitedMilliseconds: Type.Integer(),
  }),
);

const Claim = withTitle('ReviewClaim', Type.Object({ reviewer: Type.Optional(Reviewer) }));
const Verdict = withTitle('ReviewVerdict', Type.Object({ comment: Comment, reviewer: Type.Optional(Reviewer) }));
/** Why the end user is asked again. Each reason has a text in every language of the journey. */
export const ASK_AGAIN_REASONS = [
  'unreadable',
  'expired',
  'otherDocument',
  'faceUnclear',
  'detailsDiffer',
  'other',
] as const;
const MAX_MESSAGE = 500;
const MAX_LANGUAGES = 50;

const AskAgain = withTitle(
  'ReviewAskAgain',
  Type.Object({
    comment: Comment,
    reviewer: Type.Optional(Reviewer),
    steps: Type.Array(text(1, 50), {
      minItems: 1,
      maxItems: 100,
      description: 'The steps that the end user must repeat; dependent steps are repeated too',
    }),
    reason: Type.Optional({ ...oneOf(...ASK_AGAIN_REASONS), description: 'Shown to the end user in their language' }),
    message: Type.Optional(
      mapOf(
        text(1, MAX_MESSAGE),
        MAX_LANGUAGES,
        'A message to the end user, by language: `{"en": "…", "de": "…"}`. `comment` is for colleagues',
      ),
    ),
  }),
);

const Correction = withTitle(
  'ReviewCorrection',
  Type.Object({
    document: text(1, 50, 'The key of the document in the user data, such as `doc1`'),
    fieldName: text(1, 100, 'Such as `Date Of Birth`: a field of `biographicData`, or one that was not read'),
    value: text(1, 200, 'What the document says. A date is written as `YYYY-MM-DD`'),
    replaces: Type.Optional(
      text(
        0,
        1000,
        'The value that you saw. If the field has another value by now, the correction is refused with 100361',
      ),
    ),
    comment: Comment,
    reviewer: Type.Optional(Reviewer),
  }),
);

const Reopening = withTitle('ReviewReopening', Type.Object({ comment: Comment, reviewer: Type.Optional(Reviewer) }));

const ReturnLink = withTitle(
  'ReviewAsked',
  Type.Object({
    // Personal, because everybody who opens it sees what the end user sees.
    redirectUrl: personal(Type.String({ description: 'Takes the end user back to the journey; works once' })),
    expiringDtm: DateTime,
  }),
);

const conflicts = [100022, 100060, 100061] as const;
const verdicts = [...conflicts, 100300, 100360] as const;
const TWO_AGREE =
  'If the definition or the settings say `fourEyes`, or the instance is in the sample of `secondReviewPercent`, the ' +
  'first verdict decides nothing: the instance stays in review until a different operator gives the same verdict. API keys cannot give a verdict on such a review.';

export const reviews = group('/api/process-manager/reviews', {
  list: get('', {
    summary: 'List the instances that wait for a review',
    permission: 'ProcessManager:listReviews',
    persons: 'each',
    query: pageQuery({
      assigned: Type.Optional({
        ...oneOf('ALL', 'CLAIMED', 'UNCLAIMED'),
        description: 'Only claimed reviews, or only unclaimed ones',
      }),
      reviewer: Type.Optional(text(0, 100, 'Only reviews that this reviewer has claimed')),
      processDefnName: Type.Optional(text(0, 100, 'Only reviews of this process definition, of any version')),
      queue: Type.Optional(text(0, 50, 'Only reviews of this queue; see `reviewQueues` of the settings')),
      due: Type.Optional({ ...oneOf('ALL', 'OVERDUE'), description: 'Only reviews that should be decided by now' }),
    }),
    ok: page(Review),
  }),
  get: get('/{processInstanceId}', {
    summary: 'Get a waiting review',
    permission: 'ProcessManager:getReview',
    persons: 'one',
    ok: Review,
    codes: [100022, 100061],
  }),
  claim: post('/{processInstanceId}/claim', {
    summary: 'Claim a review',
    description:
      'Nobody else can decide the review for 30 minutes. Claim it again for 30 minutes more. A review that was assigned to ' +
      'you stays yours for its 24 hours.',
    permission: 'ProcessManager:claimReview',
    persons: 'one',
    body: Claim,
    ok: Review,
    codes: conflicts,
  }),
  release: post('/{processInstanceId}/release', {
    summary: 'Give a claimed review back',
    permission: 'ProcessManager:releaseReview',
    persons: 'one',
    body: Claim,
    ok: Review,
    codes: conflicts,
  }),
  assign: post('/{processInstanceId}/assign', {
    summary: 'Assign a review to an operator',
    description:
      'Nobody else can decide the review for 24 hours, or until the operator gives it back. The claim of another reviewer ' +
      'ends. If the server sends e-mail, the operator gets one.',
    permission: 'ProcessManager:assignReview',
    persons: 'one',
    body: withTitle('ReviewAssignment', Type.Object({ operatorId: Id, language: ColleagueLanguage })),
    ok: Review,
    codes: [100022, 100061],
  }),
  setPriority: post('/{processInstanceId}/priority', {
    summary: 'Set how urgent a review is',
    permission: 'ProcessManager:prioritiseReview',
    persons: 'one',
    body: withTitle('ReviewPriority', Type.Object({ priority: Priority })),
    ok: Review,
    codes: [100022, 100061],
  }),
  approve: post('/{processInstanceId}/approve', {
    summary: 'Approve a review',
    description: TWO_AGREE,
    permission: 'ProcessManager:approveReview',
    persons: 'one',
    body: Verdict,
    ok: ProcessInstance,
    codes: verdicts,
  }),
  reject: post('/{processInstanceId}/reject', {
    summary: 'Reject a review',
    description: TWO_AGREE,
    permission: 'ProcessManager:rejectReview',
    persons: 'one',
    body: Verdict,
    ok: ProcessInstance,
    codes: verdicts,
  }),
  askAgain: post('/{processInstanceId}/askAgain', {
    summary: 'Ask the end user to repeat steps',
    description:
      'The response has a link for the end user. If the end user asked for a notification by e-mail, Grove sends a ' +
      'link by e-mail, in their language.',
    permission: 'ProcessManager:askAgainReview',
    body: AskAgain,
    ok: ReturnLink,
    codes: conflicts,
  }),
  correct: post('/{processInstanceId}/correct', {
    summary: 'Correct a value that was read from a document',
    description:
      'The values that were read stay, and the user data shows who corrected what, and why. The checks that compare ' +
      'the value, the automatic steps after it and the decision are evaluated again. A correction decides nothing: the ' +
      'instance stays in review, `evaluation` of the review has the new result of the rules, and earlier verdicts no ' +
      'longer count. If a step has to run again, the instance is ACTIVE until it has run.',
    permission: 'ProcessManager:correctReview',
    persons: 'one',
    body: Correction,
    ok: ProcessInstance,
    codes: [...conflicts, 100361],
  }),
  reopen: post('/{processInstanceId}/reopen', {
    summary: 'Reopen a decided instance',
    description:
      'The instance waits for a review again. Its result is open until somebody decides: a second `instance.completed` ' +
      'follows. An instance that expired, was cancelled or belongs to a subprocess cannot be reopened. Retention goes on ' +
      'as before.',
    permission: 'ProcessManager:reopenReview',
    persons: 'one',
    body: Reopening,
    ok: Review,
    codes: [100022, 100362, 100364],
  }),
});

const ReviewQueue = withTitle(
  'ReviewQueue',
  Type.Object({
    name: Type.String(),
    processDefnNames: listOf(Type.String(), MAX_QUEUE_DEFINITIONS),
    waiting: Type.Integer({ description: 'How many reviews wait in it' }),
    oldestDtm: Type.Optional(Type.String({ ...DateTime, description: 'Since when the oldest of them waits' })),
  }),
);

export const reviewQueues = group('/api/process-manager/reviewQueues', {
  list: get('', {
    summary: 'List the queues of reviewers, and how many reviews wait in each',
    permission: 'ProcessManager:listReviewQueues',
    ok: withTitle('ReviewQueues', Type.Object({ queues: listOf(ReviewQueue, MAX_REVIEW_QUEUES) })),
  }),
});

export const closedReviews = group('/api/process-manager/closedReviews', {
  list: get('', {
    summary: 'List the decisions of reviewers',
    description: 'The newest first. `totalElements` is exact up to 10,000 and never says more.',
    permission: 'ProcessManager:listClosedReviews',
    persons: 'each',
    query: pageQuery({
      verdict: Type.Optional(oneOf('APPROVED', 'REJECTED', 'ASKED_AGAIN', 'REOPENED')),
      reviewer: Type.Optional(text(0, 200, 'Only decisions of this reviewer')),
      processDefnName: Type.Optional(text(0, 100, 'Only decisions about this process definition, of any version')),
      startDateTime: Type.Optional(Type.String({ ...DateTime, description: 'Decisions at or after this time' })),
      endDateTime: Type.Optional(Type.String({ ...DateTime, description: 'Decisions before this time' })),
    }),
    ok: page(ClosedReview),
  }),
});
