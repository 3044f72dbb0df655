import { cpus, loadavg } from 'node:os';
import { appkeyInstallation } from './appkeys.ts';
import { withRelations } from './bars.ts';
import { cleanUpOnExit, temporaryFolder } from './clean-up.ts';
import type { ComparisonOptions } from './compare.ts';
import { measureEventQuery } from './identity.ts';
import { measureJobs } from './jobs.ts';
import { measureMemory, measureStart } from './lifetime.ts';
import type { LoadTool } from './load.ts';
import { autocannon } from './load-autocannon.ts';
import { hasWrk, wrk } from './load-wrk.ts';
import { isPostgres, type Options, readOptions, type ScenarioName, USAGE, UsageError } from './options.ts';
import { measurePasskeyVerify, passkeyInstallation } from './passkeys.ts';
import { readProfile } from './profile.ts';
import { render, writeJson, writeReadme } from './report.ts';
import { type Environment, isBelow, type Run, type ScenarioResult } from './results.ts';
import { type ComparedName, compareEcho, compareWithYardstick, writersFor } from './scenarios.ts';
import { type Installation, sqliteInstallations } from './seed.ts';
import { eventsInstallation, totpInstallation, usersInstallation } from './seed-identity.ts';
import { FEW_INSTANCES, instancesInstallation, MANY_INSTANCES } from './seed-instances.ts';
import { postgresInstallation } from './seed-postgres.ts';
import { startGrove } from './target.ts';
import { measureUploads } from './uploads.ts';
import { measureVision } from './vision.ts';
import { measureWebhooks } from './webhooks.ts';

type RunOptions = ComparisonOptions & Pick<Options, 'memorySeconds' | 'profile'>;

const SQLITE_KEYS = 10_000;
// Each key takes a round trip to the database server, and no scenario on PostgreSQL lists the keys.
const POSTGRES_KEYS = 1000;
const INSTANCES: Readonly<Partial<Record<ScenarioName, number>>> = {
  'search-10k': FEW_INSTANCES,
  'search-1m': MANY_INSTANCES,
  'list-instances': MANY_INSTANCES,
  'list-instances-page-50': MANY_INSTANCES,
};

const IDENTITY: Readonly<Partial<Record<ScenarioName, () => Promise<Installation>>>> = {
  'totp-authenticate': () => totpInstallation(),
  'totp-authenticate-pg': () =>
    totpInstallation((options) => postgresInstallation(process.env.BENCH_DATABASE_URL ?? '', options)),
  'appkey-authenticate': appkeyInstallation,
  'passkey-finish': passkeyInstallation,
  'user-by-ext-id': usersInstallation,
  'event-query': eventsInstallation,
};

cleanUpOnExit();
process.exitCode = await main();

async function main(): Promise<number> {
  let options: Options;
  try {
    options = readOptions(process.argv.slice(2), process.env);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    console.error(`${error.message}\n\n${USAGE}`);
    return 2;
  }
  const run = await runAll(options, chooseTool(options.tool));
  const tables = render(run);
  console.log(`\n${tables}\n`);
  writeJson(run, options.json);
  if (options.write) writeReadme(tables);
  return run.scenarios.some(isBelow) ? 1 : 0;
}

function chooseTool(wantedTool: Options['tool']): LoadTool {
  const tool = wantedTool ? { wrk, autocannon }[wantedTool] : hasWrk() ? wrk : autocannon;
  console.error(`The load comes from ${tool.name}.`);
  return tool;
}

