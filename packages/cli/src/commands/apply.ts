import type { Command } from 'commander';
import type { Client } from 'grove-idv-sdk';
import type { DefinitionChange, Plan } from '../configuration/plan-changes.ts';
import type { NewSecret } from '../configuration/resources.ts';
import { confirmByTyping } from '../confirm.ts';
import { UsageError } from '../failure.ts';
import { onServer, type ServerOptions, serverFrom, WHERE } from '../on-server.ts';
import { define, examples, print, type Result } from '../output.ts';
import { LAYOUT } from './plan.ts';

type ImportOptions = ServerOptions & { yes?: true };

/** Applies the configuration of one tenant to another: it shows the changes first, and asks for confirmation. */
export function defineImport(program: Command): void {
  onServer(define(program, 'import <folder>', 'show the changes by an export, ask for confirmation and apply them'))
    .option('--yes', 'do not ask for confirmation')
    .addHelpText('after', `${examples('grove import ./grove', 'grove import ./grove --yes')}${LAYOUT}\n${WHERE}`)
    .action(async (folder: string, options: ImportOptions) => {
      if (!options.yes) await confirmImport(folder, options);
      print(options, await apply(folder, options));
    });
}

async function confirmImport(folder: string, options: ImportOptions): Promise<void> {
  if (!process.stdin.isTTY) throw new UsageError('There is no terminal to ask for confirmation: add --yes');
  const { planChanges } = await import('../configuration/plan-changes.ts');
  const { readFolder } = await import('../configuration/read-folder.ts');
  const { showPlan } = await import('../configuration/show-plan.ts');
  process.stderr.write(
    `${showPlan(await planChanges(await serverFrom(options), await readFolder(folder)), 'planned')}\n`,
  );
  if (!(await confirmByTyping('Type "import" to continue: ', 'import'))) throw new UsageError('Nothing was changed');
}

export function defineApply(program: Command): void {
  onServer(
    define(program, 'apply <folder>', 'configure the tenant as in a folder: definitions, tags, settings and resources'),
  )
    .addHelpText(
      'after',
      `${examples('grove apply ./grove', 'grove apply ./grove --json')}${LAYOUT}
All of it is checked before anything is changed, by the schemas of the server and by its validation of definitions. What differs from the newest version becomes a version and is
deployed; nothing is deleted. A second time it changes nothing. With a test key all of it is for test journeys alone.
${WHERE}`,
    )
    .action(async (folder: string, options: ServerOptions) => print(options, await apply(folder, options)));
}

async function apply(folder: string, options: ServerOptions): Promise<Result> {
  const server = await serverFrom(options);
  // Loaded only here, because few commands need a YAML parser.
  const { hasChanges, planChanges } = await import('../configuration/plan-changes.ts');
  const { readFolder } = await import('../configuration/read-folder.ts');
  const { planValue, showPlan } = await import('../configuration/show-plan.ts');
  const plan = await planChanges(server, await readFolder(folder));
  const secrets: NewSecret[] = [];
  const secretLines = () =>
    secrets.map(
      ({ kind, name, secret }) => `The secret of ${kind} ${JSON.stringify(name)}, shown this once: ${secret}`,
    );
  const done = await carryOut(server.client, plan, secrets, stopSignal()).catch((error: unknown) => {
    // They are shown once, so a later failure must not lose them.
    for (const line of secretLines()) process.stderr.write(`${line}\n`);
    throw error;
  });
  return {
    value: { changes: hasChanges(plan), ...planValue(done), ...(secrets.length > 0 && { secrets }) },
    text: [showPlan(done, 'done'), ...secretLines()].join('\n'),
  };
}

/** Aborts at the first Ctrl-C or SIGTERM, so that secrets are shown before the command ends. A second one ends it at once. */
function stopSignal(): AbortSignal {
  const stop = new AbortController();
  const onSignal = () => stop.abort(new Error('Stopped. Changes that were made stay; apply again to make the others.'));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, onSignal);
  return stop.signal;
}

/** Returns the plan with the real versions: if somebody else has made a version meanwhile, ours has another number. */
async function carryOut(client: Client, plan: Plan, secrets: NewSecret[], signal: AbortSignal): Promise<Plan> {
  const { applyResources } = await import('../configuration/resources.ts');
  // Settings come first, because only the server can validate them.
  if (plan.settings?.action === 'update') {
    await client.processSettings.update({ body: plan.settings.after as SettingsBody });
  }
  const refusals = await applyResources(client, plan.resources, secrets, signal);
  if (refusals.length > 0) {
    const lines = refusals.map((each) => `- ${each}`).join('\n');
    throw new Error(
      `The server refused some resources. Definitions and tags were not changed; the other resources were applied.\n${lines}`,
    );
  }
  const deployed = new Map<string, { id: string; version: number }>();
  for (const change of plan.definitions) {
    signal.throwIfAborted();
    deployed.set(change.name, await deploy(client, change));
  }
  const tags = [];
  for (const change of plan.tags) {
    const { id, version } = deployed.get(change.name) as { id: string; version: number };
    if (change.action !== 'none') {
      await client.processDefinitions.addTag({ processDefinitionId: id, body: { name: change.tag } });
    }
    tags.push({ ...change, version });
  }
  const definitions = plan.definitions.map((change) => ({ ...change, ...deployed.get(change.name) }));
  return { ...plan, definitions, tags };
}

type SettingsBody = NonNullable<NonNullable<Parameters<Client['processSettings']['update']>[0]>['body']>;
type Body = Parameters<Client['processDefinitions']['create']>[0]['body'];

async function deploy(client: Client, { action, id, version, document }: DefinitionChange) {
  if (action === 'none') return { id: id as string, version };
  const definition =
    id === undefined ? await client.processDefinitions.create({ body: document as Body }) : { id, version };
  await client.processDefinitions.deploy({ processDefinitionId: definition.id });
  return { id: definition.id, version: definition.version };
}
