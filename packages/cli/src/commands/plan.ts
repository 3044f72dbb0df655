import type { Command } from 'commander';
import { onServer, type ServerOptions, serverFrom, WHERE } from '../on-server.ts';
import { define, examples, print, type Result } from '../output.ts';

/** What `--check` answers with if there is something to do. */
const CHANGES = 2;

export const LAYOUT = `
The folder holds definitions/*.yaml (or .yml, .json), each a process definition with optional "tags: [...]", and
settings.yaml with redirectOrigins and embedOrigins, and stores.yaml, watchlists.yaml and webhooks.yaml, each with a list of objects that have
a name; each may be missing. Of a resource only the fields that the file names are compared and changed.`;

type PlanOptions = ServerOptions & { check?: true };

export function definePlan(program: Command): void {
  onServer(define(program, 'plan <folder>', 'show what grove apply would do; changes nothing'))
    .option('--check', `exit with ${CHANGES} if there is anything to do`)
    .addHelpText('after', `${examples('grove plan ./grove', 'grove plan ./grove --check')}${LAYOUT}\n${WHERE}`)
    .action(async (folder: string, options: PlanOptions) => print(options, await plan(folder, options)));
}

async function plan(folder: string, options: PlanOptions): Promise<Result> {
  const server = serverFrom(options);
  // Loaded only now: no other command needs a reader of YAML.
  const { hasChanges, planChanges } = await import('../configuration/plan-changes.ts');
  const { readFolder } = await import('../configuration/read-folder.ts');
  const { planValue, showPlan } = await import('../configuration/show-plan.ts');
  const found = await planChanges(server, readFolder(folder));
  const changes = hasChanges(found);
  return {
    value: { changes, ...planValue(found) },
    text: showPlan(found, 'planned'),
    exitCode: options.check && changes ? CHANGES : 0,
  };
}
