import { api, type Body, type ErrorCode } from '@grove/contract';
import type { TenantReads } from '../../db/db.ts';
import { toDtm } from '../../kernel/clock.ts';
import type { Context } from '../../kernel/context.ts';
import { ApiError } from '../../kernel/errors.ts';
import { type Handler, implement, prepared } from '../../kernel/implement.ts';
import type { PresentedFace } from '../../process-manager/engine/steps/identity-acts.ts';
import { Refusal } from '../attempts/refusal.ts';
import type { IdentityCore } from '../identity-core.ts';
import { getActiveStore, getStore } from '../stores/find-store.ts';
import { getUser, getUserForUpdate, givenUserRef } from '../users/find-user.ts';
import type { SummaryInfo, User } from '../users/user-view.ts';
import { type FaceAttempt, faceAuthenticator, foreseenFault } from './authenticate-face.ts';
import { faultOfAlgorithm, faultOfMatch, faultOfSubtype, faultOfType } from './biometric-rules.ts';
import { biometricsOf, setFaceStatus } from './biometrics.repository.ts';
import { type Enrolment, faceEnroller } from './enrol-face.ts';
import { facePresenter, type PresentFaceDeps } from './present-face.ts';

/**
 * Biometrics of users: enrolment, face authentication, and recording of failures that happened elsewhere (specification
 * 4.10).
 */
type Operations = typeof api.biometrics;
type UserParams = { readonly storeName: string };

const RETRY_AFTER_SECONDS = 5;

export function openBiometrics(core: IdentityCore, deps: PresentFaceDeps) {
  core.summarize('biometrics', summarizeBiometrics, ['user_biometrics']);
  const { algorithm } = deps.faces;
  const present = facePresenter(deps);
  const presentedBy = async ({ tenantId, principal }: Context, data: string) => {
    const share = { tenant: tenantId, sender: principal.callerId };
    return requireEngine(await present.ofData(data, principal.environment, share));
  };
  const enrol = faceEnroller(core);
  const authenticate = faceAuthenticator(core, present.compare);

  const handlers = implement(api.biometrics, {
    update: updateHandler(core, { present: presentedBy, enrol, algorithm }),

    recordFailure(context, { params, body }) {
      const unknown = faultOfType(body.type);
      if (unknown) throw new ApiError(unknown);
      return recorded(() =>
        core.attempt(context, {
          storeName: params.storeName,
          modality: 'FACE',
          find: givenUserRef(params),
          async run() {
            throw new Refusal(100140, { counts: true });
          },
        }),
      );
    },

    authenticateFace: prepared<Operations['authenticateFace'], FaceAttempt>(
      async (context, { params, body }) => {
        const { matchingProcess: matching = {} } = body;
        const input = { storeName: params.storeName, user: givenUserRef(params), matching };
        const foreseen = await foreseenOf(context, params);
        const fault = faultOfMatch(body, algorithm) ?? foreseen;
        if (fault) return { ...input, fault };
        return { ...input, presented: await presentedBy(context, body.data as string) };
      },
      async (context, _input, input) => {
        const { authenticationId, user, result } = await authenticate(context, input);
        return { authenticationId, score: result.score, user };
      },
    ),
  });

  return { handlers, ceremonies: { presentFace: present.ofImage, enrol, authenticate } };
}

export type FaceCeremonies = ReturnType<typeof openBiometrics>['ceremonies'];

async function foreseenOf(context: Context, params: UserParams): Promise<ErrorCode | undefined> {
  const { db, now } = context;
  const store = await getActiveStore(db, context, params.storeName);
  return foreseenFault(db, await getUser(db, store.id, givenUserRef(params)), now);
}

/** Throws if image analysis is switched off: then no user may be refused because of the face. */
function requireEngine(presented: PresentedFace): PresentedFace {
  if (presented.template === undefined && presented.reason === 'engine_not_available') {
    throw new ApiError(100010, {
      detail: 'image analysis is switched off on this server',
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    });
  }
  return presented;
}

/** Records a failure that happened elsewhere. It counts like a failure here, so the refusal is the expected result. */
async function recorded(attempt: () => Promise<unknown>): Promise<User> {
  try {
    await attempt();
  } catch (error) {
    if (!(error instanceof ApiError) || !error.detail.user) throw error;
    return error.detail.user as User;
  }
  throw new Error('a failure that was recorded has succeeded');
}

type UpdateDeps = {
  present(context: Context, data: string): Promise<PresentedFace>;
  enrol: ReturnType<typeof faceEnroller>;
  algorithm: string;
};

/** A new face to store, or a new status for the stored face. */
type Update = Enrolment | { readonly onlyStatus: 'ACTIVE' | 'DISABLED' };

function updateHandler(core: IdentityCore, { present, enrol, algorithm }: UpdateDeps): Handler<Operations['update']> {
  return prepared<Operations['update'], Update>(
    async (context, { params, body }) => {
      const { data, status } = body;
      const fault = faultOfUpdate(params.type, body, algorithm);
      if (!fault && !data && status) return { onlyStatus: status };
      const input = { storeName: params.storeName, user: givenUserRef(params), status: status ?? 'ACTIVE' };
      // Checked first, so that no image is analysed for an unknown user.
      const store = await getActiveStore(context.db, context, params.storeName);
      await getUser(context.db, store.id, input.user);
      if (fault || !data) return { ...input, fault: fault ?? 20114 };
      return { ...input, presented: await present(context, data) };
    },
    (context, { params }, input) =>
      'onlyStatus' in input ? changeStatus(core, context, params, input.onlyStatus) : enrol(context, input),
  );
}

function faultOfUpdate(
  type: string,
  { subtype, algorithm }: Body<Operations['update']>,
  ownAlgorithm: string,
): ErrorCode | undefined {
  const unknown = algorithm === undefined ? undefined : faultOfAlgorithm(algorithm, ownAlgorithm);
  return faultOfType(type) ?? faultOfSubtype(subtype) ?? unknown;
}

function changeStatus(
  core: IdentityCore,
  context: Context,
  params: UserParams,
  status: 'ACTIVE' | 'DISABLED',
): Promise<User> {
  const { now } = context;
  return context.db.write(async (tx) => {
    const store = await getStore(tx, context, params.storeName);
    const user = await getUserForUpdate(tx, store.id, givenUserRef(params));
    // Without a stored face its status cannot change: the response says that the face is missing.
    if (!(await setFaceStatus(tx, { userId: user.id, status, now }))) {
      throw new ApiError(20114, { user: await core.userView(tx, user, now) });
    }
    const eventFields = { environment: store.environment, storeName: store.name, userId: user.id, now };
    await core.addIdentityEvent(tx, { ...eventFields, type: 'identity.biometricUpdated', modality: 'FACE' });
    return core.userView(tx, user, now);
  });
}

/** Returns the faces of users for their `summaryInfo`: only that a face exists, never its template. */
async function summarizeBiometrics(
  db: TenantReads,
  userIds: readonly string[],
): Promise<ReadonlyMap<string, SummaryInfo['biometrics']>> {
  const summaries = new Map<string, SummaryInfo['biometrics']>();
  for (const { user_id, type, status, last_updated_at } of await biometricsOf(db, userIds)) {
    const those = summaries.get(user_id) ?? [];
    those.push({ type, status, lastUpdatedDtm: toDtm(last_updated_at) });
    summaries.set(user_id, those);
  }
  return summaries;
}
