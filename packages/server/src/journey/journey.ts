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
 * What the end user's browser calls: it asks what comes next, shows it, and sends back what was done. Nothing about the
 * order of the steps is known to the browser, and nothing that it says about itself is believed.
 */
export type Journeys = {
  handlers: { journey: Handlers<typeof api.journey>; processServer: Handlers<typeof api.processServer> };
  /** For the guard: the session that the cookie belongs to. Refuses with 100054. */
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
    get: (context, { query }) => readJourney(open(context), query),
    async submitStep(context, { params, body }) {
      const nextView = await submit(acting(context), params.stepId, body);
      return readJourney(context, { nextView });
    },
    async repeatStep(context, { params, body }) {
      const nextView = await repeat(acting(context), params.stepId, body.revision);
      return readJourney(context, { nextView });
    },
    getSimulation: (context) => simulation.get(acting(context)),
    simulate: (context, { body }) => simulation.set(acting(context), body.scenario),
    uploadImage: (context, { params, body }) => upload(acting(context), params, body),
    getImage: (context, { params }) => showImage(acting(context), params),
    createChallenge: (context, { params, body }) => challenges.start(acting(context), params.stepId, body),
    sendFrame: (context, input) => challenges.sendFrame(acting(context), input),
    async leaveStep(context, { params }) {
      await leave(acting(context), params.stepId);
      return undefined;
    },
    beginStep: (context, { params, body }) => beginStep(acting(context), params.stepId, body),
    watch: (context) => watch({ drive, live, now: () => clock.now() }, context.db, open(context).session),
    async abandon(context) {
      await abandon(acting(context));
      return readJourney(context);
    },
    offerHandoff: (context, { body }) => offer(open(context), body),
    sendHandoff: (context, { body }) => send(open(context), body),
    tellWhenDecided: (context, { body }) => tell(open(context), body),
    async confirmHandoff(context, { body }) {
      await confirm(context, body.number);
      return readJourney(await withSession(context));
    },
    async denyHandoff(context) {
      await deny(context);
      return undefined;
    },
    async takeBack(context) {
      await takeBack(open(context));
      return readJourney(await withSession(context));
    },
  });
}

/** Who acts has just changed. */
async function withSession(context: JourneyContext): Promise<JourneyContext> {
  return { ...context, session: await readAgain(context.db, context.session, context.now) };
}

/** A session that was turned away may learn that there is no hand-off for it, and nothing else. */
function open(context: JourneyContext): JourneyContext {
  if (context.session.state === 'CLOSED') throw new ApiError(100054);
  return context;
}

/** Checked before the body is read, and again in the transaction, because it may change in between. */
function acting(context: JourneyContext): JourneyContext {
  if (open(context).session.state !== 'ACTIVE') throw new ApiError(100058);
  return context;
}

type Beginning = Ok<typeof api.journey.beginStep>;
type BeginInput = Body<typeof api.journey.beginStep>;

/**
 * Has a step make what its page needs, such as a challenge for a passkey. If the store refuses, the step is over, and
 * why is not for a browser to know: the journey says how it goes on.
 */
function stepBeginner(deps: JourneyDeps) {
  return (context: JourneyContext, stepId: string, { anew = false }: BeginInput = {}): Promise<Beginning> =>
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
