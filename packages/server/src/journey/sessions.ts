import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { api, Body, Ok } from '@grove/contract';
import type { TenantReads, TenantTx } from '../db/db.ts';
import { type WithHeaders, withHeaders } from '../kernel/answers.ts';
import { HOUR, toDtm } from '../kernel/clock.ts';
import type { JourneyPrincipal, SessionState } from '../kernel/context.ts';
import { cookieOf } from '../kernel/cookie-of.ts';
import { ApiError, invalidInput } from '../kernel/errors.ts';
import { isTenantId, newId, type TenantId } from '../kernel/ids.ts';
import type { OpenContext } from '../kernel/implement.ts';
import { nameBrowser } from '../kernel/name-browser.ts';
import { numbersFor } from '../kernel/number-choice.ts';
import { isFinal } from '../process-manager/engine/state.ts';
import type { CodeRow } from '../process-manager/instances/journey-codes.table.ts';
import { hashCode } from '../process-manager/instances/one-time-code.ts';
import { factsOf, type SessionFacts, sealFacts } from '../process-manager/instances/session-facts.ts';
import { type ShownJourney, shownAfter } from '../process-manager/runtime/drive.ts';
import { findCode, removeOffers, takeCode } from './codes.repository.ts';
import { linkExplainer } from './explain-link.ts';
import { handoffState } from './handoff-state.ts';
import type { InstanceRow, JourneyDeps } from './journey-deps.ts';
import { giveUpLinks } from './messages/messages.repository.ts';
import { noteDevice } from './note-device.ts';
import type { DevicePlace } from './place.ts';
import type { ReadJourney } from './read-journey.ts';
import type { RefusedRequests } from './refused-requests.ts';
import { COOKIE, cookieText, hashSecret, oldCookies } from './session-cookies.ts';
import {
  addSession,
  closeUnconfirmed,
  demoteActive,
  findSession,
  quietenSessions,
  removeSession,
  type SessionRow,
  sessionsOf,
  sessionsWithOffers,
  setSessionState,
} from './sessions.repository.ts';
import { takesPictures } from './takes-pictures.ts';

/**
 * Sessions of end users. A one-time code is exchanged for a cookie that opens one instance and nothing else. One session of
 * an instance acts at any time, and the others watch.
 */
export const MAX_SESSIONS_PER_INSTANCE = 20;
const SESSION_MS = 48 * HOUR;
/** After the time for the journey is over, its page can still show that and link back. */
const LAST_LOOK_MS = HOUR;
const SECRET_BYTES = 32;
const CODE = /^([a-z0-9-]{3,40})\.[A-Za-z0-9_-]{1,150}$/;

type SessionInput = Body<typeof api.journey.createSession>;
/** Without a secret, the browser already has this session. */
type OpenedSession = { session: SessionRow; secret?: string; handoff?: Handoff; nextView?: ShownJourney | undefined };
type Handoff = { browser: string; offeredDtm: string; place?: DevicePlace; numbers: number[] };
type Answer = Ok<typeof api.journey.createSession>;

/** Reads the session of a cookie. Every fault of the cookie gets the same answer, so that nobody can probe. */
export function sessionReader(
  { db, clock, tenants }: Pick<JourneyDeps, 'db' | 'clock' | 'tenants'>,
  refusedRequests: RefusedRequests,
) {
  return async (instanceId: string, cookieValue: string): Promise<JourneyPrincipal> => {
    const [, tenantId = '', sessionId = '', secret = ''] = COOKIE.exec(cookieValue) ?? [];
    if (!isTenantId(tenantId)) throw new ApiError(100054);
    const now = clock.now();
    const journey = { tenantId, instanceId };
    const { row, handoff } = await readSession(db.of(tenantId), { instanceId, sessionId, now }).catch(async (error) => {
      await refusedRequests.note(journey, now, error);
      throw error;
    });
    const isGood = timingSafeEqual(row.token_hash, hashSecret(secret)) && row.expires_at > now;
    if (!isGood) throw new ApiError(100054);
    await tenants.ensureActive(tenantId);
    await refusedRequests.save(journey);
    return { tenantId, sessionId, instanceId, state: row.state, handoff };
  };
}

