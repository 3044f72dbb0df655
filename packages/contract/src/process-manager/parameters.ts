import { oneOf } from '../schema.ts';
import { Type } from '../type.ts';

/** Schemas and limits that process tokens and process instances share. */

export const MAX_PARAMETERS = 500;
export const MAX_PARAMETER_LENGTH = 10_000;
/** Of all names and values together: each instance holds a copy. */
export const MAX_PARAMETERS_BYTES = 64 * 2 ** 10;

/** Keys that mean something to Grove. */
export const RESERVED_PARAMETERS = ['_redirectUrl', '_scenario'] as const;
/** Keys that begin like this are refused, so that Grove can add keys of its own. */
export const RESERVED_PREFIX = '_grove';

export const Parameters = Type.Unsafe<Record<string, string>>({
  type: 'object',
  maxProperties: MAX_PARAMETERS,
  propertyNames: { minLength: 1, maxLength: 255 },
  additionalProperties: { type: 'string', maxLength: MAX_PARAMETER_LENGTH },
  description:
    'Parameters of the instances; any keys except those that begin with `_grove`, at most 64 KiB together. ' +
    '`firstName`, `lastName`, `email`, `phoneNumber`, `dateOfBirth`, `documentNumber` and `nationality` describe ' +
    'the applicant; the document is compared with them (check `applicantMatch`). `countryCode` and `documentType`' +
    ' preset the document. `_redirectUrl` is the address for the end user at the end, `timeoutRedirectUrl` the ' +
    'address after a time-out. `_scenario` chooses an outcome in the sandbox.',
});

/** Live keys see what live keys created. Test keys see what test keys created, and also the configuration of live keys. */
export const Environment = oneOf('live', 'test');

export const InstanceStatus = oneOf(
  'PENDING',
  'ACTIVE',
  'PAUSED',
  'REVIEW',
  'COMPLETED_ENDED_SUCCESS',
  'COMPLETED_ENDED_ERROR',
  'COMPLETED_PROCESS_ERROR',
  'COMPLETED_TERMINATED',
);

export const StatusMapped = oneOf(
  'Pending',
  'In Progress',
  'Paused',
  'Review',
  'Accepted',
  'Declined',
  'Error',
  'Abandoned',
);
