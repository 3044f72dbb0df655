import type { api, Ok } from '@grove/contract';
import type { TenantReads, TenantTx } from '../db/db.ts';
import { MINUTE, toDtm } from '../kernel/clock.ts';
import type { JourneyContext } from '../kernel/context.ts';
import { ApiError } from '../kernel/errors.ts';
import { isFinal } from '../process-manager/engine/state.ts';
import { redirectAddress } from '../process-manager/instances/journey-addresses.ts';
import { hashCode, newCode } from '../process-manager/instances/one-time-code.ts';
import { addCode, findOffer } from './codes.repository.ts';
import type { InstanceRow, LiveDeps } from './journey-deps.ts';
import { newNumber } from './number-choice.ts';
import { findSession, type SessionRow, sessionsOf, setSessionState } from './sessions.repository.ts';
import { activate, withdrawOffers } from './sessions.ts';

/**
 * Going on with another device. The first one offers a code and shows a number; whoever redeems the code elsewhere has
 * to find that number, once. Every change is made with the instance locked, so that one device acts at any time.
 */
export const OFFER_MS = 5 * MINUTE;

type Offer = Ok<typeof api.journey.offerHandoff>;

export function handoffs(deps: LiveDeps) {
  const { live, baseUrlOf } = deps;

  /** Runs with the instance locked; the session is read again then, because it may have changed in the meantime. */
  const locked = <T>(
    { db, tenantId, session }: JourneyContext,
    work: (tx: TenantTx, own: SessionRow, instance: InstanceRow) => Promise<T>,
  ): Promise<T> =>
    db.write(async (tx) => {
      const instance = await deps.lockInstance(tx, session.instanceId);
      if (!instance) throw new ApiError(100022);
      const own = await findSession(tx, session.sessionId);
      if (!own) throw new ApiError(100054);
      tx.afterCommit(() => live.changed(tenantId, session.instanceId));
      return work(tx, own, instance);
    });

  return {
    offer: (context: JourneyContext): Promise<Offer> =>
      locked(context, async (tx, own, instance) => {
        if (own.state !== 'ACTIVE') throw new ApiError(100058);
        ensureUnderWay(instance);
        await withdrawOffers(tx, instance.id);
        const code = newCode(tx.tenantId);
        const number = newNumber();
        const expires_at = context.now + OFFER_MS;
        await addCode(tx, {
          ...{ code_hash: hashCode(code), kind: 'HANDOFF', instance_id: instance.id, session_id: own.id, number },
          ...{ created_at: context.now, expires_at },
        });
        const url = redirectAddress(instance.ui_url, baseUrlOf(tx.tenantId), instance.id, code);
        return { url, number, expiringDtm: toDtm(expires_at) };
      }),

    async confirm(context: JourneyContext, number: number): Promise<void> {
      const right = await locked(context, async (tx, own, instance) => {
        ensureUnderWay(instance);
        await ensureToBeConfirmed(tx, own, context.now);
        if (own.number === number) {
          await activate(tx, own);
          return true;
        }
        await setSessionState(tx, own.id, 'CLOSED');
        await deps.addEvent(tx, instance, 'instance.handoffRefused', context.now);
        return false;
      });
      // Only now: what was thrown in the transaction would have undone that the offer has ended.
      if (!right) throw new ApiError(100064, { detail: 'the number was another' });
    },

    deny: (context: JourneyContext): Promise<void> =>
      locked(context, async (tx, own, instance) => {
        await ensureToBeConfirmed(tx, own, context.now);
        await setSessionState(tx, own.id, 'CLOSED');
        await deps.addEvent(tx, instance, 'instance.handoffDenied', context.now);
      }),

    takeBack: (context: JourneyContext): Promise<void> =>
      locked(context, async (tx, own, instance) => {
        ensureUnderWay(instance);
        if (own.state === 'ACTIVE' && (await withdrawOffers(tx, instance.id))) return;
        const sessions = await sessionsOf(tx, instance.id);
        const connected = sessions.some(({ state, offered_by }) => state === 'ACTIVE' && offered_by === own.id);
        if (own.state !== 'WATCHING' || !connected) throw new ApiError(100064);
        await activate(tx, own);
      }),
  };
}

function ensureUnderWay({ status }: InstanceRow): void {
  if (isFinal(status)) throw new ApiError(100057);
}

/** The number counts as long as the offer would have, and as long as the device that offered still acts. */
async function ensureToBeConfirmed(tx: TenantTx, own: SessionRow, now: number): Promise<void> {
  const offering = own.offered_by === null ? undefined : await findSession(tx, own.offered_by);
  if (own.state !== 'UNCONFIRMED' || !isFresh(own, now) || offering?.state !== 'ACTIVE') throw new ApiError(100064);
}

function isFresh({ created_at }: SessionRow, now: number): boolean {
  return now < created_at + OFFER_MS;
}

export type HandoffState = Ok<typeof api.journey.get>['device']['handoff'];

/** How far a hand-off has come, as this session sees it. */
export async function handoffState(db: TenantReads, own: SessionRow, now: number): Promise<HandoffState> {
  if (own.state === 'UNCONFIRMED') return 'CONFIRMING';
  const offered = (await sessionsOf(db, own.instance_id)).filter(({ offered_by }) => offered_by === own.id);
  if (offered.some(({ state }) => state === 'ACTIVE')) return 'CONNECTED';
  if (offered.some((each) => each.state === 'UNCONFIRMED' && isFresh(each, now))) return 'CONFIRMING';
  const open = await findOffer(db, { instanceId: own.instance_id, sessionId: own.id }, now);
  if (open) return 'OFFERED';
  return own.state === 'ACTIVE' && own.offered_by !== null ? 'CONNECTED' : 'NONE';
}
