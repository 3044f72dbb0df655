import type { Check, CheckType, PictureFault } from '../../kernel/check.ts';
import type { Scenario } from './scenarios.ts';
import type { BiographicField, DocumentFindings, Vision, VisionImage } from './vision.ts';

/**
 * The machine of the sandbox: it looks at no image, finds what the scenario says, and takes what a JSON document in
 * place of an image says over what it would have made up. It is only ever given to instances of test keys, and each of
 * its findings says so.
 */
export class SandboxBroken extends Error {}

const THRESHOLD = 0.5;
const SCORE = 0.97;
const METADATA = { engine: 'sandbox', version: '1' };

type StandIn = {
  documentType?: string;
  countryCode?: string;
  fields?: Record<string, string>;
  /** A reason for which the image is refused, such as `blurred`. */
  fault?: string;
  expired?: boolean;
  /** Whom the image shows; a document and a selfie match if they show the same. */
  person?: string;
  live?: boolean;
};

export type SandboxRun = {
  readonly attempt: number;
  /** The document is that of the expected person, unless the scenario or a stand-in says otherwise. */
  readonly params: Readonly<Record<string, string>>;
  readonly now: number;
  /** What really looks in the lists and at the faces of the sandbox. */
  readonly lookups?: Pick<Vision, 'searchFaces' | 'searchValues' | 'findDuplicates'>;
};

export function sandboxVision(scenario: Scenario, { attempt, params, now, lookups }: SandboxRun): Vision {
  /** A scenario says what is found. Without one it is looked up, as in live; a JSON document has no face to look for. */
  const isToldOf = (name: string) => scenario.finds?.[name] !== undefined;
  const isPicture = ({ contentType }: VisionImage) => contentType !== 'application/json';

  const check = (name: string, type: CheckType, found?: Partial<Check>): Check => {
    const told = scenario.finds?.[name];
    const applies = told && (told.times === undefined || attempt <= told.times);
    const { times: _times, ...finding } = applies ? told : {};
    const passed: Check = { name, type, status: 'PASSED', score: SCORE, threshold: THRESHOLD, metaData: METADATA };
    const changed = { ...passed, ...found, ...finding };
    // A check that was not performed has found no score.
    if (changed.status !== 'NOT_PERFORMED') return changed;
    const { score: _score, threshold: _threshold, ...rest } = changed;
    return rest;
  };

  return {
    async readDocument({ front, back, documentType, countryCode, accept }): Promise<DocumentFindings> {
      if (scenario.breaks) throw new SandboxBroken('the scenario says that the machine breaks');
      const told = await standIn(front);
      const toldOfBack = back ? await standIn(back) : {};
      const quality = check('documentQuality', 'document', faultOf(told) ?? faultOf(toldOfBack));
      const type = told.documentType ?? documentType ?? accept[0] ?? 'PASSPORT';
      const wrongType =
        !accept.includes(type) && ({ status: 'FAILED', reason: 'type_not_accepted', advice: 'retry' } as const);
      return {
        checks: [
          quality,
          check('documentType', 'document', wrongType || undefined),
          check('documentExpiry', 'document', told.expired ? EXPIRED : undefined),
          check('documentConsistency', 'document'),
          ...(scenario.finds?.applicantMatch ? [check('applicantMatch', 'document')] : []),
          check('documentAuthenticity', 'document', { reason: 'no_signs_found' }),
        ],
        documentType: type,
        countryCode: told.countryCode ?? countryCode ?? 'UTO',
        biographicData: fieldsOf({
          ...SPECIMEN,
          ...expectedFields(params),
          ...scenario.reads,
          ...(scenario.bornYearsAgo !== undefined && { 'Date Of Birth': bornAgo(scenario.bornYearsAgo, now) }),
          ...told.fields,
        }),
        pictures: pictureFaults(quality, told, toldOfBack),
      };
    },
    async readFace({ image, liveness }) {
      const told = await standIn(image);
      const checks = [check('faceQuality', 'face', faultOf(told))];
      if (liveness === 'none') return { checks };
      const found = liveness === 'passive' ? NO_ATTACK_SEEN : CHALLENGE_ANSWERED;
      return { checks: [...checks, check('liveness', 'liveness', told.live === false ? NOT_LIVE : found)] };
    },
    async matchFaces({ document, face }) {
      const [one, other] = [await standIn(document), await standIn(face)];
      const differ = one.person !== undefined && other.person !== undefined && one.person !== other.person;
      return check('faceMatch', 'face', differ ? NOT_THE_SAME : undefined);
    },
    async searchFaces(request, signal) {
      const isLookedUp = lookups && isPicture(request.face) && !isToldOf('watchlist');
      return isLookedUp ? lookups.searchFaces(request, signal) : check('watchlist', 'watchlist');
    },
    async searchValues(request, signal) {
      const isLookedUp = lookups && !isToldOf('watchlist');
      return isLookedUp ? lookups.searchValues(request, signal) : check('watchlist', 'watchlist');
    },
    async findDuplicates(request, signal) {
      const isLookedUp = lookups && isPicture(request.face) && !isToldOf('duplicate');
      return isLookedUp ? lookups.findDuplicates(request, signal) : check('duplicate', 'face');
    },
  };
}

