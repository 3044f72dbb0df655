import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openTestApp } from '../../packages/server/test/harness.ts';
import { writeSection } from '../accuracy/report-page.ts';
import { ATTACKS, type AttackName } from './attack-list.ts';
import { type Faces, openFaces } from './faces.ts';
import { newProgress } from './progress.ts';
import { type Result, resultRows, sectionOf } from './report.ts';
import { openTrial } from './trial.ts';

/**
 * Attacks the liveness check of a real server, in this process, with a face step that requires a challenge, and shows how
 * many attacks were accepted. Genuine recordings are tried in the same way. No picture of a person is written.
 */
const USAGE = `npm run attacks -- [--tries 20] [--kinds NAME,…] [--faces DIR] [--films DIR] [--albums DIR]

  --tries N    of each kind; genuine recordings are tried three times each if there are more than one
  --kinds      ${Object.keys(ATTACKS).join(', ')}
  --faces DIR  photographs of victims, one face each; without it, those of a development dependency
  --films DIR  a folder for each genuine recording, with its frames as numbered JPEGs, twelve a second
  --albums DIR a folder for each person, with several photographs of them
  --name NAME  of the section in the report; attacks`;

const { values } = parseArgs({
  options: {
    tries: { type: 'string', default: '20' },
    kinds: { type: 'string', default: Object.keys(ATTACKS).join(',') },
    faces: { type: 'string' },
    films: { type: 'string' },
    albums: { type: 'string' },
    name: { type: 'string', default: 'attacks' },
    help: { type: 'boolean', default: false },
  },
});
const tries = Number(values.tries);
const kinds = values.kinds.split(',') as AttackName[];
const isName = /^[a-z0-9-]{1,40}$/.test(values.name);
if (values.help || !Number.isInteger(tries) || tries < 1 || !isName || kinds.some((kind) => !(kind in ATTACKS))) {
  console.log(USAGE);
  process.exit(values.help ? 0 : 2);
}

const ATTEMPTS = 3;
const MAX_DRAWS = 12;

const folder = mkdtempSync(join(tmpdir(), 'grove-attacks-'));
const app = await openTestApp(
  { engine: 'sqlite', folder, environment: { GROVE_DATA: folder } },
  { environment: { GROVE_VISION: 'eager' } },
);
try {
  const faces = await openFaces(values);
  const trial = await openTrial(app);
  const results: Result[] = [];
  let report = '';
  for (const kind of kinds) {
    const result = await attack(trial, kind, faces);
    results.push(result);
    // Written after each kind, so that a long run that is interrupted has results.
    report = writeSection(sectionOf(values.name, results));
    process.stderr.write(`${resultRows([result]).at(-1)}\n`);
  }
  console.log(resultRows(results).join('\n'));
  console.log(`\nThe report is in ${report}.`);
} finally {
  await app.stop();
  rmSync(folder, { recursive: true, force: true });
}

async function attack(trial: Awaited<ReturnType<typeof openTrial>>, kind: AttackName, faces: Faces): Promise<Result> {
  const people = kind === 'genuine' && faces.films.length > 1 ? faces.films.length : undefined;
  const all = people ?? tries;
  const progress = newProgress(kind, all);
  const trials: Result['trials'][number][] = [];
  for (let person = 0; person < all; person += 1) {
    let attempts = 0;
    // If the recording does not show the requested movements, other movements are requested.
    for (let draws = 0; draws < (people ? MAX_DRAWS : 1) && attempts < ATTEMPTS; draws += 1) {
      const result = await trial.run(ATTACKS[kind], faces, person);
      trials.push({ ...result, person });
      if (result.outcome !== 'not played') attempts += 1;
    }
    progress.show(person + 1, `${trials.filter(({ outcome }) => outcome === 'accepted').length} accepted`);
  }
  progress.end();
  return { kind, about: ATTACKS[kind].about, trials };
}