type OwnSession = { instanceId: string; sessionId: string; now: number };

async function readSession(db: TenantReads, { instanceId, sessionId, now }: OwnSession) {
  const sessions = await sessionsWithOffers(db, { instanceId, now });
  const row = sessions.find(({ id }) => id === sessionId);
  if (!row) throw new ApiError(100054);
  return { row, handoff: handoffState(row, sessions, now) };
}

/** The session after a change to the sessions of its instance. */
export async function readAgain(db: TenantReads, session: JourneyPrincipal, now: number): Promise<JourneyPrincipal> {
  const { row, handoff } = await readSession(db, { ...session, now });
  return { ...session, state: row.state, handoff };
}

export function sessionCreator(deps: JourneyDeps, readJourney: ReadJourney) {
  const explain = linkExplainer(deps);
  return async (context: OpenContext, body: SessionInput): Promise<WithHeaders<Answer>> => {
    const now = deps.clock.now();
    const embedded = body.embedded ?? false;
    const visitor = visitorOf(deps, context, body.timeZone);
    const openLink = async () => {
      const { tenantId, open } = opener(deps, context, body);
      await deps.tenants.ensureActive(tenantId);
      const opened = await deps.db.of(tenantId).write(async (tx) => {
        const opened = await open(tx, visitor, now);
        await ensureMayFrame(deps, tx, opened.session, body.embedOrigin);
        tx.afterCommit(() => deps.live.changed(tenantId, opened.session.instance_id));
        return opened;
      });
      await noteDevice(deps, tenantId, opened.session, context.header('cookie') ?? '');
      return { tenantId, ...opened };
    };
    const { tenantId, session, secret, handoff, nextView } = await openLink().catch(async (error) => {
      throw await explain(error, context.hostTenant, body);
    });
    const answer = {
      processInstanceId: session.instance_id,
      expiringDtm: toDtm(session.expires_at),
      ...(handoff && { handoff: { tenantName: await deps.tenants.nameOf(tenantId), ...handoff } }),
      ...(await firstView(deps, readJourney, { tenantId, session, isNew: secret !== undefined, now, nextView })),
    };
    // The machine takes a second to start, and an end user who has just come takes longer to fetch a document.
    if (answer.journey && takesPictures(answer.journey)) deps.vision.warm();
    const cookies = secret === undefined ? [] : [cookieText(deps, tenantId, session, secret, { now, embedded })];
    return withHeaders(answer, { 'set-cookie': [...cookies, ...oldCookies(deps, context.header('cookie'), embedded)] });
  };
}

function visitorOf({ countryHeader, clock }: JourneyDeps, context: OpenContext, timeZone: string | undefined): Visitor {
  const { address, header } = context;
  const country = countryHeader === undefined ? undefined : header(countryHeader);
  return {
    browser: nameBrowser(header('user-agent')),
    facts: factsOf({ address, timeZone, country, now: clock.now() }),
  };
}

/**
 * Ensures that the page around this journey is on the list of its environment, because the requested address may have named
 * another journey than the code opens. A code that is refused here is not spent: the transaction rolls back.
 */
async function ensureMayFrame(
  deps: JourneyDeps,
  tx: TenantTx,
  { instance_id }: SessionRow,
  origin: string | undefined,
) {
  if (origin === undefined) return;
  const instance = await deps.processes.instanceForUpdate(tx, instance_id);
  if (!instance || !(await deps.processes.mayFrame(tx, instance.environment, origin))) throw new ApiError(100240);
}

type FirstVisit = { tenantId: TenantId; isNew: boolean; now: number };

/** The code is already spent, so a failed read must not lose the cookie: the page then reads the journey itself. */
async function firstView(
  deps: JourneyDeps,
  readJourney: ReadJourney,
  { tenantId, session, isNew, now, nextView }: Pick<OpenedSession, 'session' | 'nextView'> & FirstVisit,
): Promise<Pick<Answer, 'journey'>> {
  const { id: sessionId, instance_id: instanceId, state } = session;
  const db = deps.db.of(tenantId);
  try {
    const newSession = { tenantId, sessionId, instanceId, state, handoff: 'NONE' } as const;
    const own = isNew ? newSession : await readAgain(db, newSession, now);
    return { journey: await readJourney({ db, tenantId, now, session: own }, { theme: true, nextView }) };
  } catch (error) {
    deps.onError('could not read an opened journey', error);
    return {};
  }
}

