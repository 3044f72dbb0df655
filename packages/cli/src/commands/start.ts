import type { Running } from '@grove/server';
import type { Command } from 'commander';
import { shownTenant, shownUrl } from '../addresses.ts';
import { buildPages } from '../build-pages.ts';
import { operatorConfig } from '../operator.ts';
import { type CommonOptions, define, examples, print, type Result, styled } from '../output.ts';

type StartOptions = CommonOptions & { demo?: boolean; force?: true; yes?: true };

export function defineStart(program: Command): void {
  define(program, 'start', 'start the server; on an empty data folder it makes a demonstration tenant')
    .option('--demo', 'create the demonstration tenant if it does not exist')
    .option('--no-demo', 'do not create or show a demonstration tenant')
    .option('--force', 'start although the list of erasures cannot be read, so erased data may come back')
    .option('--yes', 'with PostgreSQL: this is the only server, so images may stay in its data folder')
    .addHelpText(
      'after',
      `${examples(
        'grove start',
        'PORT=9000 GROVE_DATA=/var/lib/grove grove start --no-demo',
        'grove start --json > ready.json    for scripts: the line comes when the server is ready',
      )}
The server stops gracefully on SIGTERM and SIGINT (Ctrl-C): requests finish, everything is written, exit code 0.
A second signal ends it at once, with exit code 1. Logs go to standard error.
The environment configures it: see grove help configuration.`,
    )
    .action(start);
}

async function start(options: StartOptions): Promise<void> {
  const stopRequest = stopSignal();
  const config = await operatorConfig();
  const [{ startServer }, { VERSION }] = [await import('@grove/server/start'), await import('@grove/server/app')];
  const demonstration = options.demo === undefined ? 'whenEmpty' : options.demo ? 'always' : 'never';
  const running = await startServer(config, {
    demonstration,
    force: options.force === true,
    isOnlyServer: options.yes === true,
  });
  const failed = await buildPages(options.json ? () => undefined : (line) => process.stderr.write(`${line}\n`));
  if (failed) running.app.log.error({ reason: failed }, 'could not build pages');
  print(options, await readiness(running, VERSION));
  await stopRequest;
  await running.stop();
  // Connections that clients keep open must not keep the process running.
  process.exit(0);
}

/** Ctrl-C under npm sends two signals within milliseconds, one from the terminal and one of npm; both count as one. */
const SAME_REQUEST_MS = 300;

/** Resolves at the first signal; a second one ends the process at once. */
function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    let first: number | undefined;
    const onSignal = () => {
      const now = performance.now();
      if (first !== undefined && now - first > SAME_REQUEST_MS) process.exit(1);
      first ??= now;
      resolve();
    };
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, onSignal);
  });
}

export type Ready = {
  /** The address to call; the credential names the tenant. */
  baseUrl: string;
  tenantId: string | null;
  /** The address that names the tenant, as its tokens do. */
  tenantUrl: string | null;
  /** The live key of the demonstration, at the start that makes it only: no file holds it. */
  apiKey: string | null;
  /** The key of the sandbox, which never checks real documents. */
  testApiKey: string | null;
  /** Addresses that open a whole journey: one in the sandbox, and one that checks real pictures. */
  demoUrl: string | null;
  liveDemoUrl: string | null;
  /** The console of the tenant, and a link for its first owner until somebody has signed in. */
  consoleUrl: string | null;
  firstOwnerUrl: string | null;
  docsUrl: string;
  openapiUrl: string;
  port: number;
  pid: number;
  version: string;
  region: string;
  dataFolder: string;
  database: 'sqlite' | 'postgres';
};

async function readiness({ app, port, baseUrlOf, demonstration }: Running, version: string): Promise<Result> {
  const { region, dataFolder, database } = app.config;
  const tenantUrl = demonstration ? baseUrlOf(demonstration.tenantId) : null;
  const baseUrl = shownUrl(app.config, port, tenantUrl);
  const value: Ready = {
    baseUrl,
    tenantId: demonstration?.tenantId ?? null,
    tenantUrl,
    apiKey: demonstration?.apiKey ?? null,
    testApiKey: demonstration?.testApiKey ?? null,
    demoUrl: journeyUrl(baseUrl, demonstration?.tenantId, demonstration?.testTokenId),
    liveDemoUrl: journeyUrl(baseUrl, demonstration?.tenantId, demonstration?.tokenId),
    consoleUrl: tenantUrl === null ? null : `${tenantUrl}/console/`,
    firstOwnerUrl: demonstration ? await firstOwnerUrl(app, demonstration.tenantId) : null,
    docsUrl: `${baseUrl}/docs/`,
    openapiUrl: `${baseUrl}/openapi.json`,
    port,
    pid: process.pid,
    version,
    region,
    dataFolder,
    database: database.engine,
  };
  const tenants = demonstration ? [] : (await app.tenants.list()).map(({ id }) => baseUrlOf(id));
  return { value, text: readyText(value, tenants) };
}

