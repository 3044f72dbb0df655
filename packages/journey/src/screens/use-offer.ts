import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { Journey, Offer, ShellApi } from '../api.ts';

/**
 * An offer to continue on another device. It is renewed when it expires: a few times automatically, then on request.
 */
const MAX_BY_ITSELF = 3;

export type OfferState = {
  offer: Offer | undefined;
  /** `refused`: the other device chose another number, or said that it was not its user. */
  state: 'making' | 'open' | 'confirming' | 'refused' | 'over';
  error: unknown;
  renew(): void;
  /** Replaces the offer by another one. */
  replace(offer: Offer): void;
};

export function useOffer(api: ShellApi, handoff: Journey['device']['handoff']): OfferState {
  const [offer, setOffer] = useState<Offer>();
  const [over, setOver] = useState(false);
  const [error, setError] = useState<unknown>();
  const [isRefused, setIsRefused] = useState(false);
  const offerCount = useRef(0);

  const make = useCallback(async () => {
    setError(undefined);
    setIsRefused(false);
    try {
      setOffer(await api.offerHandoff());
      setOver(false);
      offerCount.current += 1;
    } catch (thrown) {
      setError(thrown);
    }
  }, [api]);

  useEffect(() => {
    void make();
  }, [make]);

  useEffect(() => {
    if (!offer || handoff === 'CONFIRMING') return;
    const timer = setTimeout(
      () => (offerCount.current < MAX_BY_ITSELF ? void make() : setOver(true)),
      Math.max(0, Date.parse(offer.expiringDtm) - Date.now()),
    );
    return () => clearTimeout(timer);
  }, [offer, handoff, make]);

  // A device that had connected and is gone was turned away.
  const before = useRef(handoff);
  useEffect(() => {
    if (before.current === 'CONFIRMING' && handoff === 'NONE') setIsRefused(true);
    // The link was opened in another tab of this browser, so the shown offer opens nothing any more.
    if (before.current === 'OFFERED' && handoff === 'NONE') setOver(true);
    if (before.current === 'NONE' && handoff === 'OFFERED') setOver(false);
    before.current = handoff;
  }, [handoff]);

  const state = isRefused
    ? 'refused'
    : over
      ? 'over'
      : !offer
        ? 'making'
        : handoff === 'CONFIRMING'
          ? 'confirming'
          : 'open';
  return {
    offer,
    state,
    error,
    renew() {
      offerCount.current = 0;
      void make();
    },
    replace(next) {
      setOffer(next);
      setOver(false);
    },
  };
}