/** The browser and its facts, from the request. */
type Visitor = { browser: string; facts: SessionFacts };
type Open = (tx: TenantTx, visitor: Visitor, now: number) => Promise<OpenedSession>;

/** Opens a session by a one-time code or by a process token, whichever the body has. */
function opener(deps: JourneyDeps, { hostTenant, header }: OpenContext, { code, pt, tn }: SessionInput) {
  if ((code === undefined) === (pt === undefined)) {
    throw invalidInput({ pointer: '/code', message: 'send either `code` or `pt`, not both' });
  }
  if (code !== undefined) {
    const tenantId = CODE.exec(code)?.[1] ?? '';
    if (!isTenantId(tenantId) || (hostTenant ?? tenantId) !== tenantId) throw new ApiError(100055);
    const open: Open = (tx, visitor, now) => redeem(deps, tx, { code, visitor, cookies: header('cookie') ?? '', now });
    return { tenantId, open };
  }
  // An unknown tenant gets the same answer as an unknown token, so that nobody can probe for tenants.
  const tenantId: string = tn ?? hostTenant ?? '';
  if (!isTenantId(tenantId) || (hostTenant ?? tenantId) !== tenantId) throw new ApiError(100021);
  const open: Open = async (tx, visitor, now) => {
    const baseUrl = deps.baseUrlOf(tenantId);
    const { row } = await deps.processes.createFromToken(tx, {
      tokenId: pt as string,
      environment: undefined,
      now,
      baseUrl,
    });
    return start(deps, tx, { instanceId: row.id, visitor, now });
  };
  return { tenantId, open };
}

/** Redeems a code. The request does not name its kind, so each kind is tried; a code is valid for its own kind only. */
async function redeem(
  deps: JourneyDeps,
  tx: TenantTx,
  { code, visitor, cookies, now }: { code: string; visitor: Visitor; cookies: string; now: number },
): Promise<OpenedSession> {
  const hash = hashCode(code);
  const first = await deps.processes.spendStartCode(tx, code, now);
  if (first !== undefined) return start(deps, tx, { instanceId: first, visitor, now });
  // The instance is locked before the code is spent, in the same order as everywhere else (deadlock).
  const storedCode = await findCode(tx, { hash, now });
  const instance = storedCode && (await deps.processes.instanceForUpdate(tx, storedCode.instance_id));
  const takenCode = instance && (await takeCode(tx, { hash, now }));
  if (!takenCode) throw new ApiError(100055);
  if (takenCode.kind === 'RESUME') return start(deps, tx, { instanceId: instance.id, visitor, now });
  return takeUpOffer(deps, tx, { instance, offer: takenCode, visitor, cookies, now });
}

type Arrival = { instanceId: string; visitor: Visitor; now: number };

/** Makes a session for this browser, which acts from now on. The caller has locked the instance. */
async function start(deps: JourneyDeps, tx: TenantTx, { instanceId, visitor, now }: Arrival): Promise<OpenedSession> {
  const [snapshot] = await Promise.all([
    deps.processes.drive.look(tx, instanceId),
    quieten(tx, instanceId),
    makeRoom(tx, instanceId),
    deps.processes.expectNotified(tx),
  ]);
  if (!snapshot) throw new ApiError(100055);
  const { root: instance } = snapshot;
  const opened = await open(tx, { instance, state: 'ACTIVE', visitor, now });
  if (instance.status !== 'PENDING') return opened;
  const applied = await deps.processes.drive.applyTo(tx, snapshot, { type: 'open' }, now);
  return { ...opened, nextView: shownAfter(snapshot, applied) };
}

