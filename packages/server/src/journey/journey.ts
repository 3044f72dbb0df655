import type { Body, Ok } from '@grove/contract';
import { api } from '@grove/contract';
import type { JourneyContext, JourneyPrincipal } from '../kernel/context.ts';
import { ApiError } from '../kernel/errors.ts';
import { type Handlers, implement } from '../kernel/implement.ts';
import { challengeHandlers } from './challenges.ts';
import { handoffs } from './handoffs.ts';
import type { JourneyDeps } from './journey-deps.ts';
import { processServerHandlers } from './process-server.ts';
import { reader } from './read-journey.ts';
import { openRefusedRequests, type RefusedRequests } from './refused-requests.ts';
import { readAgain, sessionCreator, sessionReader } from './sessions.ts';
import { imageShower } from './show-image.ts';
import { simulations } from './simulate.ts';
import { currentUserStep, ensureApplied, lockToTell, stepHandlers } from './steps.ts';
import { imageUploader } from './upload-image.ts';
import { watch } from './watch.ts';

/**
 * The operations that the end user's browser calls: it reads the next step, shows it and sends the result. The browser does
 * not know the order of the steps, and nothing that it reports about itself is trusted.
 */
export type Journeys = {
  handlers: { journey: Handlers<typeof api.journey>; processServer: Handlers<typeof api.processServer> };
  /** The session of a cookie, for the guard. Refuses with 100054. */
  journeySession(instanceId: string, cookieValue: string): Promise<JourneyPrincipal>;
  /** Ends all event streams, which a server that stops would wait for. */
  stop(): void;
};

export function openJourney(deps: JourneyDeps): Journeys {
  const refusedRequests = openRefusedRequests(deps);
  return {
    handlers: { journey: journeyHandlers(deps, refusedRequests), processServer: processServerHandlers(deps) },
    journeySession: sessionReader(deps, refusedRequests),
    stop: () => deps.live.stop(),
  };
}

function journeyHandlers(deps: JourneyDeps, refusedRequests: RefusedRequests): Handlers<typeof api.journey> {
  const { clock, live } = deps;
  const { drive } = deps.processes;
  const readJourney = reader(deps);
  const createSession = sessionCreator(deps, readJourney);
  const { offer, send, tell, confirm, deny, takeBack } = handoffs(deps);
  const { submit, repeat, leave, abandon } = stepHandlers(deps);
  const upload = imageUploader(deps);
  const showImage = imageShower(deps);
  const challenges = challengeHandlers(deps, refusedRequests);
  const beginStep = stepBeginner(deps);
  const simulation = simulations(deps);

  return implement(api.journey, {
    createSession: (context, { body }) => createSession(context, body),
    get: (context, { query }) => readJourney(ensureOpen(context), query),
    async submitStep(context, { params, body }) {
      const nextView = await submit(ensureActing(context), params.stepId, body);
      return readJourney(context, { nextView });
    },
    async repeatStep(context, { params, body }) {
      const nextView = await repeat(ensureActing(context), params.stepId, body.revision);
      return readJourney(context, { nextView });
    },
    getSimulation: (context) => simulation.get(ensureActing(context)),
    simulate: (context, { body }) => simulation.set(ensureActing(context), body.scenario),
    uploadImage: (context, { params, body }) => upload(ensureActing(context), params, body),
    getImage: (context, { params }) => showImage(ensureActing(context), params),
    createChallenge: (context, { params, body }) => challenges.start(ensureActing(context), params.stepId, body),
    sendFrame: (context, input) => challenges.sendFrame(ensureActing(context), input),
    async leaveStep(context, { params }) {
      await leave(ensureActing(context), params.stepId);
      return undefined;
    },
    beginStep: (context, { params, body }) => beginStep(ensureActing(context), params.stepId, body),
    watch: (context) => watch({ drive, live, now: () => clock.now() }, context.db, ensureOpen(context).session),
    async abandon(context) {
      await abandon(ensureActing(context));
      return readJourney(context);
    },
    offerHandoff: (context, { body }) => offer(ensureOpen(context), body),
    sendHandoff: (context, { body }) => send(ensureOpen(context), body),
    tellWhenDecided: (context, { body }) => tell(ensureOpen(context), body),
    async confirmHandoff(context, { body }) {
      await confirm(context, body.number);
      return readJourney(await withSession(context));
    },
    async denyHandoff(context) {
      await deny(context);
      return undefined;
    },
    async takeBack(context) {
      await takeBack(ensureOpen(context));
      return readJourney(await withSession(context));
    },
  });
}

/** The context with the session as it is after a change of the acting device. */
async function withSession(context: JourneyContext): Promise<JourneyContext> {
  return { ...context, session: await readAgain(context.db, context.session, context.now) };
}

/** Ensures that the session is not closed: a closed one may only read that there is no hand-off. */
function ensureOpen(context: JourneyContext): JourneyContext {
  if (context.session.state === 'CLOSED') throw new ApiError(100054);
  return context;
}

/** Ensures that the session acts. The transaction checks it again, because it may change in between. */
function ensureActing(context: JourneyContext): JourneyContext {
  if (ensureOpen(context).session.state !== 'ACTIVE') throw new ApiError(100058);
  return context;
}

type StepStart = Ok<typeof api.journey.beginStep>;
type BeginInput = Body<typeof api.journey.beginStep>;

/**
 * Makes the settings that the page of a step needs, such as a challenge for a passkey. If the store refuses, the step ends;
 * the browser learns no reason, only how the journey continues.
 */
function stepBeginner(deps: JourneyDeps) {
  return (context: JourneyContext, stepId: string, { anew = false }: BeginInput = {}): Promise<StepStart> =>
    context.db.write(async (tx) => {
      const snapshot = await lockToTell(deps, tx, context);
      currentUserStep(snapshot, stepId);
      const settings = await deps.processes.beginStep(tx, snapshot, { now: context.now, anew });
      if (settings) return { begun: true, settings: { ...settings } };
      const empty = { type: 'submit', step: stepId, result: {}, images: [] } as const;
      ensureApplied(await deps.processes.drive.apply(tx, snapshot.instance.id, empty, context.now));
      return { begun: false, settings: {} };
    });
}
