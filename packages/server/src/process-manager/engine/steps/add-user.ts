import { oneOf, Type, text } from '@grove/contract';
import type { Check } from '../../../kernel/check.ts';
import { pathNameFault } from '../../../kernel/path-name.ts';
import type { Step } from '../definition.ts';
import { objectOf, TEXT, TRUTH } from '../expressions/shapes.ts';
import type { State } from '../state.ts';
import { face as faceStep } from './face.ts';
import type { IdentityActs, PresentedFace } from './identity-acts.ts';
import { checkOf, ofStore, withStore } from './identity-check.ts';
import { isProven, userIdAt } from './linked-user.ts';
import { notPerformed } from './not-performed.ts';
import type { StepType, WorkRequest } from './step-type.ts';

type AddUserStep = Step & {
  key: string;
  store: string;
  extId: string;
  existing?: 'link' | 'refuse';
  attributes?: Readonly<Record<string, string>>;
  face?: string;
};

const NAME = 'addUser';
const MAX_ATTRIBUTES = 50;
const MAX_EXT_ID = 255;
const MAX_VALUE = 4000;
const SOURCE = '^(params\\.[A-Za-z_][A-Za-z0-9_]{0,99}|forms\\.[A-Za-z0-9_-]{1,50}\\.[A-Za-z0-9_-]{1,100})$';

const source = (description: string) => Type.String({ maxLength: 200, pattern: SOURCE, description });

export const addUser: StepType = {
  type: NAME,
  about: 'Adds the end user to an identity store, or finds the user with that external id.',
  kind: 'server',
  proves: false,
  links: 'adds',
  voidsFactor: true,
  keeps: { in: 'forms', defaultKey: 'user1', shape: () => objectOf({ userId: TEXT, created: TRUTH }) },
  settings: withStore({
    extId: Type.String({
      ...source('Where to read the external id: `params.<name>` or `forms.<key>.<field>`'),
      default: 'params.userExtId',
    }),
    existing: Type.Optional({
      ...oneOf('link', 'refuse'),
      description:
        'What happens if the external id exists. The default is `link` for a parameter, `refuse` for an input of the end user',
    }),
    attributes: Type.Optional(
      Type.Record(Type.String({ pattern: '^[A-Za-z][A-Za-z0-9_]{0,99}$' }), source('Where to read the value'), {
        maxProperties: MAX_ATTRIBUTES,
        description: 'The attributes of a new user: each name, and where to read its value',
      }),
    ),
    face: Type.Optional(text(1, 50, 'The key of a face step; its face is enrolled for a new user')),
  }),
  references: (step) => {
    const { face } = step as AddUserStep;
    return [...ofStore(step), ...(face ? [{ kind: 'face' as const, name: face, pointer: '/face' }] : [])];
  },
  looks: true,
  async work(request) {
    const { step, state } = request;
    const { key, store, extId: from, existing, attributes = {} } = step as AddUserStep;
    const extId = textAt(from, state)?.trim() ?? '';
    if (extId === '') return notPerformed(NAME, 'identity', 'ext_id_missing');
    if (extId.length > MAX_EXT_ID) return notPerformed(NAME, 'identity', 'ext_id_too_long');
    // The store refuses it, however often the work is tried again.
    if (pathNameFault('/extId', extId)) return notPerformed(NAME, 'identity', 'ext_id_invalid');
    const input = {
      store,
      extId,
      attributes: textsAt(attributes, state),
      before: userIdAt(state, key),
      // An end user must not become another user by typing its external id into a form.
      existing: existing ?? (from.startsWith('params.') ? ('link' as const) : ('refuse' as const)),
    };
    const presented = await presentedFace(request);
    return {
      checks: [],
      async conclude(identity) {
        const actResult = await identity.addUser(input);
        const checks = [checkOf(NAME, actResult)];
        if (actResult.refusal) return { checks };
        const { userId, created } = actResult.done;
        const enrolled = presented && (await enrol(identity, { store, userId, presented, known: !created, request }));
        return { checks: [...checks, ...(enrolled ?? [])], data: { forms: { [key]: actResult.done } } };
      },
    };
  },
};

/** The face to enrol; undefined if the step enrols none, or if the face did not pass its own checks. */
async function presentedFace({ step, steps, state, image, presentFace }: WorkRequest) {
  const { face } = step as AddUserStep;
  if (face === undefined) return undefined;
  const owner = steps.find(({ type, key }) => type === faceStep.type && key === face);
  const passed = owner !== undefined && state.flow.done[owner.id]?.outcome === 'PASSED';
  const selfie = passed ? await image(face, 'image') : undefined;
  return selfie ? presentFace(selfie) : { reason: 'face_not_passed' };
}

type FaceToEnrol = { store: string; userId: string; presented: PresentedFace; known: boolean; request: WorkRequest };

/** An existing user keeps its face, unless the end user has proven in this journey to be that user. */
async function enrol(
  identity: IdentityActs,
  { store, userId, presented, known: isExisting, request }: FaceToEnrol,
): Promise<Check[]> {
  const name = 'faceEnrolment';
  if (isExisting && !isProven(request)) return [...notPerformed(name, 'face', 'not_authenticated').checks];
  if (!presented.template) return [...notPerformed(name, 'face', presented.reason).checks];
  return [checkOf(name, await identity.enrolFace({ store, user: { userId }, presented }), 'face')];
}

function textsAt(attributes: Readonly<Record<string, string>>, state: State): Record<string, string> {
  const values = Object.entries(attributes).flatMap(([name, from]) => {
    const value = textAt(from, state);
    return value === undefined ? [] : [[name, value.slice(0, MAX_VALUE).toWellFormed()] as const];
  });
  return Object.fromEntries(values);
}

function textAt(from: string, { params, data }: State): string | undefined {
  const [kind, first = '', field = ''] = from.split('.');
  if (kind === 'params') return Object.hasOwn(params, first) ? params[first] : undefined;
  const form = Object.hasOwn(data.forms, first) ? data.forms[first] : undefined;
  const value = form && Object.hasOwn(form, field) ? form[field] : undefined;
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
}
