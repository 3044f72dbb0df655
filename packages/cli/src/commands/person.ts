import { writeFileSync } from 'node:fs';
import type { Command } from 'commander';
import type { Client } from 'grove-idv-sdk';
import { confirmByTyping } from '../confirm.ts';
import { UsageError } from '../failure.ts';
import { onServer, type ServerOptions, serverFrom, WHERE } from '../on-server.ts';
import { define, defineGroup, examples, print, type Result } from '../output.ts';

type PersonOptions = ServerOptions & {
  email?: string;
  externalId?: string;
  userId?: string;
  parameter?: string;
  reference?: string;
};

const ABOUT = `
Whatever one of the options finds belongs to the person: process instances, process tokens, users of identity stores and
members of watchlists, in the environment of the API key. An e-mail address is also found in the answers of forms, in
attributes and in parameters. --parameter takes name=value.`;

export function definePerson(program: Command): void {
  const person = defineGroup(program, 'person', 'everything about one person: find, export or erase it');
  withSelectors(define(person, 'find', 'list the stored data of a person; changes nothing'))
    .addHelpText('after', examples('grove person find --email ada@example.com') + ABOUT + WHERE)
    .action(async (options: PersonOptions) => print(options, await find(options)));
  withSelectors(define(person, 'export <file>', 'write all data of a person into a signed zip archive'))
    .addHelpText('after', examples('grove person export ada.zip --email ada@example.com') + ABOUT + WHERE)
    .action(async (file: string, options: PersonOptions) => print(options, await exportPerson(file, options)));
  withSelectors(define(person, 'erase', 'erase everything about a person, for good, with one signed receipt'))
    .option('--yes', 'do not ask for confirmation')
    .addHelpText(
      'after',
      examples(
        'grove person erase --email ada@example.com --reference TICKET-42',
        'grove person erase --parameter customerNumber=C-42 --yes --json > receipt.json',
      ) +
        ABOUT +
        WHERE,
    )
    .action(async (options: PersonOptions & { yes?: true }) => print(options, await erase(options)));
}

function withSelectors(command: Command): Command {
  return onServer(command)
    .option('--email <address>', 'the e-mail address of the person')
    .option('--external-id <id>', 'the id of the person in your own system')
    .option('--user-id <id>', 'the id of a user of an identity store')
    .option('--parameter <name=value>', 'a parameter of process tokens and process instances')
    .option('--reference <text>', 'a number of your own for this request; it stands in the receipt');
}

function selectorsOf({ email, externalId, userId, parameter, reference }: PersonOptions) {
  const at = parameter?.indexOf('=') ?? -1;
  if (parameter !== undefined && at < 1) throw new UsageError('--parameter takes name=value');
  if (!email && !externalId && !userId && !parameter) {
    throw new UsageError('Say who it is: give --email, --external-id, --user-id or --parameter');
  }
  return {
    ...(email && { email }),
    ...(externalId && { externalId }),
    ...(userId && { userId }),
    ...(parameter && { parameter: { name: parameter.slice(0, at), value: parameter.slice(at + 1) } }),
    ...(reference && { reference }),
  };
}

type Request = Awaited<ReturnType<Client['personRequests']['get']>>;

const POLL_MS = 250;
const MAX_WAIT_MS = 12 * 3_600_000;

/** A job does the work; each change of its progress is written to standard error. */
async function waitUntilDone(client: Client, firstState: Request, json: boolean): Promise<Request> {
  let request = firstState;
  let shownProgress = '';
  for (const until = Date.now() + MAX_WAIT_MS; request.state === 'SEARCHING' || request.state === 'ERASING'; ) {
    if (Date.now() > until) throw new Error(`The request ${request.id} is not done; a job goes on with it`);
    await new Promise((next) => setTimeout(next, POLL_MS));
    request = await client.personRequests.get({ personRequestId: request.id });
    const line = `${request.state.toLowerCase()}: ${request.searched} of about ${request.total} searched, ${request.erased} erased\n`;
    if (!json && line !== shownProgress) process.stderr.write(line);
    shownProgress = line;
  }
  if (request.state === 'FAILED') throw new Error(`The request failed: ${request.reason ?? 'no reason is known'}`);
  return request;
}

async function findPerson(options: PersonOptions): Promise<{ client: Client; request: Request }> {
  const { client } = await serverFrom(options);
  const request = await client.personRequests.find({ body: selectorsOf(options) });
  return { client, request: await waitUntilDone(client, request, options.json === true) };
}

async function find(options: PersonOptions): Promise<Result> {
  const { request } = await findPerson(options);
  return { value: request, text: countsText(request) };
}

async function exportPerson(file: string, options: PersonOptions): Promise<Result> {
  const { client, request } = await findPerson(options);
  const { bytes } = await client.personRequests.archive({ personRequestId: request.id });
  writeFileSync(file, bytes, { mode: 0o600, flag: 'wx' });
  return { value: { ...request, file, bytes: bytes.length }, text: `${countsText(request)}\nWritten to ${file}.` };
}

async function erase(options: PersonOptions & { yes?: true }): Promise<Result> {
  if (!options.yes) {
    if (!process.stdin.isTTY)
      throw new UsageError('Erasing cannot be undone, and there is no terminal to ask for confirmation: use --yes');
    const { request } = await findPerson(options);
    const question = `${countsText(request)}\nThis cannot be undone. Type "erase" to erase all of it: `;
    if (!(await confirmByTyping(question, 'erase'))) {
      return { value: { erased: false }, text: 'Nothing was erased.', exitCode: 1 };
    }
  }
  const { client } = await serverFrom(options);
  const newRequest = await client.personRequests.erase({ body: selectorsOf(options) });
  const request = await waitUntilDone(client, newRequest, options.json === true);
  return { value: request, text: `${countsText(request)}\nAll of it is erased. The receipt:\n\n${request.receipt}` };
}

function countsText({ found: { processInstances, processTokens, users, watchlistMembers } }: Request): string {
  return (
    `${processInstances.length} process instances, ${processTokens.length} process tokens, ${users.length} users, ` +
    `${watchlistMembers.length} members of watchlists.`
  );
}
