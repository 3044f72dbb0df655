import type { JourneyContext } from '../kernel/context.ts';
import { ApiError } from '../kernel/errors.ts';
import { isFinal } from '../process-manager/engine/state.ts';
import { STATUS_MAPPED } from '../process-manager/instances/instance-view.ts';
import type { ShownJourney, Snapshot } from '../process-manager/runtime/drive.ts';
import type { InstanceRow, JourneyDeps } from './journey-deps.ts';
import { type Journey, namesOfAttempt, showJourney, showUnconfirmed } from './show-journey.ts';
import { asksForPicture } from './takes-pictures.ts';

/** The journey as the browser of one session may see it, with its theme and texts on request. */
export type ReadJourney = (context: ReadContext, options?: ReadOptions) => Promise<Journey>;
/** `nextView` is the journey after a transaction of the caller, which has recorded its step as shown. */
type ReadOptions = { theme?: boolean | undefined; nextView?: ShownJourney | undefined };
type ReadContext = Pick<JourneyContext, 'db' | 'tenantId' | 'session' | 'now'>;

export function reader(deps: JourneyDeps): ReadJourney {
  return async ({ db, tenantId, session, now }, { theme = false, nextView } = {}) => {
    const snapshot = nextView ?? (await look(deps, { db, session, now }));
    const { environment } = snapshot.root;
    const tenantName = await deps.tenants.nameOf(tenantId);
    const dress = theme ? await deps.themes.lookOf(db, environment, snapshot.definition.definition.theme) : undefined;
    if (session.state === 'UNCONFIRMED') {
      // An attacker with a stolen link must not learn how the journey ended.
      if (isFinal(snapshot.root.status)) throw new ApiError(100054);
      return { ...showUnconfirmed(snapshot, { tenantId, tenantName }), ...dress };
    }
    const device = { active: session.state === 'ACTIVE', handoff: session.handoff };
    const images = imagesOfStep(snapshot);
    const redirectUrl = isFinal(snapshot.root.status) ? await redirectOf(deps, db, snapshot) : undefined;
    const homeUrl =
      isFinal(snapshot.root.status) && redirectUrl === undefined ? await deps.processes.homeOf(db) : undefined;
    const journey = showJourney(snapshot, { tenantId, tenantName, device, images, redirectUrl, homeUrl });
    // Starts the decoder now, so that it is ready when the picture arrives.
    if (device.active && asksForPicture(journey)) deps.images.warm();
    const messages = isFinal(snapshot.root.status) ? undefined : await deps.messages.known(db, snapshot.root, now);
    return { ...(await withPageUrl(deps, db, environment, journey)), ...dress, ...(messages && { messages }) };
  };
}

async function look(deps: JourneyDeps, { db, session, now }: Omit<ReadContext, 'tenantId'>): Promise<ShownJourney> {
  const snapshot = await deps.processes.drive.look(db, session.instanceId);
  if (!snapshot) throw new ApiError(100022);
  // A watching session sees no step, so nothing is recorded.
  if (session.state === 'ACTIVE') await noteView(deps, db, snapshot, now);
  return snapshot;
}

/** The names of the images of the current attempt. */
function imagesOfStep({ state, images }: ShownJourney): string[] {
  const { current } = state.flow;
  return current?.phase === 'user' ? namesOfAttempt(images, current) : [];
}

/** Records that the step was shown. A failure is logged and does not stop the journey. */
async function noteView(deps: JourneyDeps, db: JourneyContext['db'], snapshot: Snapshot, now: number): Promise<void> {
  try {
    await deps.processes.seeStep(db, snapshot, now);
  } catch (error) {
    deps.onError('could not record step view', error);
  }
}

/** Adds the address of the deployed version to a step with a custom page. */
async function withPageUrl(
  deps: JourneyDeps,
  db: JourneyContext['db'],
  environment: ShownJourney['root']['environment'],
  journey: Journey,
): Promise<Journey> {
  const { step } = journey;
  if (step?.type !== 'customPage') return journey;
  const url = await deps.themes.pageUrl(db, environment, step.settings.page as string);
  return { ...journey, step: { ...step, settings: { ...step.settings, ...(url !== undefined && { url }) } } };
}

/** Reasons of an end that was not a timeout. */
const ENDED_BY_SOMEBODY: ReadonlySet<string | undefined> = new Set(['abandoned', 'cancelled']);

/** The redirect address, checked against the tenant's list as it is now. */
async function redirectOf(
  deps: JourneyDeps,
  db: JourneyContext['db'],
  { root, definition }: ShownJourney,
): Promise<string | undefined> {
  const { _redirectUrl, timeoutRedirectUrl } = JSON.parse(root.parameters) as Record<string, string | undefined>;
  const byTime =
    root.status === 'COMPLETED_TERMINATED' &&
    timeoutRedirectUrl !== undefined &&
    !ENDED_BY_SOMEBODY.has(await deps.processes.endReason(db, root.id));
  const template = byTime ? timeoutRedirectUrl : _redirectUrl;
  if (!template) return undefined;
  const address = fillAddress(template, root, definition.definition.processDefinitionType);
  if (!(await deps.processes.redirectAllowed(db, root.environment, address))) return undefined;
  return withQuery(address, { processInstanceId: root.id, status: STATUS_MAPPED[root.status] });
}

type NamedInstance = Pick<InstanceRow, 'id' | 'definition_id' | 'process_defn_name' | 'process_defn_version'>;

/** Fills in the placeholders, encoded so that a value cannot change the structure of the address. */
export function fillAddress(template: string, instance: NamedInstance, definitionType: string): string {
  const values = new Map<string, string | number>([
    ['PROCESS_INSTANCE_ID', instance.id],
    ['PROCESS_DNF_ID', instance.definition_id],
    ['PROCESS_DNF_NAME', instance.process_defn_name],
    ['PROCESS_DNF_VERSION', instance.process_defn_version],
    ['PROCESS_DNF_TYPE', definitionType],
  ]);
  return template.replace(/\{([A-Z_]+)\}/g, (whole, name: string) => {
    const value = values.get(name);
    return value === undefined ? whole : encodeURIComponent(value);
  });
}

/** Adds parameters to the query. The rest of the address stays exactly as it was written. */
export function withQuery(address: string, parameters: Record<string, string>): string {
  const at = address.indexOf('#');
  const [base, fragment] = at < 0 ? [address, ''] : [address.slice(0, at), address.slice(at)];
  return `${base}${base.includes('?') ? '&' : '?'}${new URLSearchParams(parameters)}${fragment}`;
}
