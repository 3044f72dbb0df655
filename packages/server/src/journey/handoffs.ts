import type { api, Body, Ok } from '@grove/contract';
import type { TenantTx } from '../db/db.ts';
import { toDtm } from '../kernel/clock.ts';
import type { JourneyContext } from '../kernel/context.ts';
import { ApiError } from '../kernel/errors.ts';
import { bindDeps } from '../kernel/implement.ts';
import { newNumber } from '../kernel/number-choice.ts';
import { isFinal } from '../process-manager/engine/state.ts';
import { redirectAddress, startAddress } from '../process-manager/instances/journey-addresses.ts';
import { hashCode, newOfferCode } from '../process-manager/instances/one-time-code.ts';
import { addCode } from './codes.repository.ts';
import { isFresh, OFFER_MS } from './handoff-state.ts';
import type { InstanceRow, JourneyDeps } from './journey-deps.ts';
import { type DevicePlace, placeOf } from './place.ts';
import { findSession, type SessionRow, sessionsOf, setSessionState } from './sessions.repository.ts';
import { activate, withdrawOffers } from './sessions.ts';

/**
 * Hand-offs to another device. The first device offers a code and shows a number; the user of the other device must choose
 * that number and has one try, so that a stolen code is not enough. Every change locks the instance, so that only one device
 * acts at any time.
 */
type Offer = Ok<typeof api.journey.offerHandoff>;
type SentHandoff = Ok<typeof api.journey.sendHandoff>;
type OfferInput = Body<typeof api.journey.offerHandoff>;
type SendInput = Body<typeof api.journey.sendHandoff>;
type NoticeInput = Body<typeof api.journey.tellWhenDecided>;

export function handoffs(deps: JourneyDeps) {
  return bindDeps(deps, { offer, send, tell, confirm, deny, takeBack });
}

async function offer(deps: JourneyDeps, context: JourneyContext, { timeZone }: OfferInput): Promise<Offer> {
  const offeredFrom = await placeFor(deps, context, timeZone);
  return withLock(deps, context, async (tx, own, instance) => {
    const { code, number, expiresAt } = await makeOffer(tx, own, instance, { offeredFrom, now: context.now });
    const url = redirectAddress(instance.ui_url, deps.baseUrlOf(tx.tenantId), instance.id, code);
    return { url, number, expiringDtm: toDtm(expiresAt) };
  });
}

/** Sends a new link, which only its recipient may know. */
async function send(
  deps: JourneyDeps,
  context: JourneyContext,
  { channel, to, language, timeZone }: SendInput,
): Promise<SentHandoff> {
  const queue = await deps.messages.queueFor(channel);
  const offeredFrom = await placeFor(deps, context, timeZone);
  return withLock(deps, context, async (tx, own, instance) => {
    const { code, number, expiresAt } = await makeOffer(tx, own, instance, { offeredFrom, now: context.now });
    const base = deps.baseUrlOf(tx.tenantId);
    const url = redirectAddress(instance.ui_url, base, instance.id, code);
    // The short address leads to the same page and is easier to read on a small screen.
    const link = instance.ui_url ? url : startAddress(base, instance.id, code);
    const message = { kind: 'HANDOFF', to, language, network: context.address, url: link, expiresAt } as const;
    const { sentTo } = await queue(tx, instance, message, context.now);
    return { url, number, expiringDtm: toDtm(expiresAt), sentTo };
  });
}

/** Sends word when the verification is decided. A watching session may request it too, because its device may stay in use. */
async function tell(
  deps: JourneyDeps,
  context: JourneyContext,
  { to, language }: NoticeInput,
): Promise<{ sentTo: string }> {
  const queue = await deps.messages.queueFor('EMAIL');
  return withLock(deps, context, async (tx, own, instance) => {
    if (own.state !== 'ACTIVE' && own.state !== 'WATCHING') throw new ApiError(100058);
    ensureUnderWay(instance);
    return queue(tx, instance, { kind: 'DECIDED', to, language, network: context.address }, context.now);
  });
}

