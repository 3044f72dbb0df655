import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, globSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import { buildSdk } from '../release/build-sdk.ts';
import { buildPages, buildServer } from '../release/build-server.ts';
import { thisPlatform } from '../release/install-packages.ts';
import { manifestOf, pack, ROOT } from '../release/packages.ts';
import { buildPrevious, missingPrevious, PREVIOUS } from '../release/previous-release.ts';
import { type Machine, missingForMachine, startMachine } from './machine.ts';
import { readPage } from './page-blocks.ts';
import {
  addTls,
  backUp,
  configure,
  install,
  integrate,
  makeDatabase,
  monitor,
  type Neighbours,
  restoreDrill,
  rotate,
  start,
  upgrade,
  type World,
} from './walk.ts';

/**
 * `npm run production-drill` follows docs/production.md word by word as root of an empty Debian with systemd, with the
 * tarballs of this checkout and of the previous release, and prints a table. It needs root, mmdebstrap and systemd-container,
 * changes nothing on this machine, and takes some minutes.
 */
const SECTIONS: readonly [string, (world: World) => Promise<string>][] = [
  ['1. Install', install],
  ['2. Database', makeDatabase],
  ['3. Configuration', configure],
  ['4. Start', start],
  ['5. TLS', addTls],
  ['6. Your back end', integrate],
  ['7. Monitoring', monitor],
  ['8. Backups', backUp],
  ['9. The restore drill', restoreDrill],
  ['10. Rotation', rotate],
  ['11. Upgrades', upgrade],
];

const platform = thisPlatform();
const missing = missingForMachine() || missingPrevious() || (!platform && 'no package is made for this platform');
if (missing || !platform) {
  process.stderr.write(`The drill cannot be run here: ${missing}\n`);
  process.exit(2);
}

const folder = mkdtempSync(join(tmpdir(), 'grove-drill-'));
const ends: (() => Promise<void> | void)[] = [() => rmSync(folder, { recursive: true, force: true })];
const version = manifestOf('.').version;
try {
  console.log('Packing this release and the one before it …');
  const tarballs = await packAll(platform);
  const cache = fillCache(tarballs);
  console.log('Booting an empty Debian …');
  const machine = await startMachine();
  ends.unshift(machine.stop);
  for (const tarball of tarballs) cpSync(tarball, machine.path(`/root/${basename(tarball)}`));
  cpSync(cache, machine.path('/root/.npm'), { recursive: true });
  const neighbours = await startNeighbours(machine);
  const page = readPage({
    'linux-x64': `linux-${platform.cpu}`,
    '<version>': version,
    '<previous>': PREVIOUS.version,
  });
  process.exitCode = await walk({ machine, page, neighbours, version, previous: PREVIOUS.version });
} finally {
  for (const end of ends) await end();
}

async function walk(world: World): Promise<number> {
  const rows: string[] = [];
  for (const [name, run] of SECTIONS) {
    const began = performance.now();
    try {
      const summary = await run(world);
      rows.push(`| ${name} | ok | ${Math.round((performance.now() - began) / 1000)} s | ${summary} |`);
      console.log(rows.at(-1));
    } catch (error) {
      console.error(`${name} failed:\n${(error as Error).message}`);
      if (process.env.DRILL_STAY) await once(process, 'SIGINT');
      return 1;
    }
  }
  console.log(`\n| section | | time | seen |\n| --- | --- | --- | --- |\n${rows.join('\n')}`);
  const unusedSections = world.page.unused();
  if (unusedSections.length > 0) console.error(`Commands that were not run: ${unusedSections.join(', ')}`);
  return unusedSections.length === 0 ? 0 : 1;
}

/** DRILL_TARBALLS can name a folder in which the tarballs stay, for several drills. */
async function packAll(on: NonNullable<typeof platform>): Promise<string[]> {
  const { DRILL_TARBALLS: into = folder } = process.env;
  const packed = globSync(`${into}/*.tgz`);
  if (packed.length > 0) return packed;
  buildPages();
  const [sdk, server] = [join(folder, 'sdk'), join(folder, 'server')];
  await buildSdk(sdk);
  await buildServer(server, on);
  const previous = buildPrevious(on);
  ends.push(() => rmSync(previous.folder, { recursive: true, force: true }));
  return [sdk, server, join(previous.folder, 'server')].map((each) => pack(each, into));
}

/** The machine has no network, so the packages that the tarballs need are put into the cache of its npm. */
function fillCache(tarballs: readonly string[]): string {
  const cache = join(ROOT, 'build/drill-cache');
  if (process.env.DRILL_TARBALLS && existsSync(cache)) return cache;
  for (const tarball of tarballs) {
    const project = mkdtempSync(join(folder, 'project-'));
    writeFileSync(join(project, 'package.json'), '{ "private": true }');
    mkdirSync(cache, { recursive: true });
    const options = ['--cache', cache, '--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund'];
    execFileSync('npm', ['install', ...options, tarball], { cwd: project, stdio: ['ignore', 'ignore', 'inherit'] });
    rmSync(project, { recursive: true });
  }
  return cache;
}

async function startNeighbours({ leader }: Machine): Promise<Neighbours> {
  const script = join(ROOT, 'scripts/production-drill/neighbours.ts');
  const args = [`--net=/proc/${leader}/ns/net`, process.execPath, '--disable-warning=ExperimentalWarning', script];
  const child: ChildProcess = spawn('nsenter', args, { stdio: ['pipe', 'pipe', 'inherit'] });
  ends.unshift(async () => {
    child.stdin?.end();
    if (child.exitCode === null) await once(child, 'exit');
  });
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
  const next = async () => JSON.parse(((await once(lines, 'line')) as [string])[0]);
  return { ...(await next()), mail: next };
}
