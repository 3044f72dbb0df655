import { loadavg } from 'node:os';
import { missingForCeph } from '../ceph.ts';
import { FAULTS, type Fault, PATRONI_FAULTS } from './faults.ts';
import { type Pair, startPair } from './pair.ts';
import { missingForPatroni, startPatroni } from './patroni.ts';
import { runChaos } from './run-chaos.ts';
import { runJourneys } from './run-journeys.ts';
import type { DatabaseServers } from './servers.ts';
import { runSoak } from './soak.ts';

/**
 * `npm run chaos`: injects faults under load, and checks what was acknowledged. `-- --kills 10` kills ten leaders, `--
 * --only disk` injects the faults whose names contain that word. `-- --patroni` has Patroni decide who leads,
 * `--asynchronous` without its synchronous mode, `--ttl 30` with that time for which a silent leader keeps the lead.
 * `-- --journeys` runs whole journeys on Patroni and Ceph instead of the writers. `-- --soak 30` injects nothing, and
 * reports for 30 minutes the memory of a server on PostgreSQL.
 */
const MAX_KILLS = 100;
const MAX_TTL_SECONDS = 300;
const MAX_SOAK_MINUTES = 24 * 60;
/** The first minutes fill caches and pools. */
const WARM_MINUTES = 5;
/** How much more memory than after the warm-up a server may use at the end. */
const MAX_GROWTH = 1.1;
// An interrupted run leaves no server behind.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

const CEPH_PACKAGES = ['ceph-mon', 'ceph-osd', 'radosgw'];
const { argv } = process;
const kills = wholeNumber('--kills', { least: 1, most: MAX_KILLS, usual: 1 });
const ttlSeconds = wholeNumber('--ttl', { least: 5, most: MAX_TTL_SECONDS, usual: 20 });
const word = textAfter('--only') ?? '';
const isSynchronous = !argv.includes('--asynchronous');

if (argv.includes('--soak')) {
  await soak(wholeNumber('--soak', { least: WARM_MINUTES + 1, most: MAX_SOAK_MINUTES, usual: 30 }));
} else if (argv.includes('--journeys')) {
  ensureInstalled([...missingForPatroni(), ...(missingForCeph().length > 0 ? CEPH_PACKAGES : [])]);
  await walk();
} else if (argv.includes('--patroni')) {
  ensureInstalled(missingForPatroni());
  await run(chooseFaults(PATRONI_FAULTS), () => startPatroni({ isSynchronous, ttlSeconds }));
} else {
  const faults = chooseFaults(FAULTS);
  await run(
    faults,
    () => startPair({ onDisks: faults.some(({ needsDisks }) => needsDisks) }),
    ({ needsDisks }, pair: Pair) =>
      needsDisks && !pair.disk() ? 'no disk of limited size can be mounted here' : undefined,
  );
}

async function run<D extends DatabaseServers>(
  faults: readonly Fault<D>[],
  open: () => Promise<D>,
  obstacle: (fault: Fault<D>, database: D) => string | undefined = () => undefined,
): Promise<void> {
  const { verdict, faults: results } = await runChaos({
    faults,
    obstacle,
    async openDatabase() {
      const database = await open();
      console.log(`Two servers of Grove, ${database.description}. Load of the machine: ${loadavg()[0]?.toFixed(1)}.\n`);
      console.log('| fault | acknowledged | refused | database back, ms | Grove after it, ms | servers died |');
      console.log('| --- | ---: | --- | ---: | ---: | ---: |');
      return database;
    },
    onResult({ fault, acknowledged, refusals, databaseMs, recoveryMs, deaths }) {
      console.log(`| ${fault} | ${acknowledged} | ${refusals || 'none'} | ${databaseMs} | ${recoveryMs} | ${deaths} |`);
    },
    onSkip: (fault, reason) => console.log(`| ${fault} | not tried: ${reason} | | | | |`),
  });
  const deaths = results.reduce((sum, each) => sum + each.deaths, 0);
  const { acknowledged, losses, duplicates, twice } = verdict;
  console.log(
    `\n${acknowledged} changes acknowledged, ${losses.length} lost, ${duplicates.length} duplicates, ${deaths} processes died.`,
  );
  console.log(
    `${twice} webhooks were sent twice, under the same id. Load of the machine: ${loadavg()[0]?.toFixed(1)}.`,
  );
  for (const each of [...losses, ...duplicates].slice(0, 20)) console.log(`- ${each}`);
  process.exitCode = losses.length + duplicates.length + deaths > 0 ? 1 : 0;
}

