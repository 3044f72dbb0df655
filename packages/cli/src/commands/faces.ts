import type { Command } from 'commander';
import { asOperator, operatorConfig } from '../operator.ts';
import { type CommonOptions, define, defineGroup, examples, print, type Result } from '../output.ts';
import { progressLine } from '../progress.ts';

type ReEnrolOptions = CommonOptions & { tenant?: string };

export function defineFaces(program: Command): void {
  const faces = defineGroup(program, 'faces', 'the faces that are stored for the step duplicate');
  define(faces, 're-enrol', 'compute faces of another pack from their pictures, after a change of GROVE_FACE_PACK')
    .option('--tenant <id>', 'only those of this tenant')
    .addHelpText(
      'after',
      `${examples('grove faces re-enrol', 'grove faces re-enrol --tenant acme')}
The server may be running, with the new pack. Each face is stored when it is done: a command that was stopped goes on where
it was. Faces whose picture is gone stay as they are. Members of watchlists and users of identity stores have no picture
here: enrol them again. About ten faces a second.`,
    )
    .action(async (options: ReEnrolOptions) => print(options, await reEnrol(options)));
}

async function reEnrol({ tenant }: ReEnrolOptions): Promise<Result> {
  const { findTenant, isTenantId, OperatorError } = await import('@grove/server');
  const { reEnrolEverywhere } = await import('@grove/server/faces');
  const config = await operatorConfig();
  const line = progressLine();
  const stop = new AbortController();
  process.once('SIGINT', () => stop.abort(new Error('Stopped. Finished faces are stored; run it again to continue.')));
  const result = await asOperator(config, async (operator) => {
    if (tenant !== undefined && !(isTenantId(tenant) && (await findTenant(operator.db.system, { id: tenant })))) {
      throw new OperatorError(`There is no tenant ${tenant}`);
    }
    return reEnrolEverywhere(config, operator, tenant, {
      signal: stop.signal,
      onProgress(tenantId, { done, withoutImage, withoutFace }, total) {
        line.show(`faces of ${tenantId}`, done + withoutImage + withoutFace, total);
      },
    });
  }).finally(() => line.end());
  const lines = result.tenants.map(
    ({ tenantId, done, withoutImage, withoutFace }) =>
      `${tenantId}: ${done} computed again, ${withoutImage} without a picture, ${withoutFace} whose picture shows no face.`,
  );
  return { value: result, text: [`Faces are kept as ${result.algorithm}.`, ...lines].join('\n') };
}
