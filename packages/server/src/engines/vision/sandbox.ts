import { LIVENESS_BOUNDS, MATCH_SCORE, PASSIVE_BOUNDS } from '@grove/vision/light';
import type { Check, CheckType } from '../../kernel/check.ts';
import { judgeApplicant } from './applicant/judge-applicant.ts';
import type { ChallengeProgress } from './challenge.ts';
import { judgeDocument } from './judge-document.ts';
import {
  isKnownType,
  type SandboxDocument,
  sandboxAgreement,
  sandboxFields,
  sandboxSides,
} from './sandbox-document.ts';
import type { Scenario } from './scenarios.ts';
import type { DerivedImage, DocumentFindings, DocumentRequest, Mark, Vision, VisionImage } from './vision.ts';

/**
 * The machine of the sandbox. It analyses no image: its findings come from the scenario, or from a JSON document that is
 * sent in place of an image. Only instances of test keys use it, and each of its findings says so.
 */
export class SandboxBroken extends Error {}

const SCORE = 0.97;
const LOW_SCORE = 0.12;
const QUALITY_SCORE = 0.5;
const ENGINE = 'sandbox';
const MODELS = [{ name: ENGINE, version: '1' }];

type StandIn = {
  documentType?: string;
  countryCode?: string;
  fields?: Record<string, string>;
  /** A reason for which the image is refused, such as `blurred`. */
  fault?: string;
  expired?: boolean;
  /** The person in the image; a document and a selfie match if they have the same. */
  person?: string;
  live?: boolean;
};

export type SandboxRun = {
  readonly attempt: number;
  /** The document belongs to the expected person, unless the scenario or a stand-in says otherwise. */
  readonly params: Readonly<Record<string, string>>;
  readonly now: number;
  /** Real searches in the watchlists and the faces of the sandbox. */
  readonly lookups?: Pick<Vision, 'searchFaces' | 'searchValues' | 'findDuplicates'>;
};

export function sandboxVision(scenario: Scenario, { attempt, params, now, lookups }: SandboxRun): Vision {
  /** True if the scenario sets the result. Otherwise the lists are searched as in live, except for a JSON document. */
  const isScripted = (name: string) => scenario.finds?.[name] !== undefined;
  const isPicture = ({ contentType }: VisionImage) => contentType !== 'application/json';

  /** The scenario's finding for a check in this attempt. */
  const findingOf = (name: string): Partial<Check> => {
    const scenarioFinding = scenario.finds?.[name];
    if (!scenarioFinding || (scenarioFinding.times !== undefined && attempt > scenarioFinding.times)) return {};
    const { times: _times, ...finding } = scenarioFinding;
    return finding;
  };
  const change = (check: Check): Check => {
    const changed = { ...check, ...findingOf(check.name), metaData: { ...check.metaData, engine: ENGINE } };
    // A check that was not performed has no score.
    if (changed.status !== 'NOT_PERFORMED') return changed;
    const { score: _score, threshold: _threshold, ...rest } = changed;
    return rest;
  };
  const passed = (name: string, type: CheckType, more: Partial<Check> = {}) =>
    change({ name, type, status: 'PASSED', ...more });

  return {
    readDocument: (request) => readDocument(scenario, { params, now, findingOf, change }, request),
    async readFace({ image, liveness, challenge }) {
      const { fault, live } = await standIn(image);
      const reason = findingOf('faceQuality').reason ?? fault;
      const metaData = { faces: 1, reasons: reason ? [reason] : [], hints: [], models: MODELS };
      const quality = { score: SCORE, threshold: QUALITY_SCORE, metaData };
      const checks = [passed('faceQuality', 'face', { ...quality, ...(fault && faultOf(fault)) })];
      const qualityAndMarks = { quality: SCORE, marks: { image: FACE_MARKS } };
      if (liveness === 'none') return { checks, ...qualityAndMarks };
      const livenessFinding = liveness === 'passive' ? passiveFinding(live) : activeFinding(live, challenge);
      return { checks: [...checks, passed('liveness', 'liveness', livenessFinding)], ...qualityAndMarks };
    },
    async matchFaces({ document, face, challenge }) {
      const [one, other] = [await standIn(document), await standIn(face)];
      const differ = one.person !== undefined && other.person !== undefined && one.person !== other.person;
      const { score = SCORE } = { ...(differ && NOT_THE_SAME), ...findingOf('faceMatch') };
      const scores = { selfie: score, ...(challenge && { frames: score, moving: score }) };
      const metaData = { algorithm: ENGINE, calibration: ENGINE, scores, models: MODELS };
      return passed('faceMatch', 'face', { score, threshold: MATCH_SCORE, metaData, ...(differ && NOT_THE_SAME) });
    },
    async searchFaces(request, signal) {
      const isLookedUp = lookups && isPicture(request.face) && !isScripted('watchlist');
      if (isLookedUp) return lookups.searchFaces(request, signal);
      const metaData = { algorithm: ENGINE, compared: 0, notComparable: 0, candidates: [] };
      return passed('watchlist', 'watchlist', { threshold: request.threshold, metaData });
    },
    async searchValues(request, signal) {
      const isLookedUp = lookups && !isScripted('watchlist');
      if (isLookedUp) return lookups.searchValues(request, signal);
      return passed('watchlist', 'watchlist', { metaData: { candidates: [] } });
    },
    async findDuplicates(request, signal) {
      const isLookedUp = lookups && isPicture(request.face) && !isScripted('duplicate');
      if (isLookedUp) return lookups.findDuplicates(request, signal);
      const metaData = { algorithm: ENGINE, compared: 0, notCompared: 0, candidates: [] };
      return passed('duplicate', 'face', { threshold: request.threshold, metaData });
    },
  };
}

