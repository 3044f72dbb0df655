import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import sharp from 'sharp';
import { openTestApp } from '../../packages/server/test/harness.ts';
import { openRecording, PORTRAIT_AT } from '../../packages/vision/test/recording.ts';
import { share } from '../accuracy/intervals.ts';
import { writeSection } from '../accuracy/report-page.ts';
import { DOCUMENT_KINDS, type DocumentKind, type DocumentKindName } from './document-kinds.ts';
import { type DocumentMaterial, openMaterial } from './document-material.ts';
import { type DocumentTrialResult, openDocumentTrial, TRIED_DEFINITIONS } from './document-trial.ts';
import { newProgress } from './progress.ts';

/**
 * Presents copies, forgeries and documents of others to a real server, in this process, with a definition that comes with
 * Grove, and shows how many were accepted without a human. Genuine photographs are tried in the same way. No picture is written.
 */
const USAGE = `npm run attacks:documents -- [--tries 30] [--from 0] [--kinds NAME,…] [--definition NAME] [--documents DIR]
  [--faces DIR] [--seed N] [--name NAME]

  --tries N        attempts of each kind; with --documents, at most one of each document
  --from N         the number of the first attempt, to continue a run that was interrupted
  --kinds          ${Object.keys(DOCUMENT_KINDS).join(', ')}
  --definition     ${TRIED_DEFINITIONS.join(', ')}; default: document-only, in which only the document decides
  --documents DIR  pictures of documents from straight above, for the kinds that change neither print nor zone; default: drawn ones
  --faces DIR      portraits to paste; without it, those of a development dependency
  --name NAME      the name of the section in the report; default: documents`;

const { values } = parseArgs({
  options: {
    tries: { type: 'string', default: '30' },
    from: { type: 'string', default: '0' },
    kinds: { type: 'string', default: Object.keys(DOCUMENT_KINDS).join(',') },
    definition: { type: 'string', default: 'document-only' },
    documents: { type: 'string' },
    faces: { type: 'string' },
    seed: { type: 'string', default: '1' },
    name: { type: 'string', default: 'documents' },
    help: { type: 'boolean', default: false },
  },
});
const tries = Number(values.tries);
const from = Number(values.from);
const seed = Number(values.seed);
const kinds = values.kinds.split(',') as DocumentKindName[];
const definition = TRIED_DEFINITIONS.find((each) => each === values.definition);
const isRight =
  [tries, seed, from + 1].every((number) => Number.isInteger(number) && number > 0) &&
  /^[a-z0-9-]{1,40}$/.test(values.name) &&
  kinds.every((kind) => kind in DOCUMENT_KINDS);
if (values.help || !definition || !isRight) {
  console.log(USAGE);
  process.exit(values.help ? 0 : 2);
}

type Row = { readonly kind: DocumentKindName; readonly results: readonly DocumentTrialResult[] };
/** The part of the recording that is the portrait of the man. */
const HEAD = { left: 120, top: 60, width: 170, height: 217 };
const COLUMNS = [
  'presented',
  'tries',
  'accepted',
  'for a human',
  'refused',
  'accepted, 95 %',
  'in doubt, 95 %',
  'what spoke against it',
];

const folder = mkdtempSync(join(tmpdir(), 'grove-documents-'));
const app = await openTestApp(
  { engine: 'sqlite', folder, environment: { GROVE_DATA: folder } },
  { environment: { GROVE_VISION: 'eager' } },
);
try {
  const today = new Date(app.clock.now()).toISOString().slice(0, 10);
  const recording = definition === 'document-only' ? undefined : await openRecording();
  const holder = recording && (await sharp(recording.at(PORTRAIT_AT)).extract(HEAD).jpeg().toBuffer());
  const material = await openMaterial({ today, seed, holder, documents: values.documents, faces: values.faces });
  const trial = openDocumentTrial(app, { today, seed, definition, material, recording });
  const rows: Row[] = [];
  let report = '';
  for (const kind of kinds) {
    rows.push({ kind, results: await present(trial, kind, material) });
    // Written after each kind, so that a long run that is interrupted has results.
    report = writeSection(sectionOf(rows));
  }
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  console.log([line(COLUMNS), line(COLUMNS.map(() => '---')), ...rows.map((row) => line(cellsOf(row)))].join('\n'));
  console.log(`\nThe report is in ${report}.`);
} finally {
  await app.stop();
  rmSync(folder, { recursive: true, force: true });
}

async function present(
  trial: ReturnType<typeof openDocumentTrial>,
  kind: DocumentKindName,
  { nameOf, count = Number.POSITIVE_INFINITY }: DocumentMaterial,
): Promise<DocumentTrialResult[]> {
  const end = Math.min(from + tries, Math.max(from, count));
  const progress = newProgress(kind, end - from);
  const results: DocumentTrialResult[] = [];
  for (let at = from; at < end; at += 1) {
    const result = await trial.run(kind, at);
    if (result) results.push(result);
    if (result && result.signs.length > 0) {
      console.log(`${kind} ${nameOf(at) ?? at}: ${result.outcome}, ${result.signs.join(', ')}`);
    }
    progress.show(at + 1 - from, `${results.filter(({ outcome }) => outcome === 'accepted').length} accepted`);
  }
  progress.end();
  return results;
}

function cellsOf({ kind, results }: Row): string[] {
  const count = (outcome: DocumentTrialResult['outcome']) => results.filter((each) => each.outcome === outcome).length;
  const times = Map.groupBy(
    results.flatMap(({ signs }) => signs),
    (sign) => sign,
  );
  const signs = [...times].sort(([, one], [, other]) => other.length - one.length);
  return [
    kind,
    `${results.length}`,
    `${count('accepted')}`,
    `${count('review')}`,
    `${count('refused')}`,
    share(count('accepted'), results.length, 1),
    share(results.filter(({ alarm }) => alarm).length, results.length, 1),
    signs.map(([sign, { length }]) => `${sign} ${length}`).join(', '),
  ];
}

function sectionOf(rows: readonly Row[]) {
  const about = (kind: DocumentKindName): string => (DOCUMENT_KINDS[kind] as DocumentKind).about;
  return {
    name: values.name,
    title: `Documents presented to ${definition}`,
    columns: ['about', ...COLUMNS],
    plots: [],
    rows: rows.map((row) => [about(row.kind), ...cellsOf(row)]),
  };
}
