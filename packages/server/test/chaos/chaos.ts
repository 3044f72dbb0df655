import { FAULTS, type Fault } from './faults.ts';
import { runChaos } from './run-chaos.ts';

/**
 * `npm run chaos`: faults under load, and what became of what was acknowledged. `-- --kills 10` kills ten leaders, `-- --only disk`
 * tries the faults whose names hold that word.
 */
const at = process.argv.indexOf('--kills');
const kills = at < 0 ? 1 : Number(process.argv[at + 1]);
if (!Number.isInteger(kills) || kills < 1 || kills > 100)
  throw new Error('--kills must be a whole number from 1 to 100');
const only = process.argv.indexOf('--only');
const word = only < 0 ? '' : (process.argv[only + 1] ?? '');
const faults = FAULTS.flatMap((fault, index) => (index === 1 ? new Array<Fault>(kills).fill(fault) : [fault])).filter(
  ({ name }) => name.includes(word),
);

console.log('Two servers of Grove, a leader of PostgreSQL and a synchronous standby, promoted by hand (no Patroni).\n');
console.log('| fault | acknowledged | refused | recovery, ms | servers died |\n| --- | ---: | --- | ---: | ---: |');
const { verdict, faults: results } = await runChaos(
  faults,
  ({ fault, acknowledged, refused, recoveryMs, deaths }) => {
    console.log(`| ${fault} | ${acknowledged} | ${refused || 'none'} | ${recoveryMs} | ${deaths} |`);
  },
  (fault, reason) => console.log(`| ${fault} | not tried: ${reason} | | | |`),
);
const deaths = results.reduce((sum, each) => sum + each.deaths, 0);
const { acknowledged, lost, duplicates, twice } = verdict;
console.log(
  `\n${acknowledged} changes acknowledged, ${lost.length} lost, ${duplicates.length} duplicates, ${deaths} processes died.`,
);
console.log(`${twice} webhooks were sent twice, under the same id.`);
for (const each of [...lost, ...duplicates].slice(0, 20)) console.log(`- ${each}`);
process.exitCode = lost.length + duplicates.length + deaths > 0 ? 1 : 0;