/** Runs journeys instead of writers. */
async function walk(): Promise<void> {
  console.log('Two servers of Grove with the roles api and worker and two with the role vision, on Patroni and Ceph.');
  console.log(`Load of the machine: ${loadavg()[0]?.toFixed(1)}.\n`);
  console.log('| fault | journeys under way | all at their end, ms after it |\n| --- | ---: | ---: |');
  const { verdict, people, deaths } = await runJourneys({
    ttlSeconds,
    word,
    onFault: ({ fault, underWay, finishedAfterMs }) => console.log(`| ${fault} | ${underWay} | ${finishedAfterMs} |`),
  });
  const { finished, images, webhooks, repeated, faults } = verdict;
  const live = people.filter(({ environment }) => environment === 'live');
  const challenges = live.reduce((sum, each) => sum + each.challenges, 0);
  console.log(
    `\n${people.length} journeys begun (${live.length} live, with ${challenges} challenges), ${finished} ended as they should,`,
  );
  console.log(`${images} images read, ${webhooks} webhooks, ${repeated} of them sent again under the same id,`);
  console.log(`${deaths} processes died by themselves. Load of the machine: ${loadavg()[0]?.toFixed(1)}.`);
  for (const each of faults.slice(0, 40)) console.log(`- ${each}`);
  process.exitCode = faults.length + deaths > 0 ? 1 : 0;
}

async function soak(minutes: number): Promise<void> {
  console.log(`One server of Grove on PostgreSQL. Load of the machine: ${loadavg()[0]?.toFixed(1)}.\n`);
  console.log(
    '| minute | memory, MB | changes | journeys | lists | failures |\n| ---: | ---: | ---: | ---: | ---: | --- |',
  );
  const { rows } = await runSoak({
    seconds: 60 * minutes,
    rowSeconds: 60,
    onRow: ({ seconds, residentMb, changes, journeys, lists, failures }) => {
      const cells = [seconds / 60, Math.round(residentMb), changes, journeys, lists, failures.length || 'none'];
      console.log(`| ${cells.join(' | ')} |`);
    },
  });
  const [warm, last] = [rows[WARM_MINUTES - 1], rows.at(-1)];
  const growth = (last?.residentMb ?? Number.NaN) / (warm?.residentMb ?? Number.NaN);
  const percent = (100 * (growth - 1)).toFixed(1);
  console.log(`\nFrom minute ${WARM_MINUTES} to minute ${minutes} the memory changed by ${percent} % (bar: 10 %).`);
  for (const each of last?.failures ?? []) console.log(`- ${each}`);
  process.exitCode = growth <= MAX_GROWTH && last?.failures.length === 0 ? 0 : 1;
}

function ensureInstalled(packages: readonly string[]): void {
  if (packages.length === 0) return;
  console.error(`On Debian this needs: apt-get install --no-install-recommends ${packages.join(' ')}`);
  process.exit(1);
}

/** Without options, each fault once; with options, those that `--only` names, or the death of the leader many times. */
function chooseFaults<D extends DatabaseServers>(faults: readonly Fault<D>[]): Fault<D>[] {
  return faults
    .flatMap((fault, index) => (index === 1 || word ? new Array<Fault<D>>(kills).fill(fault) : [fault]))
    .filter(({ name }) => name.includes(word));
}

function textAfter(flag: string): string | undefined {
  const at = argv.indexOf(flag);
  return at < 0 ? undefined : argv[at + 1];
}

function wholeNumber(flag: string, { least, most, usual }: Record<'least' | 'most' | 'usual', number>): number {
  const number = argv.includes(flag) ? Number(textAfter(flag)) : usual;
  if (Number.isInteger(number) && number >= least && number <= most) return number;
  throw new Error(`${flag} must be a whole number from ${least} to ${most}`);
}
