import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import {
  measureBarcodes,
  measureFolder,
  measureSpecimens,
} from '../../packages/vision/src/accuracy/measure-documents.ts';
import { barcodeTable, documentPlot, documentTable } from '../../packages/vision/src/accuracy/print-documents.ts';

/** Measures how well the image analysis reads a set of pictures: tables, a plot, and with `--json` one line at the end. */
const USAGE = `npm run accuracy -- --documents DIR --truth FILE   documents with machine readable zones
npm run accuracy -- --barcodes DIR                 PDF417 codes, each picture with a .txt or .bin beside it
npm run accuracy -- --specimens N [--seed N]       documents of our own, drawn and photographed

  --full       reads everything, not the zone alone
  --svg FILE   writes the rates as a picture
  --json       the last line is JSON`;

const { values } = parseArgs({
  options: {
    documents: { type: 'string' },
    truth: { type: 'string' },
    barcodes: { type: 'string' },
    specimens: { type: 'string' },
    seed: { type: 'string', default: '1' },
    full: { type: 'boolean', default: false },
    svg: { type: 'string' },
    json: { type: 'boolean', default: false },
  },
});

if (values.barcodes) {
  const report = await measureBarcodes(values.barcodes);
  console.log(barcodeTable(report));
  if (values.json) console.log(JSON.stringify(report));
} else if ((values.documents && values.truth) || values.specimens) {
  const title = values.documents ? 'documents' : 'specimens';
  const report =
    values.documents && values.truth
      ? await measureFolder(values.documents, values.truth, values.full)
      : await measureSpecimens(Number(values.specimens), Number(values.seed), values.full);
  console.log(documentTable(title, report));
  if (values.svg) writeFileSync(values.svg, documentPlot(title, report));
  if (values.json) console.log(JSON.stringify(report));
} else {
  console.error(USAGE);
  process.exitCode = 2;
}