const EXPIRED = { status: 'FAILED', reason: 'expired', advice: 'retry' } as const;
const CHALLENGE_ANSWERED: Partial<Check> = {
  reason: 'challenge_answered',
  metaData: { ...METADATA, method: 'active', hints: [] },
};
const NO_ATTACK_SEEN: Partial<Check> = {
  ...{ status: 'NOT_PERFORMED', reason: 'no_attack_seen', advice: 'final' },
  metaData: { ...METADATA, method: 'passive' },
};
const NOT_LIVE = { status: 'FAILED', reason: 'not_live', advice: 'retry', score: 0.12 } as const;
const NOT_THE_SAME = { status: 'FAILED', reason: 'not_the_same', advice: 'final', score: 0.07 } as const;

/** The specimen of ICAO 9303. */
const SPECIMEN = {
  'First Name': 'ANNA MARIA',
  'Last Name': 'ERIKSSON',
  'Document Number': 'L898902C3',
  Nationality: 'UTO',
  'Date Of Birth': '1974-08-12',
  Sex: 'F',
  'Date Of Expiry': '2032-04-15',
};

const PARAMETER_FIELDS: Readonly<Record<string, string>> = {
  firstName: 'First Name',
  lastName: 'Last Name',
  dateOfBirth: 'Date Of Birth',
  documentNumber: 'Document Number',
  nationality: 'Nationality',
};

function expectedFields(params: SandboxRun['params']): Record<string, string> {
  const known = Object.entries(PARAMETER_FIELDS).flatMap(([name, fieldName]) => {
    const value = Object.hasOwn(params, name) ? (params[name] ?? '').trim() : '';
    return value === '' ? [] : [[fieldName, value]];
  });
  return Object.fromEntries(known);
}

function bornAgo(years: number, now: number): string {
  const date = new Date(now);
  date.setUTCFullYear(date.getUTCFullYear() - years);
  return date.toISOString().slice(0, 10);
}

const MAX_FIELDS = 50;
const MAX_FIELD_LENGTH = 200;

function fieldsOf(fields: Readonly<Record<string, string>>): BiographicField[] {
  return Object.entries(fields)
    .slice(0, MAX_FIELDS)
    .map(([fieldName, value]) => ({
      fieldName,
      values: { visualZoneValue: String(value).slice(0, MAX_FIELD_LENGTH) },
    }));
}

function faultOf({ fault }: StandIn): Partial<Check> | undefined {
  return fault ? { status: 'FAILED', reason: fault.slice(0, 50), advice: 'retry', score: 0.2 } : undefined;
}

/** What the machine would say of a photograph as such; other faults are those of the document. */
const OF_PICTURES: readonly string[] = [
  ...['too_dark', 'glare', 'blurred', 'cut_off', 'too_small', 'no_document', 'two_documents', 'wrong_side'],
];

function pictureFaults({ status, reason = '' }: Check, front: StandIn, back: StandIn): PictureFault[] {
  if (status !== 'FAILED' || !OF_PICTURES.includes(reason)) return [];
  const told = Object.entries({ front, back }).flatMap(([picture, { fault }]) =>
    fault === undefined ? [] : [{ picture, reasons: [fault] }],
  );
  return told.length > 0 ? told : [{ picture: 'front', reasons: [reason] }];
}

/** What a JSON document in place of the image says; nothing for an image. */
async function standIn({ contentType, read }: VisionImage): Promise<StandIn> {
  if (contentType !== 'application/json') return {};
  const told = JSON.parse((await read()).toString('utf8')) as StandIn;
  const text = (value: unknown) => (typeof value === 'string' ? value : undefined);
  const { fields } = told;
  return {
    ...withText('documentType', text(told.documentType)),
    ...withText('countryCode', text(told.countryCode)),
    ...withText('fault', text(told.fault)),
    ...withText('person', text(told.person)),
    ...(typeof told.expired === 'boolean' && { expired: told.expired }),
    ...(typeof told.live === 'boolean' && { live: told.live }),
    ...(typeof fields === 'object' && fields !== null && !Array.isArray(fields) && { fields }),
  };
}

function withText<K extends string>(name: K, value: string | undefined): { [N in K]?: string } {
  return (value === undefined ? {} : { [name]: value }) as { [N in K]?: string };
}
