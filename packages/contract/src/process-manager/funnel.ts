import { get, group } from '../operation.ts';
import { CalendarDate, Id, listOf, withTitle } from '../schema.ts';
import { Type } from '../type.ts';
import { Environment } from './parameters.ts';

/** Where people stop: counts of how the steps of a definition ended. No count is about a single person. */

const FunnelStep = Type.Object(
  {
    step: Type.String({ description: 'The id of the step in the definition' }),
    type: Type.String(),
    seen: Type.Integer({ description: 'Instances whose end user was shown the step' }),
    passed: Type.Integer(),
    failed: Type.Integer(),
    review: Type.Integer({ description: 'Completed, with a result for a human' }),
    notPerformed: Type.Integer({ description: 'The end user could not do the step, or no check could be made' }),
    retried: Type.Integer({ description: 'Attempts that were not good enough and could be repeated' }),
    left: Type.Integer({ description: 'Instances that ended at this step, abandoned or timed out' }),
    medianSeconds: Type.Optional(
      Type.Integer({
        description: 'The median duration, on a coarse scale; absent above half an hour',
      }),
    ),
  },
  { title: 'FunnelStep' },
);

const Funnel = withTitle(
  'Funnel',
  Type.Object({
    processDefnId: Id,
    processDefnName: Type.String(),
    processDefnVersion: Type.Integer(),
    environment: Environment,
    fromDate: CalendarDate,
    toDate: CalendarDate,
    steps: listOf(FunnelStep, 100, 'Those that end users do, in the order of the definition'),
  }),
);

export const funnels = group('/api/process-manager/processDefinitions', {
  get: get('/{processDefinitionId}/funnel', {
    summary: 'Get how many people see, finish, fail and leave each step',
    description:
      'Counts one version of a definition in the environment of the key, by day (UTC). Counts are kept for 400 ' +
      'days, also after the instances are deleted. People who saw a step and appear in no other number are still on' +
      ' it.',
    permission: 'ProcessManager:getProcessDefinitionFunnel',
    query: Type.Object({
      from: Type.Optional(Type.String({ ...CalendarDate, description: 'The first day; default: 30 days ago' })),
      to: Type.Optional(Type.String({ ...CalendarDate, description: 'The last day; default: today' })),
    }),
    ok: Funnel,
    codes: [100023],
  }),
});
