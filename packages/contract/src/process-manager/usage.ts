import { get, group } from '../operation.ts';
import { CalendarDate, listOf, text, withTitle } from '../schema.ts';
import { Type } from '../type.ts';

/** How many instances there are, how they ended and how fast: counted from the stored instances. All of it is ours. */

const MAX_DAYS = 400;
const MAX_NAMES = 200;

const counts = {
  created: Type.Integer({ description: 'Instances that were created' }),
  accepted: Type.Integer(),
  declined: Type.Integer(),
  inReview: Type.Integer(),
  abandoned: Type.Integer({ description: 'Abandoned or timed out' }),
  failed: Type.Integer({ description: 'Ended with an error' }),
  open: Type.Integer({ description: 'Not started, in progress or paused' }),
};

const Usage = withTitle(
  'Usage',
  Type.Object({
    fromDate: CalendarDate,
    toDate: CalendarDate,
    total: Type.Object(counts, { title: 'UsageCounts' }),
    days: listOf(
      Type.Object({ date: CalendarDate, ...counts }, { title: 'UsageDay' }),
      MAX_DAYS,
      'Counts by the day of creation (UTC) and the present status; days without instances are left out',
    ),
    definitions: listOf(
      Type.Object({ processDefnName: Type.String(), ...counts }, { title: 'UsageOfDefinition' }),
      MAX_NAMES,
    ),
    secondsToEnd: Type.Object(
      {
        instances: Type.Integer({ description: 'Accepted and declined instances' }),
        median: Type.Optional(Type.Integer()),
        ninetyPercent: Type.Optional(Type.Integer({ description: 'The 90th percentile' })),
      },
      { title: 'UsageDurations' },
    ),
    devices: listOf(
      Type.Object({ browser: Type.String(), instances: Type.Integer() }, { title: 'UsageDevice' }),
      MAX_NAMES,
      'Instances by the browser that opened them, such as `Chrome on Android`',
    ),
    reviewers: listOf(
      Type.Object(
        {
          reviewer: Type.String(),
          approved: Type.Integer(),
          rejected: Type.Integer(),
          askedAgain: Type.Integer(),
          waitedSeconds: Type.Integer({ description: 'How long their cases waited on average' }),
        },
        { title: 'UsageReviewer' },
      ),
      MAX_NAMES,
      'The verdicts of each reviewer in this time',
    ),
    agreement: Type.Object(
      {
        cases: Type.Integer({ description: 'Cases that two or more people gave a verdict on' }),
        agreed: Type.Integer({ description: 'Those of them in which all verdicts were the same' }),
      },
      { title: 'UsageAgreement' },
    ),
  }),
);

export const usage = group('/api/process-manager/usage', {
  get: get('', {
    summary: 'Count instances, outcomes, times, devices and verdicts',
    description:
      'Counts stored instances in the environment of the caller, so deleted instances are not included. The result ' +
      'names no end user.',
    permission: 'ProcessManager:getUsage',
    query: Type.Object({
      from: Type.Optional(Type.String({ ...CalendarDate, description: 'The first day; default: 30 days ago' })),
      to: Type.Optional(Type.String({ ...CalendarDate, description: 'The last day; default: today' })),
      processDefnName: Type.Optional(text(0, 50, 'Only instances of this definition')),
    }),
    ok: Usage,
  }),
});