async function runAll(options: Options, tool: LoadTool): Promise<Run> {
  const environment: Environment = {
    node: process.versions.node,
    platform: `${process.platform} ${process.arch}`,
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: cpus().length,
    tool: tool.name,
    connections: options.connections,
    seconds: options.seconds,
    rounds: options.rounds,
    startedDtm: new Date().toISOString(),
    loadAverageBefore: loadavg(),
    loadAverageAfter: [],
  };
  const rounds = options.rounds + 1;
  const writers = Math.max(rounds * writersFor(options.seconds), writersFor(options.memorySeconds));
  const sqlite = sqliteInstallations({ keys: SQLITE_KEYS, writers });
  const { BENCH_DATABASE_URL = '' } = process.env;
  const postgres = () => postgresInstallation(BENCH_DATABASE_URL, { keys: POSTGRES_KEYS, writers });
  const compared = { ...options, tool, progress: (text: string) => console.error(text) };
  const scenarios: ScenarioResult[] = [];
  const instances = sharedInstances();
  const instancesOf = (name: ScenarioName) => instances.of(INSTANCES[name] ?? 0);
  try {
    for (const name of options.names) {
      const install = IDENTITY[name] ?? instancesOf(name) ?? (isPostgres(name) ? postgres : sqlite.next);
      scenarios.push(await runOne(name, install, compared).catch((error) => failure(name, error)));
    }
  } finally {
    sqlite.remove();
    await instances.remove();
  }
  environment.loadAverageAfter = loadavg();
  return { environment, scenarios: withRelations(scenarios) };
}

/** Scenarios that only read share one installation, because its rows take long to write. */
function sharedInstances() {
  const installations = new Map<number, Promise<Installation>>();
  return {
    of(count: number): (() => Promise<Installation>) | undefined {
      if (count === 0) return undefined;
      return async () => {
        const installation = installations.get(count) ?? instancesInstallation(count);
        installations.set(count, installation);
        return { ...(await installation), remove: async () => undefined };
      };
    },
    async remove() {
      for (const installation of installations.values())
        await installation.then(({ remove }) => remove()).catch(() => undefined);
    },
  };
}

/** A failed scenario is reported at once and again at the end; the others still run. */
function failure(name: string, error: unknown): ScenarioResult {
  console.error(`FAILED ${name}:`, error);
  return { kind: 'failure', name, reason: error instanceof Error ? error.message : String(error) };
}

async function runOne(
  name: ScenarioName,
  install: () => Promise<Installation>,
  options: RunOptions,
): Promise<ScenarioResult> {
  if (name === 'echo') return compareEcho(options);
  if (name === 'passkey-verify') return measurePasskeyVerify(options);
  const installation = await install();
  try {
    if (name === 'start') return await measureStart(installation, options);
    if (name === 'jobs' || name === 'jobs-pg') return await measureJobs(name, installation, options);
    if (name === 'webhooks' || name === 'webhooks-pg') return await measureWebhooks(name, installation, options);
    if (name === 'event-query') return await measureEventQuery(installation);
    if (name === 'uploads') return await measureUploads(installation, options);
    if (name === 'vision') return await measureVision(installation, options);
    if (name === 'memory') return await measureMemory(installation, { ...options, seconds: options.memorySeconds });
    return await runCompared(name, installation, options);
  } finally {
    await installation.remove();
  }
}

async function runCompared(
  label: Exclude<
    ScenarioName,
    | 'echo'
    | 'start'
    | 'memory'
    | 'jobs'
    | 'jobs-pg'
    | 'webhooks'
    | 'webhooks-pg'
    | 'uploads'
    | 'vision'
    | 'event-query'
    | 'passkey-verify'
  >,
  { place, seeded }: Installation,
  options: RunOptions,
): Promise<ScenarioResult> {
  const name = label.replace(/-pg$/, '') as ComparedName;
  const profile = options.profile ? temporaryFolder() : undefined;
  // A worker of the image analysis would hide the memory of the images themselves.
  const server = await startGrove({ ...place, blind: name === 'get-data' }, profile?.path);
  try {
    return await compareWithYardstick({ name, label, server, seeded }, options);
  } finally {
    await server.stop();
    if (profile) console.error(`${label} was in\n\n${readProfile(profile.path)}`);
    profile?.remove();
  }
}
