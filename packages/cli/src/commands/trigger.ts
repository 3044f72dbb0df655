import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import type { Client } from 'grove-idv-sdk';
import { FAILED, UsageError } from '../failure.ts';
import { localFetch } from '../local-fetch.ts';
import { onServer, type Server, type ServerOptions, serverFrom, WHERE } from '../on-server.ts';
import { define, examples, print, type Result, table } from '../output.ts';

type TriggerOptions = ServerOptions & { definition: string; parameter?: string[]; decide?: string; list?: true };

/** Runs a verification of the sandbox to a chosen end without a browser, for tests and demonstrations. */
export function defineTrigger(program: Command): void {
  onServer(define(program, 'trigger [scenario]', 'make a verification of the sandbox end in a chosen way'))
    .option('--list', 'list the scenarios and how they end')
    .option('--definition <name>', 'the process definition', 'document-and-selfie')
    .option('--parameter <name=value>', 'a parameter of the end user; may be repeated', collect)
    .option('--decide <verdict>', 'what to decide if it comes to a review: approve or reject')
    .addHelpText(
      'after',
      `${examples('grove trigger --list', 'grove trigger passed', 'grove trigger document-expired --json', 'grove trigger document-blurred --decide approve')}
It needs a test key (grv_test_…). It creates a process instance and does the steps of the end user by script, with the
pictures of the sandbox; webhooks and grove listen see it like any other. Consent, document, face and forms without required
fields are done; at another step it stops and says which.
${WHERE}`,
    )
    .action(async (scenario: string | undefined, options: TriggerOptions) =>
      print(options, await (options.list ? list(options) : trigger(scenario, options))),
    );
}

const collect = (value: string, all: string[] = []) => [...all, value];

async function list(options: TriggerOptions): Promise<Result> {
  const scenarios = await Array.fromAsync((await serverFrom(options)).client.sandbox.listScenarios.all());
  const rows = scenarios.map(({ name, outcome, description }) => [name, outcome, description]);
  return { value: { scenarios }, text: table(['SCENARIO', 'ENDS AS', 'WHAT HAPPENS'], rows) };
}

async function trigger(scenario: string | undefined, options: TriggerOptions): Promise<Result> {
  if (scenario === undefined) throw new UsageError('Name a scenario; grove trigger --list shows them.');
  const { decide } = options;
  if (decide !== undefined && decide !== 'approve' && decide !== 'reject') {
    throw new UsageError('--decide is approve or reject');
  }
  const server = await serverFrom(options);
  if (server.environment !== 'test')
    throw new UsageError('This needs a test key (grv_test_…): only the sandbox has scenarios');
  const { client } = server;
  await ensureScenario(client, scenario);
  const { processInstanceId, redirectUrl } = await create(client, scenario, options);
  const stoppedAt = await doSteps(server, processInstanceId, redirectUrl);
  if (decide !== undefined) await decideReview(client, processInstanceId, decide);
  const { status, statusMapped } = await client.processInstances.get({ processInstanceId });
  const value = { processInstanceId, scenario, status, statusMapped, ...(stoppedAt && { stoppedAt }), redirectUrl };
  const text = [
    `${processInstanceId}  ${status}${statusMapped ? ` (${statusMapped})` : ''}`,
    ...(stoppedAt ? [`It waits at ${stoppedAt}, which cannot be done by a script.`] : []),
  ];
  return { value, text: text.join('\n'), ...(stoppedAt && { exitCode: FAILED }) };
}

async function ensureScenario(client: Client, scenario: string): Promise<void> {
  const names: string[] = [];
  for await (const { name } of client.sandbox.listScenarios.all()) names.push(name);
  if (!names.includes(scenario))
    throw new UsageError(`There is no scenario ${scenario}. There are: ${names.join(', ')}`);
}

const TOKEN_NAME = 'grove trigger';

async function create(client: Client, scenario: string, { definition, parameter = [] }: TriggerOptions) {
  const pairs = parameter.map((each) => {
    const at = each.indexOf('=');
    if (at < 1) throw new UsageError('--parameter is name=value');
    return [each.slice(0, at), each.slice(at + 1)];
  });
  const name = `${TOKEN_NAME} ${new Date().toISOString()}`;
  const token = await client.processTokens.create({ body: { name, processDefnName: definition } });
  const parameters = { ...Object.fromEntries(pairs), _scenario: scenario };
  return client.processInstances.create({ query: { pt: token.id }, body: { parameters } });
}

type Journey = { step?: { id: string; type: string }; waitingFor?: string; revision: string | number };

const MAX_STEPS = 200;
const ASK_EVERY_MS = 100;
/** Checks of the sandbox take milliseconds, and jobs a second at most. */
const MAX_WAIT_MS = 60_000;
const IMAGES: Record<string, string> = { document: 'front', face: 'image' };

/** Does what the browser would do behind the redirect address. Resolves to the step that a script cannot do. */
async function doSteps(server: Server, processInstanceId: string, redirectUrl: string): Promise<string | undefined> {
  const browse = browser(server.baseUrl);
  const code = new URLSearchParams(new URL(redirectUrl).hash.slice(1)).get('c');
  await browse('/api/journey/sessions', { code });
  const journey = `/api/journey/${processInstanceId}`;
  let waitedMs = 0;
  for (let at = 0; at < MAX_STEPS; ) {
    const { step, waitingFor, revision } = (await browse(journey)) as Journey;
    if (step) {
      at += 1;
      const image = IMAGES[step.type];
      if (image !== undefined) await browse(`${journey}/steps/${step.id}/images/${image}`, { person: 'ada' });
      const result = step.type === 'consent' ? { accepted: true } : {};
      const done = await browse(`${journey}/steps/${step.id}`, { revision, result }).catch(() => undefined);
      if (!done) return `the step ${step.id} (${step.type})`;
    } else if (waitingFor === 'check' && waitedMs < MAX_WAIT_MS) {
      waitedMs += ASK_EVERY_MS;
      await sleep(ASK_EVERY_MS);
    } else return undefined;
  }
  return `more than ${MAX_STEPS} steps`;
}

/** Imitates a browser as far as the journey needs one: its cookie. */
function browser(baseUrl: string): (path: string, body?: object) => Promise<unknown> {
  let cookie = '';
  return async (path, body) => {
    const answer = await localFetch(`${baseUrl.replace(/\/+$/, '')}${path}`, {
      headers: { 'content-type': 'application/json', ...(cookie && { cookie }) },
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
    const [set] = answer.headers.getSetCookie();
    if (set !== undefined) cookie = set.split(';', 1)[0] ?? '';
    const text = await answer.text();
    return text === '' ? undefined : JSON.parse(text);
  };
}

async function decideReview(client: Client, processInstanceId: string, verdict: 'approve' | 'reject'): Promise<void> {
  const { status } = await client.processInstances.get({ processInstanceId });
  if (status !== 'REVIEW') return;
  await client.reviews[verdict]({ processInstanceId, body: { comment: 'Decided by grove trigger' } });
}
