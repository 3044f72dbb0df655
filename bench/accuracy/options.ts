import { parseArgs } from 'node:util';
import { FACE_PACK_NAMES, type FacePackName } from '@grove/vision';
import { UsageError } from '../options.ts';

export type AccuracyOptions = {
  faces: string | undefined;
  pairs: string | undefined;
  groups: string | undefined;
  pack: FacePackName;
  weights: string | undefined;
  search: boolean;
  crowd: number | undefined;
  calibrate: boolean;
  liveness: string | undefined;
  documents: string | undefined;
  truth: string | undefined;
  plot: string | undefined;
  limit: number | undefined;
  workers: number;
  json: boolean;
};

export const USAGE = `npm run accuracy -- --faces DIR [--pairs FILE]      who is who; without pairs, all of a folder of persons
npm run accuracy -- --faces DIR --search            everybody's second picture is looked up among the first ones
npm run accuracy -- --faces DIR --search --crowd N  and among N invented strangers, by sketches
npm run accuracy -- --faces DIR --groups DIR        strangers and true pairs by group and sex; lists of pairs
npm run accuracy -- --liveness DIR                  folders named live, real or genuine, and any others
npm run accuracy -- --documents DIR --truth FILE    what is written

  --calibrate    with --pairs: also how alike strangers are, for packages/vision/src/faces/calibration.ts
  --pack NAME    the face pack; faceplugin
  --weights DIR  the weights that no package carries
  --limit N      the first N pairs, pictures or documents only
  --workers N    1
  --plot FILE    where the plot goes; bench/results/accuracy-<what>.svg
  --json         a last line of JSON`;

const OPTIONS = {
  faces: { type: 'string' },
  pairs: { type: 'string' },
  groups: { type: 'string' },
  pack: { type: 'string', default: 'faceplugin' },
  weights: { type: 'string' },
  search: { type: 'boolean', default: false },
  crowd: { type: 'string' },
  calibrate: { type: 'boolean', default: false },
  liveness: { type: 'string' },
  documents: { type: 'string' },
  truth: { type: 'string' },
  plot: { type: 'string' },
  limit: { type: 'string' },
  workers: { type: 'string', default: '1' },
  json: { type: 'boolean', default: false },
} as const;

export function readAccuracyOptions(parameters: string[]): AccuracyOptions {
  const values = parse(parameters);
  const subjects = [values.faces, values.liveness, values.documents].filter((each) => each !== undefined);
  if (subjects.length !== 1) throw new UsageError('Name one of --faces, --liveness and --documents');
  if (values.pairs !== undefined && values.faces === undefined) throw new UsageError('--pairs belongs to --faces');
  if (values.search && (values.faces === undefined || values.pairs !== undefined)) {
    throw new UsageError('--search belongs to --faces, without --pairs');
  }
  if (values.crowd !== undefined && !values.search) throw new UsageError('--crowd belongs to --search');
  if (values.groups !== undefined && (values.faces === undefined || values.pairs !== undefined)) {
    throw new UsageError('--groups belongs to --faces, without --pairs');
  }
  if (values.calibrate && values.pairs === undefined) throw new UsageError('--calibrate belongs to --pairs');
  if (values.truth !== undefined && values.documents === undefined) {
    throw new UsageError('--truth belongs to --documents');
  }
  return {
    faces: values.faces,
    pairs: values.pairs,
    groups: values.groups,
    pack: packOf(values.pack),
    weights: values.weights,
    search: values.search,
    crowd: values.crowd === undefined ? undefined : whole('crowd', values.crowd),
    calibrate: values.calibrate,
    liveness: values.liveness,
    documents: values.documents,
    truth: values.truth,
    plot: values.plot,
    limit: values.limit === undefined ? undefined : whole('limit', values.limit),
    workers: whole('workers', values.workers),
    json: values.json,
  };
}

function parse(parameters: string[]) {
  try {
    return parseArgs({ args: parameters, options: OPTIONS }).values;
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

function packOf(text: string): FacePackName {
  const name = FACE_PACK_NAMES.find((each) => each === text);
  if (!name) throw new UsageError(`--pack must be one of ${FACE_PACK_NAMES.join(', ')}`);
  return name;
}

function whole(name: string, text: string): number {
  const number = /^\d{1,7}$/.test(text) ? Number(text) : 0;
  if (number < 1) throw new UsageError(`--${name} must be a whole number from 1 on`);
  return number;
}