type DocumentTools = Pick<SandboxRun, 'params' | 'now'> & {
  findingOf(name: string): Partial<Check>;
  change(check: Check): Check;
};

const APPLICANT_MATCHES: Check = { name: 'applicantMatch', type: 'document', status: 'PASSED' };

async function readDocument(
  scenario: Scenario,
  { params, now, findingOf, change }: DocumentTools,
  request: DocumentRequest,
): Promise<DocumentFindings> {
  if (scenario.breaks) throw new SandboxBroken('the scenario says that the machine breaks');
  const { front, back, accept, countries } = request;
  const frontStandIn = await standIn(front);
  const backStandIn = back ? await standIn(back) : {};
  const documentType = frontStandIn.documentType ?? request.documentType ?? accept[0] ?? 'PASSPORT';
  const countryCode = frontStandIn.countryCode ?? request.countryCode ?? countries?.[0] ?? SPECIMEN_STATE;
  const quality = findingOf('documentQuality');
  const frontFault = quality.status === 'FAILED' ? quality.reason : frontStandIn.fault;
  const document: SandboxDocument = {
    documentType,
    countryCode,
    expired: frontStandIn.expired === true,
    hasBack: back !== undefined,
    faults: { ...withText('front', frontFault), ...withText('back', backStandIn.fault) },
  };
  const agreement = sandboxAgreement(document);
  const judgement = judgeDocument(sandboxSides(document), { ...request, allowSpecimens: true }, agreement);
  // If a picture must be taken again, there are no other checks.
  const isRead = judgement.checks.length > 1;
  const isForced = isRead && scenario.finds?.applicantMatch !== undefined;
  const checks = judgement.checks.map((check) =>
    change(check.name === 'documentType' && !isKnownType(documentType) ? { ...check, ...WRONG_TYPE } : check),
  );
  const fields = {
    ...SPECIMEN,
    [ISSUING_STATE]: countryCode,
    ...expectedFields(params),
    ...scenario.reads,
    ...(scenario.bornYearsAgo !== undefined && { 'Date Of Birth': bornAgo(scenario.bornYearsAgo, now) }),
    ...frontStandIn.fields,
  };
  const biographicData = sandboxFields(fields, documentType);
  // The scenario sets the result of the check; the fields that differ are compared as in live.
  const { metaData } = judgeApplicant(params, { biographicData }) ?? {};
  return {
    checks: isForced ? [...checks, change({ ...APPLICANT_MATCHES, ...(metaData && { metaData }) })] : checks,
    ...(isRead && { documentType, countryCode }),
    biographicData,
    images: await sandboxImages(front, back),
    ...(isRead && { marks: { front: CARD_MARKS, ...(back && { back: CARD_MARKS }) } }),
    pictures: judgement.pictures.filter(({ reasons }) => reasons.some((reason) => OF_PICTURES.includes(reason))),
  };
}

/**
 * No image is analysed, so none is cut: the uploaded image replaces the cropped document and the portrait, so that their
 * paths can be read, and a stand-in can name the person in the portrait.
 */
async function sandboxImages(front: VisionImage, back: VisionImage | undefined): Promise<DerivedImage[]> {
  const copy = async (name: string, image: VisionImage) => ({
    name,
    contentType: image.contentType,
    bytes: await image.read(),
  });
  return [
    await copy('front.cropped', front),
    ...(back ? [await copy('back.cropped', back)] : []),
    await copy('portrait', front),
  ];
}

