import type { JourneyContext } from '../kernel/context.ts';
import { ApiError } from '../kernel/errors.ts';
import { isFinal } from '../process-manager/engine/state.ts';
import { STATUS_MAPPED } from '../process-manager/instances/instance-view.ts';
import type { Look } from '../process-manager/runtime/drive.ts';
import { fillAddress, withOutcome } from './build-redirect.ts';
import { handoffState } from './handoff-state.ts';
import type { JourneyDeps } from './journey-deps.ts';
import { findSession } from './sessions.repository.ts';
import { type Journey, namesOfAttempt, showJourney, showUnconfirmed } from './show-journey.ts';
import { asksForPicture } from './takes-pictures.ts';

/** Where a journey stands, as the browser of one session may see it; with its look and its words for who wants them. */
export type ReadJourney = (context: Reading, wanted?: { theme?: boolean | undefined }) => Promise<Journey>;
type Reading = Pick<JourneyContext, 'db' | 'tenantId' | 'session' | 'now'>;

export function reader(deps: JourneyDeps): ReadJourney {
  return async ({ db, tenantId, session, now }, { theme = false } = {}) => {
    // The session is read again: what has just been done may have changed it.
    const own = await findSession(db, session.sessionId);
    if (!own) throw new ApiError(100054);
    const look = await deps.processes.drive.look(db, session.instanceId);
    if (!look) throw new ApiError(100022);
    const { environment } = look.root;
    const tenantName = await deps.tenants.nameOf(tenantId);
    const dress = theme ? await deps.themes.lookOf(db, environment, look.definition.definition.theme) : undefined;
    if (own.state === 'UNCONFIRMED') return { ...showUnconfirmed(look, { tenantId, tenantName }), ...dress };
    // Who only follows along on another device is shown that the journey goes on, and no step.
    if (own.state === 'ACTIVE') await seen(deps, db, look, now);
    const device = { active: own.state === 'ACTIVE', handoff: await handoffState(db, own, now) };
    const { current } = look.state.flow;
    const images =
      current?.phase === 'user' ? namesOfAttempt(await deps.processes.imagesOf(db, look.instance.id), current) : [];
    const redirectUrl = isFinal(look.root.status) ? await redirectOf(deps, db, look) : undefined;
    const homeUrl =
      isFinal(look.root.status) && redirectUrl === undefined ? await deps.processes.homeOf(db) : undefined;
    const shown = showJourney(look, { tenantId, tenantName, device, images, redirectUrl, homeUrl });
    // By the time that there is one, what decodes it is there.
    if (device.active && asksForPicture(shown)) deps.images.warm();
    const messages = isFinal(look.root.status) ? undefined : await deps.messages.known(db, look.root, now);
    return { ...(await withPageUrl(deps, db, environment, shown)), ...dress, ...(messages && { messages }) };
  };
}

/** That it was seen is good to know; nobody is kept from their journey because it cannot be written down. */
async function seen(deps: JourneyDeps, db: JourneyContext['db'], look: Look, now: number): Promise<void> {
  try {
    await deps.processes.seeStep(db, look, now);
  } catch (error) {
    deps.onError('could not record step view', error);
  }
}

/** Of a page of the tenant's own, the version that is deployed now. */
async function withPageUrl(
  deps: JourneyDeps,
  db: JourneyContext['db'],
  environment: Look['root']['environment'],
  journey: Journey,
): Promise<Journey> {
  const { step } = journey;
  if (step?.type !== 'customPage') return journey;
  const url = await deps.themes.pageUrl(db, environment, step.settings.page as string);
  return { ...journey, step: { ...step, settings: { ...step.settings, ...(url !== undefined && { url }) } } };
}

/** The list of the tenant counts as it is now, not as it was when the address was given. */
async function redirectOf(
  deps: JourneyDeps,
  db: JourneyContext['db'],
  { root, definition }: Look,
): Promise<string | undefined> {
  const { _redirectUrl, timeoutRedirectUrl } = JSON.parse(root.parameters) as Record<string, string | undefined>;
  const byTime =
    root.status === 'COMPLETED_TERMINATED' &&
    timeoutRedirectUrl !== undefined &&
    (await deps.processes.endReason(db, root.id)) !== 'abandoned';
  const template = byTime ? timeoutRedirectUrl : _redirectUrl;
  if (!template) return undefined;
  const address = fillAddress(template, root, definition.definition.processDefinitionType);
  if (!(await deps.processes.redirectAllowed(db, root.environment, address))) return undefined;
  return withOutcome(address, { processInstanceId: root.id, status: STATUS_MAPPED[root.status] });
}
