import { api, type Body, type ErrorCode } from '@grove/contract';
import type { Context } from '../../kernel/context.ts';
import { ApiError } from '../../kernel/errors.ts';
import { type Handler, implement, prepared } from '../../kernel/implement.ts';
import { Refusal } from '../attempts/refusal.ts';
import type { IdentityCore } from '../identity-core.ts';
import { getActiveStore, getStore } from '../stores/find-store.ts';
import { getUser, getUserForUpdate, givenUserRef } from '../users/find-user.ts';
import type { User } from '../users/user-view.ts';
import { type FaceAttempt, faceAuthenticator, foreseenFault } from './authenticate-face.ts';
import { faultOfAlgorithm, faultOfMatch, faultOfSubtype, faultOfType } from './biometric-rules.ts';
import { setFaceStatus } from './biometrics.repository.ts';
import { type Enrolment, faceEnroller } from './enrol-face.ts';
import { facePresenter, type Presented, type PresentFaceDeps } from './present-face.ts';
import { summarizeBiometrics } from './summarize-biometrics.ts';

/** Biometrics of users: enrolment, face authentication and failures seen elsewhere (specification 4.10). */
type Operations = typeof api.biometrics;
type Named = { readonly storeName: string };

const RETRY_AFTER_SECONDS = 5;

export function openBiometrics(core: IdentityCore, deps: PresentFaceDeps) {
  core.summarize('biometrics', summarizeBiometrics, ['user_biometrics']);
  const { algorithm } = deps.faces;
  const present = facePresenter(deps);
  const presentedBy = async ({ tenantId, principal }: Context, data: string) => {
    const share = { tenant: tenantId, sender: principal.callerId };
    return seen(await present.ofData(data, principal.environment, share));
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
        const asked = { storeName: params.storeName, user: givenUserRef(params), matching };
        const foreseen = await foreseenOf(context, params);
        const fault = faultOfMatch(body, algorithm) ?? foreseen;
        if (fault) return { ...asked, fault };
        return { ...asked, presented: await presentedBy(context, body.data as string) };
      },
      async (context, _input, asked) => {
        const { authenticationId, user, result } = await authenticate(context, asked);
        return { authenticationId, score: result.score, user };
      },
    ),
  });

  return { handlers, ceremonies: { presentFace: present.ofImage, enrol, authenticate } };
}

export type FaceCeremonies = ReturnType<typeof openBiometrics>['ceremonies'];

async function foreseenOf(context: Context, params: Named): Promise<ErrorCode | undefined> {
  const { db, now } = context;
  const store = await getActiveStore(db, context, params.storeName);
  return foreseenFault(db, await getUser(db, store.id, givenUserRef(params)), now);
}

/** A machine that is not there has seen nothing, and so refuses nobody. */
function seen(presented: Presented): Presented {
  if (presented.template === undefined && presented.reason === 'engine_not_available') {
    throw new ApiError(100010, {
      detail: 'image analysis is switched off on this server',
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    });
  }
  return presented;
}

/** A failure that was seen elsewhere is counted as one seen here; that it was refused is what was asked for. */
async function recorded(attempt: () => Promise<unknown>): Promise<User> {
  try {
    await attempt();
  } catch (error) {
    if (!(error instanceof ApiError) || !error.detail.user) throw error;
    return error.detail.user as User;
  }
  throw new Error('a failure that was recorded has succeeded');
}

type Updating = {
  present(context: Context, data: string): Promise<Presented>;
  enrol: ReturnType<typeof faceEnroller>;
  algorithm: string;
};

/** A face to keep, or only whether the one that is kept may be used. */
type Update = Enrolment | { readonly onlyStatus: 'ACTIVE' | 'DISABLED' };

function updateHandler(core: IdentityCore, { present, enrol, algorithm }: Updating): Handler<Operations['update']> {
  return prepared<Operations['update'], Update>(
    async (context, { params, body }) => {
      const { data, status } = body;
      const fault = faultOfUpdate(params.type, body, algorithm);
      if (!fault && !data && status) return { onlyStatus: status };
      const asked = { storeName: params.storeName, user: givenUserRef(params), status: status ?? 'ACTIVE' };
      // Nobody looks at a picture for a user that is not there.
      const store = await getActiveStore(context.db, context, params.storeName);
      await getUser(context.db, store.id, asked.user);
      if (fault || !data) return { ...asked, fault: fault ?? 20114 };
      return { ...asked, presented: await present(context, data) };
    },
    (context, { params }, asked) =>
      'onlyStatus' in asked ? changeStatus(core, context, params, asked.onlyStatus) : enrol(context, asked),
  );
}

function faultOfUpdate(
  type: string,
  { subtype, algorithm }: Body<Operations['update']>,
  known: string,
): ErrorCode | undefined {
  const unknown = algorithm === undefined ? undefined : faultOfAlgorithm(algorithm, known);
  return faultOfType(type) ?? faultOfSubtype(subtype) ?? unknown;
}

function changeStatus(
  core: IdentityCore,
  context: Context,
  params: Named,
  status: 'ACTIVE' | 'DISABLED',
): Promise<User> {
  const { now } = context;
  return context.db.write(async (tx) => {
    const store = await getStore(tx, context, params.storeName);
    const user = await getUserForUpdate(tx, store.id, givenUserRef(params));
    // Of a face that is not there nothing can be disabled; what is missing is the face.
    if (!(await setFaceStatus(tx, user.id, { status, now }))) {
      throw new ApiError(20114, { user: await core.userView(tx, user, now) });
    }
    const told = { environment: store.environment, storeName: store.name, userId: user.id, now };
    await core.addIdentityEvent(tx, { ...told, type: 'identity.biometricUpdated', modality: 'FACE' });
    return core.userView(tx, user, now);
  });
}
