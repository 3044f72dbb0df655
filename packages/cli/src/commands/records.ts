import type { Command } from 'commander';
import type { Client } from 'grove-idv-sdk';
import { confirmByTyping } from '../confirm.ts';
import { UsageError } from '../failure.ts';
import { onServer, type ServerOptions, serverFrom, WHERE } from '../on-server.ts';
import { define, defineGroup, examples, print, type Result, table } from '../output.ts';

/** The daily lookups and decisions of an integrator without a program: each is one call of the API. */
type ListOptions = ServerOptions & { limit: string };
type Item = Readonly<Record<string, unknown>>;
type Columns = Readonly<Record<string, string>>;

const DEFAULT_LIMIT = '20';
const MAX_LIMIT = 1000;

const server = (parent: Command, usage: string, about: string) => onServer(define(parent, usage, about));
const lister = (parent: Command, usage: string, about: string) =>
  server(parent, usage, about).option('--limit <count>', `the largest number, up to ${MAX_LIMIT}`, DEFAULT_LIMIT);

export function defineInstances(program: Command): void {
  const group = defineGroup(program, 'instances', 'look up process instances');
  lister(group, 'list', 'list process instances, the newest first')
    .option('--status <status>', 'only those with this status, such as REVIEW')
    .option('--reference <text>', 'only those with this externalReference')
    .addHelpText('after', `${examples('grove instances list --status REVIEW', 'grove instances list --json')}${WHERE}`)
    .action(async (options: ListOptions & { status?: string; reference?: string }) => {
      const query = {
        sort: ['createdAt,desc'],
        status: options.status,
        externalReference: options.reference,
      } as Parameters<Client['processInstances']['list']>[0] extends { query?: infer Q } | undefined ? Q : never;
      const items = await take((await clientOf(options)).processInstances.list.all({ query: query ?? {} }), options);
      print(
        options,
        listed('instances', items, { id: 'ID', status: 'STATUS', processDefnName: 'DEFINITION', createdAt: 'CREATED' }),
      );
    });
  server(group, 'get <id>', 'show one process instance')
    .addHelpText('after', `${examples('grove instances get 01J…')}${WHERE}`)
    .action(async (id: string, options: ServerOptions) =>
      print(options, fieldTable(await (await clientOf(options)).processInstances.get({ processInstanceId: id }))),
    );
  lister(group, 'events <id>', 'list the events of a process instance')
    .addHelpText('after', `${examples('grove instances events 01J…')}${WHERE}`)
    .action(async (id: string, options: ListOptions) => {
      const events = (await clientOf(options)).processInstances.listEvents.all({ processInstanceId: id });
      const columns = { sequence: '#', dateTime: 'WHEN', type: 'TYPE', step: 'STEP', status: 'STATUS' };
      print(options, listed('events', await take(events, options), columns));
    });
}

export function defineReviews(program: Command): void {
  const group = defineGroup(program, 'reviews', 'look up and decide reviews');
  lister(group, 'list', 'list the cases that wait for a review')
    .addHelpText('after', `${examples('grove reviews list')}${WHERE}`)
    .action(async (options: ListOptions) => {
      const items = await take((await clientOf(options)).reviews.list.all(), options);
      const columns = {
        processInstanceId: 'ID',
        waitingSinceDtm: 'SINCE',
        step: 'STEP',
        reasons: 'REASONS',
        reviewer: 'REVIEWER',
      };
      print(options, listed('reviews', items, columns));
    });
  for (const verdict of ['approve', 'reject'] as const) {
    server(group, `${verdict} <id>`, `${verdict} a review`)
      .requiredOption('--comment <text>', 'why')
      .addHelpText('after', `${examples(`grove reviews ${verdict} 01J… --comment "looked at the document"`)}${WHERE}`)
      .action(async (id: string, options: ServerOptions & { comment: string }) => {
        const body = { comment: options.comment };
        print(
          options,
          fieldTable((await (await clientOf(options)).reviews[verdict]({ processInstanceId: id, body })) as Item),
        );
      });
  }
}

