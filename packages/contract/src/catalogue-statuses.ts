import type { Static } from 'typebox';
import { GENERATED, tableOf } from './markdown-table.ts';
import type { InstanceStatus, StatusMapped } from './process-manager/parameters.ts';

/** The page of statuses: what each status means, and what a back end should do. Pure. */
type Status = Static<typeof InstanceStatus>;
type Meaning = { label: Static<typeof StatusMapped>; isFinal: boolean; means: string; todo: string };

export const INSTANCE_STATUSES: Readonly<Record<Status, Meaning>> = {
  PENDING: {
    label: 'Pending',
    isFinal: false,
    means: 'created, but nobody has opened it yet',
    todo: 'Nothing. A link works once: if the person has lost it, create another with `POST …/processInstances/{id}/resumeLink`.',
  },
  ACTIVE: {
    label: 'In Progress',
    isFinal: false,
    means: 'the person is working on it, or a check is running',
    todo: 'Wait for the webhook.',
  },
  PAUSED: {
    label: 'Paused',
    isFinal: false,
    means: 'a step `pause` waits for your back end',
    todo: 'Do what the step is for, then `POST …/processInstances/{id}/resume`.',
  },
  REVIEW: {
    label: 'Review',
    isFinal: false,
    means: 'a human has to decide',
    todo: 'Tell the person that it takes longer. Somebody decides in the console, or by `POST /api/process-manager/reviews/{id}/approve` or `/reject`.',
  },
  COMPLETED_ENDED_SUCCESS: {
    label: 'Accepted',
    isFinal: true,
    means: 'the definition, or a human, accepted',
    todo: 'Read `assurance` and the data that you need, then continue with the person. Copy what you must keep before the retention ends.',
  },
  COMPLETED_ENDED_ERROR: {
    label: 'Declined',
    isFinal: true,
    means: 'the definition, or a human, declined',
    todo: 'Read the checks for the reason. Tell the person in your own words, and offer another way. A new attempt is a new instance.',
  },
  COMPLETED_PROCESS_ERROR: {
    label: 'Error',
    isFinal: true,
    means: 'the journey could not continue: a step failed for a technical reason',
    todo: 'It says nothing about the person. Read the events of the instance, correct the definition or the service that failed, and create a new instance.',
  },
  COMPLETED_TERMINATED: {
    label: 'Abandoned',
    isFinal: true,
    means: 'stopped early: time ran out, the person gave up, or a caller terminated it',
    todo: 'It says nothing about the person. Ask whether they want to try again, with a new instance.',
  },
};

const CHECKS = [
  ['PASSED', 'the check found nothing wrong', 'Nothing. `reason` says what the status is based on.'],
  [
    'FAILED',
    'the check found something wrong',
    'The definition decides what follows. `reason` says why; `advice: final` means that another attempt would not help.',
  ],
  ['REVIEW', 'the machine is not certain', 'Nothing. The instance goes to a human unless a rule says otherwise.'],
  [
    'NOT_PERFORMED',
    'nothing was checked',
    'Never treat it as passed. `reason` says why: for example image analysis is off, or there was nothing to compare.',
  ],
];

const DELIVERIES = [
  ['PENDING', 'waiting for its first or next attempt', 'Nothing.'],
  ['DELIVERED', 'the receiver answered 2xx', 'Nothing.'],
  [
    'FAILED',
    'the last attempt failed',
    'Repair the receiver, then `POST …/deliveries/{id}/replay`, or `POST …/recover` for all that failed since a time.',
  ],
  [
    'CANCELLED',
    'given up: the webhook was deleted, or too many deliveries waited',
    'Read the instances through the API.',
  ],
];

const KEYS = [
  ['ACTIVE', 'it issues tokens', 'Nothing.'],
  [
    'BLOCKED',
    'it issues no tokens, and the server refuses its tokens at once',
    'Set it `ACTIVE` again, or archive it.',
  ],
  ['ARCHIVED', 'no longer in use', 'Delete it when nobody needs its record any more.'],
];

const USERS = [
  ['ACTIVE', 'can authenticate', 'Nothing.'],
  ['PENDING_ACTIVE', 'cannot authenticate yet', 'Set `ACTIVE` when your own check is done.'],
  ['TEMP_LOCKED', 'is locked until `lockInfo.tempLockExpiresDtm`, after failures', 'Wait, or unlock.'],
  ['LOCKED', 'is locked until somebody unlocks the user', 'Find out why, then unlock.'],
  ['DISABLED', 'cannot authenticate', 'Set `ACTIVE` to allow it again.'],
];

const code = ([name = '', ...rest]: readonly string[]) => [`\`${name}\``, ...rest];
const HEAD = ['status', 'means', 'what to do'];

export function renderStatuses(): string {
  const instances = Object.entries(INSTANCE_STATUSES).map(([status, { label, isFinal, means, todo }]) => {
    return [`\`${status}\``, label, isFinal ? 'yes' : 'no', means, todo];
  });
  return `# Statuses

${GENERATED}

What each status means, and what to do. [Results](results.md) explains what to read when an instance has ended.

## Process instances

\`status\` is for programs, \`statusMapped\` for people. A final status changes only if a reviewer reopens the case: then you
receive \`instance.reopened\`.

${tableOf(['status', 'statusMapped', 'final', 'means', 'what to do'], instances)}

## Checks

${tableOf(HEAD, CHECKS.map(code))}

## Webhook deliveries

${tableOf(HEAD, DELIVERIES.map(code))}

## API keys

${tableOf(HEAD, KEYS.map(code))}

## Users of identity stores

${tableOf(HEAD, USERS.map(code))}
`;
}
