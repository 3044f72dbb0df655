import { parseArgs } from 'node:util';

export const SQLITE_SCENARIOS = [
  'echo',
  'issue',
  'get-key',
  'list-keys',
  'create-key',
  'get-instance',
  'create-instance',
  'get-data',
  'search-10k',
  'start',
  'memory',
  'jobs',
  'webhooks',
  'uploads',
  'vision',
  'totp-authenticate',
  'appkey-authenticate',
  'passkey-finish',
  'passkey-verify',
] as const;
/** A million instances take a minute to write, so these run only if they are named. */
export const LARGE_SCENARIOS = [
  'search-1m',
  'list-instances',
  'list-instances-page-50',
  'user-by-ext-id',
  'event-query',
] as const;
/** These need a PostgreSQL server, so they run only if they are named. */
export const POSTGRES_SCENARIOS = [
  'get-key-pg',
  'issue-pg',
  'create-key-pg',
  'create-instance-pg',
  'totp-authenticate-pg',
  'jobs-pg',
  'webhooks-pg',
] as const;

export type ScenarioName =
  | (typeof SQLITE_SCENARIOS)[number]
  | (typeof LARGE_SCENARIOS)[number]
  | (typeof POSTGRES_SCENARIOS)[number];

export type Options = {
  names: readonly ScenarioName[];
  seconds: number;
  rounds: number;
  connections: number;
  memorySeconds: number;
  tool: 'wrk' | 'autocannon' | undefined;
  json: string | undefined;
  write: boolean;
  profile: boolean;
};

export class UsageError extends Error {}

export const USAGE = `npm run bench -- [name …] [options]

  ${SQLITE_SCENARIOS.join(', ')} (all of these if none is named)
  ${LARGE_SCENARIOS.join(', ')} (on a million instances, users or events)
  ${POSTGRES_SCENARIOS.join(', ')} (with BENCH_DATABASE_URL)

  --seconds N          the length of a round, 4
  --rounds N           how many rounds count, 5; one more comes first and is thrown away
  --connections N      64
  --memory-seconds N   the length of the mixed load of \`memory\`, 60
  --tool NAME          wrk or autocannon; wrk if it is there
  --json FILE          all results in one file, instead of bench/results/<name>.json
  --write              puts the tables of this run into bench/README.md
  --profile            prints the functions that the server spent its time in; slows it down a little`;

const OPTIONS = {
  seconds: { type: 'string', default: '4' },
  rounds: { type: 'string', default: '5' },
  connections: { type: 'string', default: '64' },
  'memory-seconds': { type: 'string', default: '60' },
  tool: { type: 'string' },
  json: { type: 'string' },
  write: { type: 'boolean', default: false },
  profile: { type: 'boolean', default: false },
} as const;

export function readOptions(parameters: string[], environment: { BENCH_DATABASE_URL?: string }): Options {
  const { values, positionals } = parse(parameters);
  const { tool } = values;
  if (tool !== undefined && tool !== 'wrk' && tool !== 'autocannon') {
    throw new UsageError('--tool must be wrk or autocannon');
  }
  const names = positionals.map(scenarioName);
  if (names.some(isPostgres) && !environment.BENCH_DATABASE_URL) {
    throw new UsageError('Set BENCH_DATABASE_URL to measure on PostgreSQL');
  }
  return {
    names: names.length > 0 ? [...new Set(names)] : SQLITE_SCENARIOS,
    seconds: whole('seconds', values.seconds, 600),
    rounds: whole('rounds', values.rounds, 50),
    connections: whole('connections', values.connections, 1000),
    memorySeconds: whole('memory-seconds', values['memory-seconds'], 3600),
    tool,
    json: values.json,
    write: values.write,
    profile: values.profile,
  };
}

function parse(parameters: string[]) {
  try {
    return parseArgs({ args: parameters, options: OPTIONS, allowPositionals: true });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

export function isPostgres(name: ScenarioName): name is (typeof POSTGRES_SCENARIOS)[number] {
  return name.endsWith('-pg');
}

function scenarioName(text: string): ScenarioName {
  const scenario = [...SQLITE_SCENARIOS, ...LARGE_SCENARIOS, ...POSTGRES_SCENARIOS].find((name) => name === text);
  if (!scenario) throw new UsageError(`There is no scenario ${JSON.stringify(text)}`);
  return scenario;
}

function whole(name: string, text: string, most: number): number {
  const number = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (number < 1 || number > most) throw new UsageError(`--${name} must be a whole number from 1 to ${most}`);
  return number;
}
