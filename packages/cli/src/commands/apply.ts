import type { Command } from 'commander';
import type { Client } from 'grove-idv-sdk';
import type { DefinitionChange, Plan } from '../configuration/plan-changes.ts';
import type { NewSecret } from '../configuration/resources.ts';
import { onServer, type ServerOptions, serverFrom, WHERE } from '../on-server.ts';
import { define, examples, print, type Result } from '../output.ts';
import { LAYOUT } from './plan.ts';

export function defineApply(program: Command): void {
  onServer(
    define(program, 'apply <folder>', 'make the tenant as a folder says: definitions, tags, settings and resources'),
  )
    .addHelpText(
      'after',
      `${examples('grove apply ./grove', 'grove apply ./grove --json')}${LAYOUT}
All of it is validated before anything is changed. What differs from the newest version becomes a version and is
deployed; nothing is deleted. A second time it changes nothing. With a test key all of it is for test journeys alone.
${WHERE}`,
    )
    .action(async (folder: string, options: ServerOptions) => print(options, await apply(folder, options)));
}

async function apply(folder: string, options: ServerOptions): Promise<Result> {
  const server = serverFrom(options);
  // Loaded only now: no other command needs a reader of YAML.
  const { hasChanges, planChanges } = await import('../configuration/plan-changes.ts');
  const { readFolder } = await import('../configuration/read-folder.ts');
  const { planValue, showPlan } = await import('../configuration/show-plan.ts');
  const plan = await planChanges(server, readFolder(folder));
  const secrets: NewSecret[] = [];
  const done = await carryOut(server.client, plan, secrets);
  const shown = secrets.map(
    ({ kind, name, secret }) => `The secret of ${kind} ${JSON.stringify(name)}, shown this once: ${secret}`,
  );
  return {
    value: { changes: hasChanges(plan), ...planValue(done), ...(secrets.length > 0 && { secrets }) },
    text: [showPlan(done, 'done'), ...shown].join('\n'),
  };
}

/** The plan as it came out: somebody else may have made a version meanwhile, so that ours has another number. */
async function carryOut(client: Client, plan: Plan, secrets: NewSecret[]): Promise<Plan> {
  const { applyResources } = await import('../configuration/resources.ts');
  secrets.push(...(await applyResources(client, plan.resources)));
  // First, because only now the server says what is wrong with them.
  if (plan.settings?.action === 'update') {
    const { redirectOrigins, embedOrigins } = plan.settings.after;
    const embeds = embedOrigins && { embedOrigins: [...embedOrigins] };
    await client.processSettings.update({ body: { redirectOrigins: [...redirectOrigins], ...embeds } });
  }
  const deployed = new Map<string, { id: string; version: number }>();
  for (const change of plan.definitions) deployed.set(change.name, await deploy(client, change));
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

type Body = Parameters<Client['processDefinitions']['create']>[0]['body'];

async function deploy(client: Client, { action, id, version, document }: DefinitionChange) {
  if (action === 'none') return { id: id as string, version };
  const made = id === undefined ? await client.processDefinitions.create({ body: document as Body }) : { id, version };
  await client.processDefinitions.deploy({ processDefinitionId: made.id });
  return { id: made.id, version: made.version };
}
