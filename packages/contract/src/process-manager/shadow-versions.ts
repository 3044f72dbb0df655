import { del, get, group, post } from '../operation.ts';
import { page, pageQuery } from '../page.ts';
import { DateTime, Id, text, withTitle } from '../schema.ts';
import { Type } from '../type.ts';
import { Environment } from './parameters.ts';
import { WhatIfResult } from './what-if.ts';

/** Versions that are judged beside the running versions, on the same checks. They decide nothing. All of it is ours. */

/** The most shadow versions at a time, in each environment. */
export const MAX_SHADOW_VERSIONS = 20;
const MAX_EXAMINED = 20_000;

const ShadowVersion = withTitle(
  'ShadowVersion',
  Type.Object({
    processDefinitionId: Id,
    environment: Environment,
    processDefnName: Type.String(),
    processDefnVersion: Type.Integer(),
    startedDtm: DateTime,
    startedBy: Type.String(),
  }),
);

const missingCode = [100023] as const;

export const shadowVersions = group('/api/process-manager/shadowVersions', {
  list: get('', {
    summary: 'List the shadow versions',
    permission: 'ProcessManager:listShadowVersions',
    query: pageQuery({}),
    ok: page(ShadowVersion),
  }),
  start: post('', {
    summary: 'Start a shadow version, which is judged beside the running versions',
    description:
      'From now on, the result says how the version would have decided each new instance of the same definition. No' +
      ' end user sees it, and it decides nothing. The version may be a draft.',
    permission: 'ProcessManager:startShadowVersion',
    audit: 'shadowVersion.started',
    body: withTitle('ShadowVersionInput', Type.Object({ processDefinitionId: Id })),
    ok: ShadowVersion,
    status: 201,
    codes: [...missingCode, 100065],
  }),
  result: get('/{processDefinitionId}/result', {
    summary: 'Get how a shadow version would have decided the instances since it was started',
    description:
      'Like the response of `whatIf.run`: computed from how steps ended and what checks found, without opening ' +
      'personal data. Call again with `next` as `after` until `next` is absent.',
    permission: 'ProcessManager:getShadowResult',
    query: Type.Object({
      after: Type.Optional(text(1, 50, '`next` of the previous response')),
      size: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: MAX_EXAMINED,
          description: 'How many instances to replay; default: 10,000',
        }),
      ),
    }),
    ok: WhatIfResult,
    codes: [...missingCode, 100048],
  }),
  end: del('/{processDefinitionId}', {
    summary: 'End a shadow version',
    permission: 'ProcessManager:endShadowVersion',
    audit: 'shadowVersion.ended',
    status: 204,
    codes: missingCode,
  }),
});