async function confirm(deps: JourneyDeps, context: JourneyContext, number: number): Promise<void> {
  const right = await withLock(deps, context, async (tx, own, instance) => {
    ensureUnderWay(instance);
    await ensureToBeConfirmed(tx, own, context.now);
    if (own.number === number) {
      await activate(tx, own);
      return true;
    }
    setSessionState(tx, { id: own.id, state: 'CLOSED' });
    await deps.processes.addEvent(tx, instance, 'instance.handoffRefused', context.now);
    return false;
  });
  // Thrown after the commit, because inside the transaction it would roll back the end of the offer.
  if (!right) throw new ApiError(100064, { detail: 'the number does not match' });
}

function deny(deps: JourneyDeps, context: JourneyContext): Promise<void> {
  return withLock(deps, context, async (tx, own, instance) => {
    await ensureToBeConfirmed(tx, own, context.now);
    setSessionState(tx, { id: own.id, state: 'CLOSED' });
    await deps.processes.addEvent(tx, instance, 'instance.handoffDenied', context.now);
  });
}

function takeBack(deps: JourneyDeps, context: JourneyContext): Promise<void> {
  return withLock(deps, context, async (tx, own, instance) => {
    ensureUnderWay(instance);
    if (own.state === 'ACTIVE' && (await withdrawOffers(tx, instance.id))) return;
    const sessions = await sessionsOf(tx, { instanceId: instance.id });
    const connected = sessions.some(({ state, offered_by }) => state === 'ACTIVE' && offered_by === own.id);
    if (own.state !== 'WATCHING' || !connected) throw new ApiError(100064);
    await activate(tx, own);
  });
}

function placeFor({ countryHeader }: JourneyDeps, { header }: JourneyContext, timeZone: string | undefined) {
  return placeOf({ timeZone, country: countryHeader === undefined ? undefined : header(countryHeader) });
}

/** Runs work with the instance locked. It reads the session again, because it may have changed meanwhile. */
function withLock<T>(
  { processes, live }: JourneyDeps,
  { db, tenantId, session }: JourneyContext,
  work: (tx: TenantTx, own: SessionRow, instance: InstanceRow) => Promise<T>,
): Promise<T> {
  return db.write(async (tx) => {
    const instance = await processes.instanceForUpdate(tx, session.instanceId);
    if (!instance) throw new ApiError(100022);
    const own = await findSession(tx, { id: session.sessionId });
    if (!own) throw new ApiError(100054);
    tx.afterCommit(() => live.changed(tenantId, session.instanceId));
    return work(tx, own, instance);
  });
}

/** Makes a new offer and withdraws earlier ones. */
async function makeOffer(
  tx: TenantTx,
  own: SessionRow,
  instance: InstanceRow,
  { offeredFrom, now }: { offeredFrom: DevicePlace | undefined; now: number },
): Promise<{ code: string; number: number; expiresAt: number }> {
  if (own.state !== 'ACTIVE') throw new ApiError(100058);
  ensureUnderWay(instance);
  await withdrawOffers(tx, instance.id);
  const code = newOfferCode(tx.tenantId);
  const number = newNumber();
  const expiresAt = now + OFFER_MS;
  addCode(tx, {
    code_hash: hashCode(code),
    kind: 'HANDOFF',
    instance_id: instance.id,
    session_id: own.id,
    number,
    place: offeredFrom ? JSON.stringify(offeredFrom) : null,
    created_at: now,
    expires_at: expiresAt,
  });
  return { code, number, expiresAt };
}

function ensureUnderWay({ status }: InstanceRow): void {
  if (isFinal(status)) throw new ApiError(100057);
}

/** Ensures that the session can still be confirmed: the offer is fresh, and the device that made it still acts. */
async function ensureToBeConfirmed(tx: TenantTx, own: SessionRow, now: number): Promise<void> {
  const offering = own.offered_by === null ? undefined : await findSession(tx, { id: own.offered_by });
  if (own.state !== 'UNCONFIRMED' || !isFresh(own, now) || offering?.state !== 'ACTIVE') throw new ApiError(100064);
}
