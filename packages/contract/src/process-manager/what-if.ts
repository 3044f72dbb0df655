import { group, post } from '../operation.ts';
import { DateTime, Id, listOf, oneOf, text, withTitle } from '../schema.ts';
import { Type } from '../type.ts';
import { DefinitionDocument } from './definitions.ts';

/** How another version of a definition would have decided past instances. All of it is ours. */

const MAX_EXAMINED = 20_000;
export const MAX_CHANGED_LISTED = 20_000;
const OUTCOMES = ['PASS', 'FAIL', 'REVIEW', 'UNFINISHED', 'NOT_KNOWN'] as const;

const Outcome = oneOf(...OUTCOMES);
const Verdict = { ...oneOf('APPROVED', 'REJECTED', 'NONE'), description: 'What reviewers decided, if they did' };

const WhatIfInput = withTitle(
  'WhatIfInput',
  Type.Object({
    definition: DefinitionDocument,
    startDateTime: Type.String({ ...DateTime, description: 'Instances that were created at or after this time' }),
    endDateTime: Type.Optional(Type.String({ ...DateTime, description: 'Created before this time; default: now' })),
    after: Type.Optional(text(1, 50, '`next` of the previous response: continues after its instances')),
    size: Type.Optional(
      Type.Integer({ minimum: 1, maximum: MAX_EXAMINED, description: 'How many instances to replay; default: 10,000' }),
    ),
  }),
);

export const WhatIfResult = withTitle(
  'WhatIfResult',
  Type.Object({
    examined: Type.Integer(),
    counts: listOf(
      Type.Object(
        { recorded: Outcome, outcome: Outcome, verdict: Verdict, instances: Type.Integer() },
        { title: 'WhatIfCount' },
      ),
      100,
      'How many instances ended as `recorded` and would now end as `outcome`',
    ),
    changed: listOf(
      Type.Object(
        {
          processInstanceId: Id,
          recorded: Outcome,
          outcome: Outcome,
          verdict: Verdict,
          because: Type.Optional(Type.String({ description: 'Why the outcome is NOT_KNOWN' })),
        },
        { title: 'WhatIfChange' },
      ),
      MAX_CHANGED_LISTED + 1000,
      'The instances that would end differently',
    ),
    next: Type.Optional(Type.String({ description: 'Present if there are more: call again with it as `after`' })),
  }),
);

export const whatIf = group('/api/process-manager/whatIf', {
  run: post('', {
    summary: 'Replay past instances against another version of their definition',
    description:
      'Replays instances of definitions with the same name. Decisions are pure functions of how steps ended and ' +
      'what checks found, so they can be repeated without opening personal data. If a result depends on personal ' +
      'data, or on a step that nobody did, it is `NOT_KNOWN`. `REVIEW` means that machines left the decision to a ' +
      'human. Nothing is changed.',
    permission: 'ProcessManager:simulateProcessDefinition',
    body: WhatIfInput,
    ok: WhatIfResult,
    codes: [100048],
  }),
});
