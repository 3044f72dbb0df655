import type { Command } from 'commander';
import type { Client } from 'grove-idv-sdk';
import { confirmByTyping } from '../confirm.ts';
import { expiryFrom } from '../expiry.ts';
import { UsageError } from '../failure.ts';
import { onServer, type ServerOptions, serverFrom, WHERE } from '../on-server.ts';
import { asOperator, operatorConfig } from '../operator.ts';
import { define, defineGroup, examples, print, printable, type Result, table } from '../output.ts';

type ApiKey = Awaited<ReturnType<Client['apiKeys']['get']>>;
type CreateOptions = ServerOptions & {
  tenant?: string;
  permission?: string[];
  type?: 'PERMANENT' | 'SESSION';
  expires?: string;
  description?: string;
  test?: true;
};

export function defineKeys(program: Command): void {
  const keys = defineGroup(program, 'keys', 'API keys: create, list, block and delete them');
  defineCreate(keys);
  onServer(define(keys, 'list', 'list the API keys of the tenant'))
    .option('--name <pattern>', 'only those whose name matches; % stands for any characters, _ for one')
    .addHelpText('after', examples('grove keys list', "grove keys list --name 'till%' --json") + WHERE)
    .action(async (options: ServerOptions & { name?: string }) => print(options, await list(options)));
  onServer(define(keys, 'block <id>', 'block an API key: it issues no token, and those it has issued end'))
    .addHelpText('after', examples('grove keys block 01JQZ4K7X8N2M3P5R6S7T8V9W0') + WHERE)
    .action(async (id: string, options: ServerOptions) => print(options, await block(id, options)));
  onServer(define(keys, 'delete <id>', 'delete an API key for good'))
    .option('--yes', 'do not ask for confirmation')
    .addHelpText('after', examples('grove keys delete 01JQZ4K7X8N2M3P5R6S7T8V9W0 --yes') + WHERE)
    .action(async (id: string, options: ServerOptions & { yes?: true }) => print(options, await remove(id, options)));
}

function defineCreate(keys: Command): void {
  onServer(define(keys, 'create <name>', 'create an API key; its secret is shown this once'))
    .option('--permission <permission>', 'a permission of the key; may be repeated', gather)
    .option('--type <type>', 'PERMANENT or SESSION; a SESSION key must expire within 24 hours')
    .option('--expires <when>', 'issues no token from then on: 45m, 8h, 30d or 2030-01-31T12:00:00Z')
    .option('--description <text>', 'what it is for')
    .option('--test', 'a test key: it changes nothing that serves live callers')
    .option('--tenant <id>', 'without a server: a key that may do everything, for an operator who has lost the others')
    .addHelpText(
      'after',
      `${examples(
        `grove keys create "till 7" --permission 'TNT#acme#ProcessManager:*'`,
        `grove keys create visitor --type SESSION --expires 8h --permission 'TNT#acme#ArthrServer:listTenantApiKeys'`,
        'grove keys create recovery --tenant acme      directly in the data folder; the server may be running',
      )}
A test key makes and deploys its own definitions, tags, settings, secrets, themes and pages; test journeys use them, live
ones never. It reads and runs what live keys deployed, and cannot change it: deploy for live with a live key.
${WHERE}`,
    )
    .action(async (name: string, options: CreateOptions) => print(options, await create(name, options)));
}

function gather(value: string, before: string[] = []): string[] {
  return [...before, value];
}

const clientFrom = async (options: ServerOptions): Promise<Client> => (await serverFrom(options)).client;

async function create(name: string, options: CreateOptions): Promise<Result> {
  if (options.tenant !== undefined) return recover(name, options.tenant, options);
  const { type, description, permission = [], expires, test } = options;
  if (type !== undefined && type !== 'PERMANENT' && type !== 'SESSION') {
    throw new UsageError('--type is PERMANENT or SESSION');
  }
  const key = await (await clientFrom(options)).apiKeys.create({
    body: {
      name,
      permissions: permission,
      ...(type && { type }),
      ...(description !== undefined && { description }),
      ...(expires !== undefined && { expiringDtm: expiryFrom(expires, Date.now()) }),
      ...(test && { environment: 'test' as const }),
    },
  });
  const may =
    permission.length > 0
      ? `It may do: ${permission.join(', ')}`
      : 'It has no permissions: give them with --permission.';
  return { value: key, text: created(key.name, key.id ?? '', key.code, may) };
}

const RECOVERY_NAME_LENGTH = 255;

async function recover(name: string, tenantId: string, options: CreateOptions): Promise<Result> {
  const { permission, type, expires, description, url, apiKey, test } = options;
  const otherOptions = [permission, type, expires, description, url, apiKey];
  if (otherOptions.some((each) => each !== undefined)) {
    throw new UsageError(
      'A key made with --tenant has all permissions and never expires; only --test can be combined with it',
    );
  }
  if (name.trim() === '' || name.length > RECOVERY_NAME_LENGTH) {
    throw new UsageError(`A name has 1 to ${RECOVERY_NAME_LENGTH} characters`);
  }
  const environment = test ? 'test' : 'live';
  const key = await asOperator(await operatorConfig(), ({ tenants }) =>
    tenants.createApiKey(tenantId, { name, environment }),
  );
  const value = { id: key.id, name, code: key.apiKey, tenantId };
  return { value, text: created(name, key.id, key.apiKey, `It may do everything in the tenant ${tenantId}.`) };
}

function created(name: string, id: string, code: string, may: string): string {
  return [
    `The API key ${JSON.stringify(name)} was created (id ${id}).`,
    '',
    `  ${code}`,
    '',
    `It is not shown again: save it now. ${may}`,
  ].join('\n');
}

async function list(options: ServerOptions & { name?: string }): Promise<Result> {
  const { name } = options;
  const apiKeys = await Array.fromAsync((await clientFrom(options)).apiKeys.list.all({ query: { name } }));
  const rows = apiKeys.map((key) => [
    key.id ?? '',
    key.name,
    key.environment ?? '',
    key.status,
    key.type,
    key.expiringDtm ?? 'never',
    key.lastIssuedAtDtm ?? 'never',
  ]);
  const text =
    rows.length === 0
      ? 'There are no such API keys.'
      : table(['ID', 'NAME', 'ENVIRONMENT', 'STATUS', 'TYPE', 'EXPIRES', 'LAST ISSUED'], rows);
  return { value: { apiKeys }, text };
}

async function block(id: string, options: ServerOptions): Promise<Result> {
  const key: ApiKey = await (await clientFrom(options)).apiKeys.update({ apiKeyId: id, body: { status: 'BLOCKED' } });
  return { value: key, text: `The API key ${JSON.stringify(printable(key.name))} (id ${id}) is blocked.` };
}

async function remove(id: string, options: ServerOptions & { yes?: true }): Promise<Result> {
  if (!options.yes && !process.stdin.isTTY) {
    throw new UsageError('Deleting cannot be undone, and there is no terminal to ask for confirmation: use --yes');
  }
  const client = await clientFrom(options);
  const { name } = await client.apiKeys.get({ apiKeyId: id });
  const quotedName = JSON.stringify(printable(name));
  const question = `This cannot be undone. Type the name of the key, ${quotedName}, to delete it: `;
  if (!options.yes && !(await confirmByTyping(question, name))) {
    return { value: { id, name, deleted: false }, text: 'That is not its name. Nothing was deleted.', exitCode: 1 };
  }
  await client.apiKeys.delete({ apiKeyId: id });
  return { value: { id, name, deleted: true }, text: `The API key ${quotedName} (id ${id}) is deleted.` };
}