async function firstOwnerUrl(app: Running['app'], tenantId: string): Promise<string | null> {
  const { isTenantId } = await import('@grove/server');
  if (!isTenantId(tenantId)) return null;
  try {
    return (await app.operators.firstOwnerLink(tenantId))?.url ?? null;
  } catch (error) {
    // The server is ready all the same, for example while the disk is full.
    app.log.error({ err: error }, 'could not make the link of the first owner; start again to get one');
    return null;
  }
}

function journeyUrl(baseUrl: string, tenantId: string | undefined, tokenId: string | undefined): string | null {
  return tenantId && tokenId ? `${baseUrl}/web/?tn=${tenantId}&pt=${tokenId}` : null;
}

const MAX_SHOWN_TENANTS = 5;

function readyText(ready: Ready, tenants: readonly string[]): string {
  const { baseUrl, tenantId, tenantUrl, apiKey, testApiKey, docsUrl, version, region, dataFolder, database } = ready;
  const { demoUrl, liveDemoUrl } = ready;
  const where = database === 'sqlite' ? `data in ${dataFolder}` : `PostgreSQL, keys in ${dataFolder}`;
  const lines = [styled('bold', `Grove ${version} is ready: region ${region}, ${where}`), ''];
  if (tenantId === null || testApiKey === null) {
    lines.push(`  Address        ${baseUrl}`, `  Documentation  ${docsUrl}`);
    for (const each of tenants.slice(0, MAX_SHOWN_TENANTS)) lines.push(`  Tenant         ${each}`);
    if (tenants.length > MAX_SHOWN_TENANTS) lines.push(`  … and ${tenants.length - MAX_SHOWN_TENANTS} more tenants`);
    lines.push('', 'Make a tenant, in another terminal; its API key is shown once:', '', '  grove tenant create acme');
    return lines.join('\n');
  }
  lines.push(
    `  Address        ${baseUrl}`,
    `  Tenant         ${shownTenant(tenantId, tenantUrl, baseUrl)}`,
    `  API key        ${apiKey ?? `was shown once; another: grove keys create NAME --tenant ${tenantId}`}`,
    `  Sandbox key    ${testApiKey}`,
    `  Documentation  ${docsUrl}`,
    `  Console        ${ready.consoleUrl}`,
    '',
    ...(ready.firstOwnerUrl === null
      ? []
      : ['Open the console: this link makes you its first owner, and works once.', '', `  ${ready.firstOwnerUrl}`, '']),
    'See what an end user sees. In the sandbox, with sample pictures if there is no camera:',
    '',
    `  ${demoUrl}`,
    '',
    'With your own document and face, which are really checked, and deleted after 30 days:',
    '',
    `  ${liveDemoUrl}`,
    '',
    'It accepts documents of Utopia too, which `grove specimen` draws; other tenants refuse them.',
    '',
    'Call the API: paste these two lines into another terminal.',
    '',
    ...curlLines(baseUrl, apiKey ?? testApiKey),
    '',
    'Or run a whole verification in the sandbox, from the folder of the repository:',
    '',
    `  GROVE_URL=${baseUrl} GROVE_API_KEY=${testApiKey} npx node examples/verify.ts`,
    '',
    'Or see it as a shop that relies on it:',
    '',
    `  GROVE_URL=${baseUrl} GROVE_API_KEY=${testApiKey} npx node examples/relying-party/server.ts`,
  );
  return lines.join('\n');
}

/** Two lines for a shell: one gets a token, one uses it. Key and address have no character that is special there. */
export function curlLines(baseUrl: string, apiKey: string): [string, string] {
  const address = `${baseUrl}/api/arthr/apiKeys`;
  return [
    `TOKEN=$(curl -sS -X POST -H 'X-Api-Key: ${apiKey}' ${address}/issue | sed 's/.*"token":"\\([^"]*\\)".*/\\1/')`,
    `curl -sS -H "Authorization: Bearer $TOKEN" ${address}`,
  ];
}
