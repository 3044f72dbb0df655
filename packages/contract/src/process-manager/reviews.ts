import { Assurance } from '../assurance.ts';
import { get, group, post } from '../operation.ts';
import { page, pageQuery } from '../page.ts';
import { DateTime, Id, listOf, mapOf, named, oneOf, text } from '../schema.ts';
import { Type } from '../type.ts';
import { ProcessInstance } from './instances.ts';
import { Environment } from './parameters.ts';

/** The review of instances by a human. All of it is ours. */

const Reviewer = text(1, 100, 'Who reviews; the name of the API key unless given');
const Comment = text(1, 1000, 'Why');

const Review = named(
  'Review',
  Type.Object({
    processInstanceId: Id,
    processDefnId: Id,
    processDefnName: Type.String(),
    processDefnVersion: Type.Integer(),
    firstName: Type.Optional(Type.String()),
    lastName: Type.Optional(Type.String()),
    environment: Environment,
    step: Type.String({ description: 'The step that asked for the review' }),
    waitingSinceDtm: DateTime,
    reasons: listOf(
      Type.String(),
      100,
      'The checks that did not pass, and what kept the machine from accepting: `<step>:<reason>`',
    ),
    assurance: Assurance,
    reviewer: Type.Optional(Type.String({ description: 'Who has claimed it' })),
    claimedUntilDtm: Type.Optional(DateTime),
  }),
);

const Claim = named('ReviewClaim', Type.Object({ reviewer: Type.Optional(Reviewer) }));
const Verdict = named('ReviewVerdict', Type.Object({ comment: Comment, reviewer: Type.Optional(Reviewer) }));
/** Why the end user is asked again. Each has words in every language of the journey. */
export const ASK_AGAIN_REASONS = [
  ...(['unreadable', 'expired', 'otherDocument', 'faceUnclear', 'detailsDiffer', 'other'] as const),
] as const;
const MAX_MESSAGE = 500;
const MAX_LANGUAGES = 50;

const AskAgain = named(
  'ReviewAskAgain',
  Type.Object({
    comment: Comment,
    reviewer: Type.Optional(Reviewer),
    steps: Type.Array(text(1, 50), {
      minItems: 1,
      maxItems: 100,
      description: 'The steps of the end user to do once more; what depends on them is done again too',
    }),
    reason: Type.Optional({ ...oneOf(...ASK_AGAIN_REASONS), description: 'Told to the end user in their language' }),
    message: Type.Optional(
      mapOf(
        text(1, MAX_MESSAGE),
        MAX_LANGUAGES,
        'What the end user is told besides, by language: `{"en": "…", "de": "…"}`. `comment` is for colleagues',
      ),
    ),
  }),
);

const Asked = named(
  'ReviewAsked',
  Type.Object({
    redirectUrl: Type.String({ description: 'Takes the end user back to the journey; works once' }),
    expiringDtm: DateTime,
  }),
);

const conflicts = [100022, 100060, 100061] as const;

export const reviews = group('/api/process-manager/reviews', {
  list: get('', {
    summary: 'List the instances that wait for a review',
    permission: 'ProcessManager:listReviews',
    persons: 'each',
    query: pageQuery({
      assigned: Type.Optional({
        ...oneOf('ALL', 'CLAIMED', 'UNCLAIMED'),
        description: 'Only those that somebody has claimed, or nobody',
      }),
      reviewer: Type.Optional(text(0, 100, 'Only those that this reviewer has claimed')),
    }),
    ok: page(Review),
  }),
  claim: post('/{processInstanceId}/claim', {
    summary: 'Claim a review',
    description: 'Nobody else can decide it for 30 minutes. To claim it again makes it 30 minutes more.',
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
  approve: post('/{processInstanceId}/approve', {
    summary: 'Approve',
    permission: 'ProcessManager:approveReview',
    persons: 'one',
    body: Verdict,
    ok: ProcessInstance,
    codes: conflicts,
  }),
  reject: post('/{processInstanceId}/reject', {
    summary: 'Reject',
    permission: 'ProcessManager:rejectReview',
    persons: 'one',
    body: Verdict,
    ok: ProcessInstance,
    codes: conflicts,
  }),
  askAgain: post('/{processInstanceId}/askAgain', {
    summary: 'Ask the end user to do steps again',
    description:
      'The answer has a link for the end user. Who has asked to be told by e-mail gets it by e-mail, in their language.',
    permission: 'ProcessManager:askAgainReview',
    body: AskAgain,
    ok: Asked,
    codes: conflicts,
  }),
});
