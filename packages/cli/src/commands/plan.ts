import type { Command } from 'commander';
import { onServer, type ServerOptions, serverFrom, WHERE } from '../on-server.ts';
import { define, examples, print, type Result } from '../output.ts';

/** The exit code of `--check` if there are changes to make. */
const CHANGES = 2;

export const LAYOUT = `
The folder holds, as far as there is something to say:
  definitions/*.yaml   process definitions (or .yml, .json), each with optional "tags: [...]"
  settings.yaml        redirectOrigins, embedOrigins, readBudget and the other settings of journeys
  pages/<name>/        the files of a custom page
  cloudSecrets.yaml, stores.yaml, watchlists.yaml, webhooks.yaml, themes.yaml, apiKeys.yaml
                       each a list of objects that have a name; GET /schemas/<file>.json is for editors
Of a resource only the fields that the file names are compared and changed. The value of a new cloud secret is in no file: it
comes from the environment, SECRET_<NAME>. Permissions of API keys are written without TNT#<tenant>#.`;

type PlanOptions = ServerOptions & { check?: true };

export function definePlan(program: Command): void {
  onServer(define(program, 'plan <folder>', 'show what grove apply would do; changes nothing'))
    .option('--check', `exit with ${CHANGES} if there is anything to do`)
    .addHelpText('after', `${examples('grove plan ./grove', 'grove plan ./grove --check')}${LAYOUT}\n${WHERE}`)
    .action(async (folder: string, options: PlanOptions) => print(options, await plan(folder, options)));
}

async function plan(folder: string, options: PlanOptions): Promise<Result> {
  const server = await serverFrom(options);
  // Loaded only here, because few commands need a YAML parser.
  const { hasChanges, planChanges } = await import('../configuration/plan-changes.ts');
  const { readFolder } = await import('../configuration/read-folder.ts');
  const { planValue, showPlan } = await import('../configuration/show-plan.ts');
  const changePlan = await planChanges(server, await readFolder(folder));
  const changes = hasChanges(changePlan);
  return {
    value: { changes, ...planValue(changePlan) },
    text: showPlan(changePlan, 'planned'),
    exitCode: options.check && changes ? CHANGES : 0,
  };
}