export function defineWebhooks(program: Command): void {
  const group = defineGroup(program, 'webhooks', 'look up webhooks and their deliveries, and send them again');
  lister(group, 'list', 'list the webhooks')
    .addHelpText('after', `${examples('grove webhooks list')}${WHERE}`)
    .action(async (options: ListOptions) => {
      const items = await take((await clientOf(options)).webhooks.list.all(), options);
      print(
        options,
        listed('webhooks', items, { id: 'ID', name: 'NAME', status: 'STATUS', uri: 'ADDRESS', events: 'EVENTS' }),
      );
    });
  lister(group, 'deliveries <id>', 'list the deliveries of a webhook, the newest first')
    .option('--failed', 'only those that failed for good')
    .addHelpText('after', `${examples('grove webhooks deliveries 01J… --failed')}${WHERE}`)
    .action(async (id: string, options: ListOptions & { failed?: true }) => {
      const query = options.failed ? { status: 'FAILED' as const } : {};
      const items = await take(
        (await clientOf(options)).webhooks.listDeliveries.all({ webhookId: id, query }),
        options,
      );
      const columns = {
        id: 'ID',
        event: 'EVENT',
        status: 'STATUS',
        attempts: 'ATTEMPTS',
        createdDtm: 'CREATED',
        lastAttempt: 'LAST ATTEMPT',
      };
      print(options, listed('deliveries', items, columns));
    });
  server(group, 'test <id>', 'send a test event')
    .addHelpText('after', `${examples('grove webhooks test 01J…')}${WHERE}`)
    .action(async (id: string, options: ServerOptions) =>
      print(options, fieldTable(await (await clientOf(options)).webhooks.test({ webhookId: id }))),
    );
  server(group, 'replay <id> <deliveryId>', 'send a delivery again, under the same id')
    .addHelpText('after', `${examples('grove webhooks replay 01J… 01K…')}${WHERE}`)
    .action(async (webhookId: string, deliveryId: string, options: ServerOptions) =>
      print(options, fieldTable(await (await clientOf(options)).webhooks.replay({ webhookId, deliveryId }))),
    );
}

export function defineAudit(program: Command): void {
  lister(program, 'audit', 'list who read personal data, decided, deleted and changed the configuration')
    .option('--action <action>', 'only this, such as apiKey.created')
    .option('--instance <id>', 'only about this process instance')
    .addHelpText('after', `${examples('grove audit', 'grove audit --action apiKey.created --json')}${WHERE}`)
    .action(async (options: ListOptions & { action?: string; instance?: string }) => {
      const query = { action: options.action as never, processInstanceId: options.instance };
      const items = await take((await clientOf(options)).auditEvents.list.all({ query }), options);
      const columns = { dateTime: 'WHEN', action: 'ACTION', actor: 'WHO', processInstanceId: 'INSTANCE', item: 'WHAT' };
      print(options, listed('auditEvents', items, columns));
    });
}

export function defineErase(program: Command): void {
  server(program, 'erase <id>', 'delete a process instance and all data of its end user, for good')
    .option('--yes', 'do not ask for confirmation')
    .addHelpText(
      'after',
      `${examples('grove erase 01J…', 'grove erase 01J… --yes --json')}
It shows the state of the erasure; the signed receipt is there when it is ERASED. For everything about one person in all
of Grove use grove person erase.${WHERE}`,
    )
    .action(async (id: string, options: ServerOptions & { yes?: true }) => print(options, await erase(id, options)));
}

async function erase(id: string, options: ServerOptions & { yes?: true }): Promise<Result> {
  if (!options.yes && !process.stdin.isTTY) {
    throw new UsageError('Erasing cannot be undone, and there is no terminal to ask for confirmation: use --yes');
  }
  const client = await clientOf(options);
  await client.processInstances.get({ processInstanceId: id });
  if (!options.yes && !(await confirmByTyping(`This cannot be undone. Type ${id} to erase it: `, id))) {
    return { value: { id, erased: false }, text: 'That is not its id. Nothing was erased.', exitCode: 1 };
  }
  await client.processInstances.delete({ processInstanceId: id });
  return fieldTable(await client.erasures.get({ processInstanceId: id }));
}

const clientOf = async (options: ServerOptions): Promise<Client> => (await serverFrom(options)).client;

async function take<T>(items: AsyncIterable<T>, { limit }: ListOptions): Promise<T[]> {
  const most = Number(limit);
  if (!Number.isInteger(most) || most < 1 || most > MAX_LIMIT)
    throw new UsageError(`--limit is from 1 to ${MAX_LIMIT}`);
  const firstItems: T[] = [];
  for await (const item of items) if (firstItems.push(item) >= most) break;
  return firstItems;
}

function listed(name: string, items: readonly object[], columns: Columns): Result {
  const rows = (items as readonly Item[]).map((item) => Object.keys(columns).map((key) => cell(item[key])));
  const text = rows.length === 0 ? 'There are none.' : table(Object.values(columns), rows);
  return { value: { [name]: items }, text };
}

function fieldTable(item: object): Result {
  const rows = Object.entries(item).map(([name, value]) => [name, cell(value)]);
  return { value: item, text: table(['FIELD', 'VALUE'], rows) };
}

function cell(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (Array.isArray(value)) return value.map(cell).join(', ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
