import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openTestApp } from '../../packages/server/test/harness.ts';
import { share } from '../accuracy/intervals.ts';
import { ATTACKS, type AttackName } from './attack-list.ts';
import { openFaces } from './faces.ts';
import { drawReport, type Result } from './report.ts';
import { openTrial } from './trial.ts';

/**
 * Attacks the liveness check of a real server, in this process, with a face step that asks for a challenge, and shows how
 * many were accepted. Genuine recordings go the same way. No picture of a person is written.
 */
const USAGE = `npm run attacks -- [--tries 20] [--kinds ${Object.keys(ATTACKS).join(',')}] [--faces DIR] [--out FILE.html]`;

const { values } = parseArgs({
  options: {
    tries: { type: 'string', default: '20' },
    kinds: { type: 'string', default: Object.keys(ATTACKS).join(',') },
    faces: { type: 'string' },
    out: { type: 'string', default: 'build/attacks.html' },
    help: { type: 'boolean', default: false },
  },
});
const tries = Number(values.tries);
const kinds = values.kinds.split(',') as AttackName[];
if (values.help || !Number.isInteger(tries) || tries < 1 || kinds.some((kind) => !(kind in ATTACKS))) {
  console.log(USAGE);
  process.exit(values.help ? 0 : 2);
}

const folder = mkdtempSync(join(tmpdir(), 'grove-attacks-'));
const app = await openTestApp(
  { engine: 'sqlite', folder, environment: { GROVE_DATA: folder } },
  { environment: { GROVE_VISION: 'eager' } },
);
try {
  const faces = await openFaces(values.faces);
  const trial = await openTrial(app);
  const results: Result[] = [];
  for (const kind of kinds) {
    const outcomes: string[] = [];
    const novelties: number[] = [];
    for (let at = 0; at < tries; at += 1) {
      const { outcome, novelty } = await trial.run(ATTACKS[kind], faces, at);
      outcomes.push(outcome);
      if (novelty !== null) novelties.push(novelty);
      process.stderr.write(
        `\r${kind}: ${at + 1} of ${tries}, ${outcomes.filter((each) => each === 'accepted').length} accepted   `,
      );
    }
    process.stderr.write('\n');
    results.push({ kind, about: ATTACKS[kind].about, outcomes, novelties });
  }
  console.log(`| what | tries | accepted | for a human | refused | accepted, 95 % |\n|---|---|---|---|---|---|`);
  for (const { kind, outcomes } of results) {
    const count = (outcome: string) => outcomes.filter((each) => each === outcome).length;
    console.log(
      `| ${kind} | ${outcomes.length} | ${count('accepted')} | ${count('review')} | ${count('refused')} | ${share(count('accepted'), outcomes.length, 1)} |`,
    );
  }
  writeFileSync(values.out, drawReport(results));
  console.log(`\nThe report is in ${values.out}.`);
} finally {
  await app.stop();
  rmSync(folder, { recursive: true, force: true });
}