/** The marks are invented, too: a card that fills the picture, and a face in its middle. */
const CARD_MARKS: readonly Mark[] = [
  { kind: 'outline', points: [0.02, 0.02, 0.98, 0.02, 0.98, 0.98, 0.02, 0.98] },
  { kind: 'zone', points: [0.04, 0.8, 0.96, 0.8, 0.96, 0.92, 0.04, 0.92] },
];
const FACE_MARKS: readonly Mark[] = [
  { kind: 'face', points: [0.3, 0.35, 0.7, 0.35, 0.7, 0.75, 0.3, 0.75] },
  { kind: 'landmarks', points: [0.42, 0.5, 0.58, 0.5, 0.5, 0.57, 0.44, 0.66, 0.56, 0.66] },
];

const WRONG_TYPE = { status: 'FAILED', reason: 'type_not_accepted', advice: 'retry' } as const;
const NOT_LIVE = { status: 'FAILED', reason: 'not_live', advice: 'retry' } as const;
const NOT_THE_SAME = { status: 'FAILED', reason: 'not_the_same', advice: 'final', score: 0.07 } as const;
const NOT_MEASURED = {
  novelty: null,
  noveltyBeyondPose: null,
  thirdNovelty: null,
  eyeNovelty: null,
  sameness: null,
  noseTravel: null,
  passive: null,
  leastAlike: null,
  leastAlikeTurned: null,
  selfieAlike: null,
};

function activeFinding(live: boolean | undefined, challenge: ChallengeProgress | undefined): Partial<Check> {
  const metaData = {
    method: 'active',
    certified: false,
    hints: [],
    refused: [],
    doubtful: [],
    movements: challenge?.instructions.map(({ movement }) => movement) ?? [],
    frames: challenge?.frames.length ?? 0,
    measures: NOT_MEASURED,
    bounds: LIVENESS_BOUNDS,
  };
  return live === false ? { ...NOT_LIVE, metaData } : { reason: 'challenge_answered', metaData };
}

function passiveFinding(live: boolean | undefined): Partial<Check> {
  const passiveScore = live === false ? LOW_SCORE : SCORE;
  const metaData = { method: 'passive', certified: false, hints: [], passiveScore, models: MODELS };
  if (live === false) return { ...NOT_LIVE, score: LOW_SCORE, threshold: PASSIVE_BOUNDS.noAttackSeen, metaData };
  return { status: 'NOT_PERFORMED', reason: 'no_attack_seen', advice: 'final', metaData };
}

const SPECIMEN_STATE = 'UTO';
const ISSUING_STATE = 'Issuing State';

/** The specimen of ICAO 9303. */
const SPECIMEN = {
  'First Name': 'ANNA MARIA',
  'Last Name': 'ERIKSSON',
  'Document Number': 'L898902C3',
  Nationality: SPECIMEN_STATE,
  [ISSUING_STATE]: SPECIMEN_STATE,
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
  const entries = Object.entries(PARAMETER_FIELDS).flatMap(([name, fieldName]) => {
    const value = Object.hasOwn(params, name) ? (params[name] ?? '').trim() : '';
    return value === '' ? [] : [[fieldName, value]];
  });
  return Object.fromEntries(entries);
}

function bornAgo(years: number, now: number): string {
  const date = new Date(now);
  date.setUTCFullYear(date.getUTCFullYear() - years);
  return date.toISOString().slice(0, 10);
}

function faultOf(fault: string): Partial<Check> {
  return { status: 'FAILED', reason: fault, advice: 'retry', score: 0.2 };
}

/** Faults of the photograph itself; all other faults are those of the document. */
const OF_PICTURES: readonly string[] = [
  'too_dark',
  'glare',
  'blurred',
  'cut_off',
  'too_small',
  'no_document',
  'two_documents',
  'wrong_side',
];

/** The content of a JSON document in place of an image; empty for an image. */
async function standIn(image: VisionImage): Promise<StandIn> {
  if (image.contentType !== 'application/json') return {};
  const content = JSON.parse((await image.read()).toString('utf8')) as StandIn;
  const text = (value: unknown) => (typeof value === 'string' ? value : undefined);
  const { fields } = content;
  return {
    ...withText('documentType', text(content.documentType)),
    ...withText('countryCode', text(content.countryCode)),
    ...withText('fault', text(content.fault)?.slice(0, 50) || undefined),
    ...withText('person', text(content.person)),
    ...(typeof content.expired === 'boolean' && { expired: content.expired }),
    ...(typeof content.live === 'boolean' && { live: content.live }),
    ...(typeof fields === 'object' && fields !== null && !Array.isArray(fields) && { fields }),
  };
}

function withText<K extends string>(name: K, value: string | undefined): { [N in K]?: string } {
  return (value === undefined ? {} : { [name]: value }) as { [N in K]?: string };
}
