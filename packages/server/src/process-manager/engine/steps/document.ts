import { listOf, oneOf, Type } from '@grove/contract';
import { withApplicantMatch } from '../../../engines/vision/applicant/judge-applicant.ts';
import type { ClientHints } from '../../../engines/vision/vision.ts';
import type { Step } from '../definition.ts';
import { DOCUMENT_SHAPE } from '../document-facts.ts';
import type { Current } from '../state.ts';
import { clientHints } from './client-hints.ts';
import { clientSignals, noteSignals } from './client-signals.ts';
import { checksOfCorrected } from './corrected-document.ts';
import { POOR_REASONS, softenChecks } from './poor-document.ts';
import type { StepType } from './step-type.ts';

export const DOCUMENT_TYPES = ['PASSPORT', 'ID_CARD', 'DRIVERS_LICENSE', 'OTHER'] as const;
type DocumentType = (typeof DOCUMENT_TYPES)[number];

type DocumentStep = Step & {
  key: string;
  accept: DocumentType[];
  countries?: string[];
  sides: string;
  requireLiveCapture?: boolean;
  applicantMatch?: boolean;
};

export const document: StepType = {
  type: 'document',
  repeatable: true,
  about: 'The end user photographs a document; Grove reads and checks it.',
  kind: 'user',
  isEvidence: true,
  keeps: { in: 'documents', defaultKey: 'doc1', shape: () => DOCUMENT_SHAPE },
  settings: {
    accept: Type.Array(oneOf(...DOCUMENT_TYPES), {
      minItems: 1,
      maxItems: DOCUMENT_TYPES.length,
      uniqueItems: true,
      default: [...DOCUMENT_TYPES],
      description: 'The accepted types of documents',
    }),
    countries: Type.Optional(
      listOf(Type.String({ pattern: '^[A-Z]{3}$', maxLength: 3 }), 300, 'ISO 3166-1 alpha-3; default: any'),
    ),
    sides: Type.Unsafe<string>({
      ...oneOf('auto', 'front', 'both'),
      default: 'auto',
      description: 'Which sides are photographed; with `auto` the type of the document decides',
    }),
    requireLiveCapture: Type.Boolean({
      default: false,
      description: 'The end user must use the camera and cannot upload a file',
    }),
    applicantMatch: Type.Boolean({
      default: true,
      description: 'Compares the document with the parameters of the instance, if they name the expected person',
    }),
    maxAttempts: Type.Integer({
      minimum: 1,
      maximum: 10,
      default: 3,
      description:
        'How many attempts there are if a visible document fails for something that the end user can correct',
    }),
    triesPerSide: Type.Integer({
      minimum: 1,
      maximum: 10,
      default: 5,
      description: 'How often a side may be photographed if the photograph is not good enough',
    }),
    useAnywayAfter: Type.Integer({
      minimum: 0,
      maximum: 10,
      default: 2,
      description:
        'After how many poor photographs the end user may use one anyway; a human then reviews it. 0 means never',
    }),
  },
  user: {
    needs: 'document',
    seconds: 60,
    correctable: true,
    images: (step) => {
      const { sides, requireLiveCapture } = step as DocumentStep;
      // A PDF cannot come from the camera.
      const pdf = !requireLiveCapture;
      const ahead = 'document';
      const front = { name: 'front', required: true, pdf, ahead } as const;
      return sides === 'front' ? [front] : [front, { name: 'back', required: sides === 'both', pdf, ahead }];
    },
    result: (step) => {
      const { accept, countries } = step as DocumentStep;
      const country = countries ? oneOf(...countries) : Type.String({ pattern: '^[A-Z]{3}$', maxLength: 3 });
      return Type.Object(
        {
          documentType: Type.Optional(oneOf(...accept)),
          countryCode: Type.Optional(country),
          countryConfirmed: Type.Optional(
            Type.Boolean({
              description: 'The end user insists on the country, although the document looks like another',
            }),
          ),
          hints: Type.Optional(clientHints),
        },
        { additionalProperties: false },
      );
    },
    show(step, { params, flow, data }) {
      const { key, accept, countries, sides, requireLiveCapture } = step as DocumentStep;
      // Sent only if there is a question about it.
      const { countryCode: readCountry } = isAboutCountry(flow.current) ? (data.documents[key] ?? {}) : {};
      return {
        accept,
        countries,
        sides,
        requireLiveCapture,
        preset: preset(step as DocumentStep, params),
        ...(readCountry !== undefined && { readCountry }),
      };
    },
    take: (step, { result, images, data }) => {
      const key = step.key as string;
      // Hints about a side that is not photographed again stay valid.
      const hints = { ...clientHintsOf(data.documents[key]), ...clientHintsOf(result) };
      return { outcome: 'WORK', data: { documents: { [key]: { ...result, hints, images } } } };
    },
  },
  anyway: { reasons: POOR_REASONS, soften: softenChecks },
  corrected: (step, { state: { data, params }, checks, now }) => {
    const { key, applicantMatch } = step as DocumentStep;
    const document = data.documents[key] ?? {};
    return checksOfCorrected({ document, params, checks, comparesApplicant: applicantMatch !== false, now });
  },
  looks: true,
  async work({ step, state, images, vision, environment, signal }) {
    const { key, accept, countries, applicantMatch } = step as DocumentStep;
    const expected = preset(step as DocumentStep, state.params);
    const choice = { ...expected, ...choiceOf(state.data.documents[key]) };
    const front = images.get('front');
    if (!front) throw new Error('the front of the document is missing');
    const back = images.get('back');
    const anyway = state.flow.current?.anyway !== undefined;
    const request = {
      accept,
      anyway,
      ...(countries && { countries }),
      ...choice,
      ...(expected.countryCode && { expectedCountry: expected.countryCode }),
    };
    const {
      checks,
      images: derived = [],
      pictures = [],
      ...reading
    } = await vision.readDocument({ front, ...(back && { back }), ...request }, signal);
    const names = [...images.keys(), ...derived.map(({ name }) => name)];
    const hints = clientHintsOf(state.data.documents[key]);
    const signalled = noteSignals(checks, 'documentQuality', clientSignals(hints, [...images.keys()]));
    const engine = environment === 'test' ? 'sandbox' : 'grove';
    return {
      // Definitions that are older than this setting compare as well.
      checks:
        applicantMatch === false
          ? signalled
          : withApplicantMatch(signalled, { params: state.params, document: reading, engine }),
      pictures,
      data: { documents: { [key]: { ...choice, ...reading, hints, images: names } } },
      images: derived,
    };
  },
};

type Choice = { documentType?: DocumentType; countryCode?: string; countryConfirmed?: boolean };

function isAboutCountry(current: Current | undefined): boolean {
  const { reason = '' } = current?.fault ?? {};
  return reason === 'country_differs' || reason === 'country_not_accepted';
}

/** The type and country that the relying party has set, if the definition accepts them. */
function preset({ accept, countries }: DocumentStep, params: Readonly<Record<string, string>>): Choice {
  const documentType = accept.find((each) => each === params.documentType);
  const { countryCode } = params;
  const isKnown = countryCode !== undefined && (countries?.includes(countryCode) ?? /^[A-Z]{3}$/.test(countryCode));
  return { ...(documentType && { documentType }), ...(isKnown && { countryCode }) };
}

function clientHintsOf(data: { readonly hints?: ClientHints } | undefined): ClientHints {
  return data?.hints ?? {};
}

function choiceOf(data: Choice | undefined): Choice {
  const { documentType, countryCode, countryConfirmed } = data ?? {};
  return {
    ...(documentType && { documentType }),
    ...(countryCode && { countryCode }),
    ...(countryConfirmed && { countryConfirmed }),
  };
}
