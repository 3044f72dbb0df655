import { existsSync, writeFileSync } from 'node:fs';
import type { Command } from 'commander';
import { shownTenant, shownUrl } from '../addresses.ts';
import { confirmByTyping } from '../confirm.ts';
import { UsageError } from '../failure.ts';
import { asOperator, operatorConfig } from '../operator.ts';
import { type CommonOptions, define, defineGroup, examples, print, type Result, table } from '../output.ts';
import { progressLine } from '../progress.ts';

const MAX_NAME_LENGTH = 255;

export function defineTenant(program: Command): void {
  const about =
    'make, list, suspend and delete tenants, directly in the data folder or database; the server may be running';
  const tenant = defineGroup(program, 'tenant', about);
  define(tenant, 'create <id>', 'make a tenant and its first API key, which may do everything in it')
    .option('--name <text>', 'the name to show; by default the id')
    .addHelpText(
      'after',
      `${examples('grove tenant create acme --name "Acme Ltd"', 'grove tenant create acme --json')}
The id is part of the tenant's address (http://acme.fir.localhost:8080): 3 to 40 lower-case letters, digits and hyphens.
The API key is not shown again.`,
    )
    .action(async (id: string, options: CommonOptions & { name?: string }) =>
      print(options, await create(id, options)),
    );
  define(tenant, 'list', 'list the tenants')
    .addHelpText('after', examples('grove tenant list', 'grove tenant list --json'))
    .action(async (options: CommonOptions) => print(options, await list()));
  defineEnds(tenant);
}

/** Declares the commands that suspend, resume and delete a tenant. */
function defineEnds(tenant: Command): void {
  define(tenant, 'suspend <id>', 'refuse every key, operator and journey of a tenant until it is resumed')
    .addHelpText(
      'after',
      `${examples('grove tenant suspend acme', 'grove tenant resume acme')}
Running servers know within three seconds, and answer 403 with code 100320. Jobs, webhooks and the time limits of journeys wait;
what must be deleted by a day is deleted all the same. Nothing is lost.`,
    )
    .action(async (id: string, options: CommonOptions) => print(options, await setStatus(id, 'suspend')));
  define(tenant, 'resume <id>', 'let a suspended tenant be used again')
    .addHelpText('after', examples('grove tenant resume acme'))
    .action(async (id: string, options: CommonOptions) => print(options, await setStatus(id, 'resume')));
  define(tenant, 'delete <id>', 'remove a suspended tenant with everything it has, for good; asks for its id')
    .option('--yes', 'do not ask for confirmation')
    .option('--receipt <file>', 'write the signed receipt into this file, which must not exist')
    .addHelpText(
      'after',
      `${examples('grove tenant delete acme --receipt acme-deleted.json', 'grove tenant delete acme --yes')}
Instances, images, users, watchlists, keys, the audit log: all of it. Suspend it first, and wait ten seconds, so that no server
works on it. A deletion that was interrupted goes on when it is started again; its receipt then counts what the last run removed,
and says so with isResumed. Backups still hold the tenant: a restore of one brings it back, and so does its copy of the list of
erasures.`,
    )
    .action(async (id: string, options: DeleteOptions) => print(options, await remove(id, options)));
}

async function setStatus(id: string, action: 'suspend' | 'resume'): Promise<Result> {
  const tenant = await asOperator(await operatorConfig(), ({ tenants }) => tenants[action](id));
  const text =
    action === 'suspend'
      ? `The tenant ${id} is suspended. Running servers know within three seconds. Resume it: grove tenant resume ${id}`
      : `The tenant ${id} can be used again. Jobs and webhooks go on within a minute.`;
  return { value: { tenantId: id, status: tenant.status }, text };
}

const NOT_SCRUBBED =
  'The log of the database is in use, perhaps by a backup. It holds deleted rows until the server stops or another deletion follows.';

const RESUMED =
  'An earlier deletion of it was interrupted. The numbers, also those of the receipt, do not count what that one removed.';

type DeleteOptions = CommonOptions & { yes?: true; receipt?: string };

async function remove(id: string, { yes, receipt: file }: DeleteOptions): Promise<Result> {
  if (file !== undefined && existsSync(file)) throw new UsageError(`${file} exists already`);
  const { deleteTenant, documentSigner, findTenant, isTenantId, OperatorError, openBlobs, openScrub, setTenantStatus } =
    await import('@grove/server');
  const config = await operatorConfig();
  return asOperator(config, async ({ db, signing }) => {
    const tenant = isTenantId(id) ? await findTenant(db.system, { id }) : undefined;
    if (!tenant || !isTenantId(id))
      throw new OperatorError(`There is no tenant ${id}. grove tenant list shows those there are`);
    if (tenant.status === 'ACTIVE')
      throw new OperatorError(`The tenant is in use. Suspend it first: grove tenant suspend ${id}`);
    const isResumed = tenant.status === 'DELETING';
    if (!yes) await confirmDelete(id);
    await db.system.write((tx) => setTenantStatus(tx, { id, status: 'DELETING' }));
    const line = progressLine();
    const blobs = openBlobs(config, { now: Date.now });
    const done = await deleteTenant({ db, blobs, onProgress: line.show }, id).finally(() => line.end());
    // Fails if somebody reads an old state of the database.
    const isScrubbed = await openScrub(config.database)().then(
      () => true,
      () => false,
    );
    const rows = Object.values(done.rowsRemoved).reduce((sum, each) => sum + each, 0);
    const claims = { sub: id, name: tenant.name, deletedDtm: new Date().toISOString(), ...done, isResumed };
    const receipt = {
      ...claims,
      ...(await documentSigner(() => signing.current()).claims('grove-tenant-erasure+jwt', claims)),
    };
    if (file !== undefined) writeFileSync(file, `${JSON.stringify(receipt, null, 2)}\n`, { flag: 'wx', mode: 0o600 });
    const text = [
      `The tenant ${id} is deleted: ${rows} rows and ${done.blobsRemoved} images.`,
      file === undefined ? `Receipt: ${receipt.jws}` : `The receipt is in ${file}.`,
      ...(isResumed ? [RESUMED] : []),
      ...(isScrubbed ? [] : [NOT_SCRUBBED]),
      'Backups still hold it. Delete them when their time is over, and delete the tenant again after a restore.',
    ];
    return { value: receipt, text: text.join('\n') };
  });
}

async function confirmDelete(id: string): Promise<void> {
  if (!process.stdin.isTTY) throw new UsageError('There is no terminal to ask for confirmation: add --yes');
  const question = `Everything of the tenant ${id} will be deleted for good. Type its id to go on: `;
  if (!(await confirmByTyping(question, id))) throw new UsageError('Nothing was deleted');
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
    `The tenant ${tenantId} was created.`,
    '',
    ...(baseUrl === null ? [] : [`  Address  ${baseUrl}`]),
    `  Tenant   ${shownTenant(tenantId, tenantUrl, baseUrl)}`,
    `  API key  ${apiKey}`,
    '',
    'The key is not shown again: save it now. It has all permissions in this tenant.',
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
