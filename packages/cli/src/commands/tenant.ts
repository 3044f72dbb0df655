import type { Command } from 'commander';
import { shownTenant, shownUrl } from '../addresses.ts';
import { asOperator, operatorConfig } from '../operator.ts';
import { type CommonOptions, define, defineGroup, examples, print, type Result, table } from '../output.ts';

const MAX_NAME_LENGTH = 255;

export function defineTenant(program: Command): void {
  const about = 'make and list tenants, directly in the data folder or database; the server may be running';
  const tenant = defineGroup(program, 'tenant', about);
  define(tenant, 'create <id>', 'make a tenant and its first API key, which may do everything in it')
    .option('--name <text>', 'the name to show; the id unless given')
    .addHelpText(
      'after',
      `${examples('grove tenant create acme --name "Acme Ltd"', 'grove tenant create acme --json')}
The id is part of the tenant's address (http://acme.fir.localhost:8080): 3 to 40 lower-case letters, digits and hyphens.
The API key is shown this once.`,
    )
    .action(async (id: string, options: CommonOptions & { name?: string }) =>
      print(options, await create(id, options)),
    );
  define(tenant, 'list', 'list the tenants')
    .addHelpText('after', examples('grove tenant list', 'grove tenant list --json'))
    .action(async (options: CommonOptions) => print(options, await list()));
}

async function create(id: string, { name = id }: { name?: string }): Promise<Result> {
  const { baseUrlOf, OperatorError } = await import('@grove/server');
  if (name.trim() === '' || name.length > MAX_NAME_LENGTH) {
    throw new OperatorError(`A name has 1 to ${MAX_NAME_LENGTH} characters`);
  }
  const config = await operatorConfig();
  const { tenantId, apiKey } = await asOperator(config, ({ tenants }) => tenants.create({ id, name }), {
    mayMake: true,
  });
  // With port 0 only the running server knows its address.
  const tenantUrl =
    config.port === 0 && config.publicPort === undefined ? null : baseUrlOf(config, config.port)(tenantId);
  const baseUrl = config.port === 0 ? tenantUrl : shownUrl(config, config.port, tenantUrl);
  const text = [
    `The tenant ${tenantId} is made.`,
    '',
    ...(baseUrl === null ? [] : [`  Address  ${baseUrl}`]),
    `  Tenant   ${shownTenant(tenantId, tenantUrl, baseUrl)}`,
    `  API key  ${apiKey}`,
    '',
    'The key is shown this once: keep it now. It may do everything in this tenant.',
  ];
  return { value: { tenantId, name, apiKey, baseUrl, tenantUrl }, text: text.join('\n') };
}

async function list(): Promise<Result> {
  const rows = await asOperator(await operatorConfig(), ({ tenants }) => tenants.list());
  const tenants = rows.map(({ id, name, status, created_at }) => {
    return { id, name, status, createdDtm: new Date(created_at).toISOString() };
  });
  const text =
    tenants.length === 0
      ? 'There are no tenants. Make one: grove tenant create acme'
      : table(['ID', 'NAME', 'STATUS', 'CREATED'], tenants.map(Object.values));
  return { value: { tenants }, text };
}
