import { operations } from '@grove/contract';
import { USE_CLOUD_SECRET } from '../kernel/ensure-permission.ts';

/** The roles that come with Grove. Permissions are written without the tenant. */
export type BuiltInRole = {
  readonly name: string;
  readonly description: string;
  readonly permissions: readonly string[];
  readonly environments: readonly ('live' | 'test')[];
  readonly isMasked: boolean;
};

export const OWNER = 'Owner';

const ALL = [...new Set(operations().flatMap(({ operation }) => operation.permission ?? []))].sort();
const COMPONENTS = [...new Set(ALL.map((permission) => permission.slice(0, permission.indexOf(':'))))];
const BOTH = ['live', 'test'] as const;

const REVIEWS = [
  'listReviews',
  'getReview',
  'claimReview',
  'releaseReview',
  'approveReview',
  'rejectReview',
  'askAgainReview',
  'correctReview',
  'reopenReview',
  'listClosedReviews',
  'listReviewQueues',
  'listInstanceLinks',
  'listInstanceSessions',
  'listInstanceNotes',
  'addInstanceNote',
  'listNoteMentions',
];
const LOOKS = ['getProcessInstance', 'listProcessInstanceEvents', 'listProcessDefinitions', 'getProcessDefinition'];
const ofManager = (names: readonly string[]) => names.map((name) => `ProcessManager:${name}`);

/** The permissions that a developer must not have: to decide reviews, and to see or erase persons. */
const NOT_FOR_DEVELOPERS =
  /:(claim|release|assign|approve|reject|askAgain|correct|reopen|prioritise)Review$|:(listInstanceLinks|listInstanceSessions|listInstanceNotes|addInstanceNote|listNoteMentions)$|^(PersonRequests|OperatorManager|InstallationManager|UserDataServer|WatchlistManager):|:(runRetention|deleteProcessInstance|redactProcessInstance|deleteUser|createResumeLink|sendResumeLink|cancelProcessInstance)$|:\w+Exports?$/;

/** An auditor sees settings and actions, and nothing that end users gave. */
const NOT_FOR_AUDITORS =
  /^(UserDataServer|WatchlistManager|IdentityStore|PersonRequests):|:(listInstanceLinks|listInstanceSessions|listInstanceNotes|listNoteMentions)$|:\w+Exports?$/;

export const BUILT_IN_ROLES: readonly BuiltInRole[] = [
  { name: OWNER, description: 'May do everything', permissions: ['*'], environments: BOTH, isMasked: false },
  {
    name: 'Administrator',
    description: 'May do everything, but cannot make or change owners',
    permissions: COMPONENTS.map((component) => `${component}:*`),
    environments: BOTH,
    isMasked: false,
  },
  {
    name: 'Developer',
    description: 'Builds and connects: definitions, keys, webhooks, pages; sees no images and decides no reviews',
    permissions: [...ALL.filter((permission) => !NOT_FOR_DEVELOPERS.test(permission)), USE_CLOUD_SECRET],
    environments: BOTH,
    isMasked: false,
  },
  {
    name: 'Reviewer',
    description: 'Decides what machines could not',
    permissions: [
      ...ofManager([...REVIEWS, ...LOOKS]),
      'UserDataServer:getProcessInstanceUserData',
      'OperatorManager:listColleagues',
    ],
    environments: BOTH,
    isMasked: false,
  },
  {
    name: 'Auditor',
    description: 'Reads settings and the audit trail; changes nothing, sees no images, and personal data masked',
    permissions: ALL.filter((each) => /:(get|list|preview)[A-Z]/.test(each) && !NOT_FOR_AUDITORS.test(each)),
    environments: BOTH,
    isMasked: true,
  },
];

export function builtInRole(name: string): BuiltInRole | undefined {
  return BUILT_IN_ROLES.find((role) => role.name === name);
}
