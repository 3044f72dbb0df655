import { readFileSync } from 'node:fs';
import { UsageError } from '../options.ts';
import { measureFaces } from './faces.ts';
import { measureGroups } from './groups.ts';
import { measureLiveness } from './liveness.ts';
import { type AccuracyOptions, readAccuracyOptions, USAGE } from './options.ts';
import { writeSection } from './report-page.ts';
import { type Outcome, renderRows, reportRows } from './rows.ts';
import { measureSearch } from './search.ts';

/** Measures how often the engine is right, on data that is not in the repository. */
async function measure(options: AccuracyOptions): Promise<Outcome> {
  if (options.faces !== undefined && options.search) return measureSearch({ ...options, faces: options.faces });
  const { faces, groups } = options;
  if (faces !== undefined && groups !== undefined) return measureGroups({ ...options, faces, groups });
  if (options.faces !== undefined) return measureFaces({ ...options, faces: options.faces });
  if (options.liveness !== undefined) return measureLiveness({ ...options, liveness: options.liveness });
  throw new UsageError('Name one of --faces, --liveness and --documents');
}

/** Documents, codes and specimens have options of their own. */
const ofDocuments = process.argv.some((each) => /^--(documents|barcodes|specimens)(=|$)/.test(each));

if (ofDocuments) await import('./documents.ts');
else await measureOthers();

async function measureOthers(): Promise<void> {
  try {
    const options = readAccuracyOptions(process.argv.slice(2));
    const { title, rows, json, plot, histograms = [] } = await measure(options);
    console.log(`${title}\n\n${renderRows(rows)}${plot ? `\n\nThe plot is in ${plot}.` : ''}`);
    const plots = [...(plot ? [readFileSync(plot, 'utf8')] : []), ...histograms];
    console.log(`The report is in ${writeSection({ name: String(json.what), title, ...reportRows(rows), plots })}.`);
    if (options.json) console.log(JSON.stringify(json));
    process.exitCode = rows.some(({ ok }) => ok === false) ? 1 : 0;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    console.error(`${error.message}\n\n${USAGE}`);
    process.exitCode = 2;
  }
}