/** A second device has opened the offer. It sees nothing of the journey until its user has matched the number. */
async function takeUpOffer(
  deps: JourneyDeps,
  tx: TenantTx,
  { instance, offer, visitor, cookies, now }: OfferArrival,
): Promise<OpenedSession> {
  const offering = offer.session_id === null ? undefined : await findSession(tx, { id: offer.session_id });
  if (offering?.state !== 'ACTIVE' || offer.number === null) throw new ApiError(100055);
  // The link may be opened in the browser that requested it. That browser already acts and has nothing to confirm.
  if (holds(cookies, deps.cookieName(instance.id), offering)) return { session: offering };
  if (isFinal(instance.status)) throw new ApiError(100055);
  await makeRoom(tx, instance.id);
  const opened = await open(tx, {
    instance,
    state: 'UNCONFIRMED',
    visitor,
    now,
    offer: { by: offering.id, number: offer.number },
  });
  const numbers = numbersFor(offer.number);
  const devicePlace = offer.place === null ? undefined : (JSON.parse(offer.place) as DevicePlace);
  const handoff = {
    browser: offering.browser,
    offeredDtm: toDtm(offer.created_at),
    ...(devicePlace && { place: devicePlace }),
    numbers,
  };
  return { ...opened, handoff };
}

type OfferArrival = { instance: InstanceRow; offer: CodeRow; visitor: Visitor; cookies: string; now: number };

/** Whether these cookies contain that of the session. */
function holds(cookies: string, name: string, { id, token_hash }: SessionRow): boolean {
  const [, , sessionId, secret = ''] = COOKIE.exec(cookieOf(cookies, name) ?? '') ?? [];
  return sessionId === id && timingSafeEqual(token_hash, hashSecret(secret));
}

type NewSession = {
  instance: InstanceRow;
  state: SessionState;
  visitor: Visitor;
  now: number;
  offer?: { by: string; number: number };
};

async function open(tx: TenantTx, { instance, state, visitor, now, offer }: NewSession): Promise<OpenedSession> {
  const secret = randomBytes(SECRET_BYTES).toString('base64url');
  const id = newId(now);
  const session: SessionRow = {
    id,
    instance_id: instance.id,
    token_hash: hashSecret(secret),
    state,
    browser: visitor.browser,
    offered_by: offer?.by ?? null,
    number: offer?.number ?? null,
    created_at: now,
    expires_at: instance.deadline_at === null ? now + SESSION_MS : Math.max(now, instance.deadline_at) + LAST_LOOK_MS,
    facts: await sealFacts(tx, id, visitor.facts),
  };
  addSession(tx, session);
  return { session, secret };
}

/** Removes sessions beyond the limit: closed ones first, then the oldest, never the acting one. */
async function makeRoom(tx: TenantTx, instanceId: string): Promise<void> {
  const sessions = await sessionsOf(tx, { instanceId });
  const closedFirst = [
    ...sessions.filter(({ state }) => state === 'CLOSED'),
    ...sessions.filter(({ state }) => state !== 'CLOSED' && state !== 'ACTIVE'),
  ];
  const tooMany = sessions.length + 1 - MAX_SESSIONS_PER_INSTANCE;
  for (const { id } of closedFirst.slice(0, Math.max(0, tooMany))) removeSession(tx, { id });
}

/** Ends the acting session and all offers to other devices. The caller has locked the instance. */
async function quieten(tx: TenantTx, instanceId: string): Promise<void> {
  const [offers] = await Promise.all([removeOffers(tx, { instanceId }), quietenSessions(tx, { instanceId })]);
  if (offers > 0) giveUpLinks(tx, { instanceId });
}

/** Makes the session the only acting one. The caller has locked the instance. */
export async function activate(tx: TenantTx, { id, instance_id }: SessionRow): Promise<void> {
  demoteActive(tx, { instanceId: instance_id });
  setSessionState(tx, { id, state: 'ACTIVE' });
  await withdrawOffers(tx, instance_id);
}

/** Returns whether there was anything to withdraw. */
export async function withdrawOffers(tx: TenantTx, instanceId: string): Promise<boolean> {
  const [offers, waiting] = await Promise.all([removeOffers(tx, { instanceId }), closeUnconfirmed(tx, { instanceId })]);
  if (offers > 0) giveUpLinks(tx, { instanceId });
  return offers + waiting > 0;
}
