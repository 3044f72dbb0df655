import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { readPdf417 } from '../barcodes/read-barcode.ts';
import { readDocument } from '../documents/read-document.ts';
import { decodeImage } from '../images/raster.ts';
import { readMrz } from '../mrz/read-mrz.ts';
import { modelTime, ocrModels } from '../ocr/models.ts';
import { everydayOrders, makeSpecimen } from '../specimens/make-specimen.ts';
import { comparable, type DocumentTruth, readDocumentTruth, TRUTH_FIELDS, type TruthField } from './document-truth.ts';

export type WrongReading = { readonly file: string; readonly hasZone: boolean; readonly fields: readonly string[] };
export type DocumentReport = {
  readonly documents: number;
  readonly documentsRight: number;
  readonly fieldsRight: number;
  readonly byField: Readonly<Record<TruthField, { readonly right: number; readonly total: number }>>;
  readonly notFound: number;
  readonly falselyFound: number;
  readonly msMedian: number;
  readonly msP95: number;
  readonly cpuMsMedian: number;
  readonly cpuMsP95: number;
  readonly modelMsMedian: number;
  readonly rssMegabytes: number;
  readonly wrong: readonly WrongReading[];
};
export type Times = { ms: number[]; cpuMs: number[]; modelMs: number[] };

type Sample = DocumentTruth & { readonly bytes: () => Promise<Buffer> };

/** Reads the documents of a folder and compares the readings with the truth beside them. */
export function measureFolder(folder: string, truthFile: string, full: boolean): Promise<DocumentReport> {
  const truth = readDocumentTruth(JSON.parse(readFileSync(truthFile, 'utf8')));
  const samples = truth.map((each) => ({ ...each, bytes: async () => readFileSync(join(folder, each.file)) }));
  return measure(samples, full);
}

/** Measures specimens that we draw ourselves, photographed as people photograph documents. */
export async function measureSpecimens(count: number, seed: number, full: boolean): Promise<DocumentReport> {
  const samples: Sample[] = [];
  for (const order of everydayOrders(count, seed)) {
    const { mrz } = await makeSpecimen({ ...order, photograph: { size: { width: 8, height: 8 } } });
    const [truth] = readDocumentTruth([{ file: `${order.kind} ${order.seed}`, mrz }]);
    samples.push({ ...(truth as DocumentTruth), bytes: async () => (await makeSpecimen(order)).jpeg });
  }
  return measure(samples, full);
}

async function measure(samples: readonly Sample[], full: boolean): Promise<DocumentReport> {
  await ocrModels();
  const byField = Object.fromEntries(TRUTH_FIELDS.map((name) => [name, { right: 0, total: 0 }])) as Record<
    TruthField,
    { right: number; total: number }
  >;
  const times: Times = { ms: [], cpuMs: [], modelMs: [] };
  const wrong: WrongReading[] = [];
  let falselyFound = 0;
  let documents = 0;
  for (const { file, fields, bytes } of samples) {
    const picture = await bytes();
    const mrz = await timed(times, async () =>
      full
        ? (await readDocument(picture, { today: '2026-01-01' })).mrz
        : (await readMrz(await decodeImage(picture))).mrz,
    );
    if (!fields) {
      if (mrz) falselyFound += 1;
      continue;
    }
    documents += 1;
    const readFields = comparable(mrz?.fields);
    const misread = (Object.keys(fields) as TruthField[]).filter((name) => readFields?.[name] !== fields[name]);
    for (const name of Object.keys(fields) as TruthField[]) {
      byField[name].total += 1;
      if (!misread.includes(name)) byField[name].right += 1;
    }
    const differences = misread.map((name) => `${name}: ${readFields?.[name] ?? 'nothing'}, not ${fields[name]}`);
    if (differences.length > 0) wrong.push({ file, hasZone: mrz !== undefined, fields: differences });
  }
  const cells = Object.values(byField);
  return {
    documents,
    documentsRight: ratio(documents - wrong.length, documents),
    fieldsRight: ratio(sum(cells.map(({ right }) => right)), sum(cells.map(({ total }) => total))),
    byField,
    notFound: wrong.filter((document) => !document.hasZone).length,
    falselyFound,
    msMedian: quantile(times.ms, 0.5),
    msP95: quantile(times.ms, 0.95),
    cpuMsMedian: quantile(times.cpuMs, 0.5),
    cpuMsP95: quantile(times.cpuMs, 0.95),
    modelMsMedian: quantile(times.modelMs, 0.5),
    rssMegabytes: Math.round(process.memoryUsage.rss() / 1e6),
    wrong,
  };
}

async function timed<T>(times: Times, work: () => Promise<T>): Promise<T> {
  const startedAt = performance.now();
  const cpu = process.cpuUsage();
  const model = modelTime.milliseconds;
  const result = await work();
  const { user, system } = process.cpuUsage(cpu);
  times.ms.push(performance.now() - startedAt);
  times.cpuMs.push((user + system) / 1000);
  times.modelMs.push(modelTime.milliseconds - model);
  return result;
}

export type BarcodeReport = {
  readonly barcodes: number;
  readonly barcodesRight: number;
  readonly msMedian: number;
  readonly wrong: readonly string[];
};

/** Measures a folder of pictures of barcodes; the expected content stands beside each as text (.txt) or bytes (.bin). */
export async function measureBarcodes(folder: string): Promise<BarcodeReport> {
  const times: Times = { ms: [], cpuMs: [], modelMs: [] };
  const wrong: string[] = [];
  let barcodes = 0;
  for (const file of globSync(`${folder}/**/*.{png,jpg,jpeg}`).sort()) {
    const stem = file.replace(/\.[^.]+$/, '');
    const text = existsSync(`${stem}.txt`);
    if (!text && !existsSync(`${stem}.bin`)) continue;
    barcodes += 1;
    const code = await timed(times, async () => readPdf417(await decodeImage(readFileSync(file))));
    const content = text ? Buffer.from(code?.text ?? '') : Buffer.from(code?.bytes ?? []);
    if (!code || !content.equals(readFileSync(`${stem}${text ? '.txt' : '.bin'}`)))
      wrong.push(file.slice(-basename(file).length - 12));
  }
  return {
    barcodes,
    barcodesRight: ratio(barcodes - wrong.length, barcodes),
    msMedian: quantile(times.ms, 0.5),
    wrong,
  };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function ratio(part: number, whole: number): number {
  return whole === 0 ? 0 : Math.round((part / whole) * 10_000) / 10_000;
}

function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((one, other) => one - other);
  return Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0);
}
