import { listOf, oneOf, withTitle } from './schema.ts';
import { Type } from './type.ts';

/** What a result asserts and what it does not: how each threat was assessed, and with which measured error. All of it is ours. */

export const AssuranceLevel = Type.Unsafe<'basic' | 'substantial'>({
  ...oneOf('basic', 'substantial'),
  description:
    'What an automatic acceptance needs. `basic`: an answered challenge and no signs of an attack. `substantial`:' +
    ' in addition, a human or a second factor',
});

const Measured = withTitle(
  'MeasuredError',
  Type.Object({
    what: Type.String({ description: 'The error that was counted, and on which data' }),
    errors: Type.Integer(),
    of: Type.Integer({ description: 'How many cases were tried' }),
    low: Type.Number({ description: 'The lower end of the interval of 95 % (Wilson)' }),
    high: Type.Number({ description: 'The upper end of that interval' }),
  }),
);

const Assessment = withTitle(
  'Assessment',
  Type.Object({
    assessed: Type.Boolean({ description: 'False if it was not assessed, for whatever reason' }),
    method: Type.Optional(
      oneOf('challenge', 'passive', 'clientSignals', 'imageSigns', 'faceMatch', 'faceAuthentication', 'parameters'),
    ),
    status: Type.Optional(oneOf('PASSED', 'FAILED', 'REVIEW', 'NOT_PERFORMED')),
    reason: Type.Optional(Type.String({ description: 'Such as `challenge_answered` or `no_signs_found`' })),
    signs: Type.Optional(listOf(Type.String(), 50, 'Signs of an attack that were noted')),
    countsFor: listOf(oneOf('basic', 'substantial'), 2, 'The levels for which this answer is good enough'),
    measured: listOf(Measured, 20, 'The known error rates of the method; empty if nothing was measured'),
  }),
);

export const Assurance = withTitle(
  'Assurance',
  Type.Object({
    level: AssuranceLevel,
    decidedBy: Type.Optional(
      Type.Unsafe<'machine' | 'human'>({
        ...oneOf('machine', 'human'),
        description: 'Absent until the instance is decided. `human`: somebody has approved or rejected',
      }),
    ),
    secondFactor: Type.Optional(oneOf('passkey')),
    missing: listOf(Type.String(), 10, 'What kept the machine from accepting, although no check failed'),
    simulated: Type.Boolean({ description: 'True in the sandbox: nothing was analysed' }),
    presentationAttack: Assessment,
    injection: Assessment,
    documentAuthenticity: Assessment,
    identityBinding: Assessment,
    expectedPerson: Assessment,
  }),
);
