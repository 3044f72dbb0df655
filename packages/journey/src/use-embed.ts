import { useEffect } from 'preact/hooks';
import type { Journey } from './api.ts';
import { isEmbedded, isFramed, tell } from './embed.ts';
import type { Screen } from './screen.ts';

/** Tells the page around a journey where it stands. */
export function useEmbed(journey: Journey | undefined, screen: Screen | undefined): void {
  const id = journey?.processInstanceId;
  useEffect(() => {
    if (id !== undefined) tell({ type: 'ready', processInstanceId: id });
  }, [id]);
  const isStep = screen === 'step' && journey?.step !== undefined;
  const attemptKey = isStep ? `${journey?.step?.id} ${journey?.step?.attempt}` : '';
  useEffect(() => {
    if (id === undefined || attemptKey === '' || !journey?.step) return;
    const { position, total } = journey.progress;
    tell({ type: 'step', processInstanceId: id, step: journey.step.type, position, total });
  }, [attemptKey]);
  const outcome = journey?.result?.outcome;
  useEffect(() => {
    if (id !== undefined && outcome !== undefined) tell({ type: 'completed', processInstanceId: id, outcome });
  }, [outcome]);
  useSize();
}

/** What stands in the way of the whole journey. */
export function useEmbedError(reason: string | undefined): void {
  useEffect(() => {
    if (reason !== undefined) tell({ type: 'error', reason });
  }, [reason]);
}

/** A frame inside a page grows with what it shows. */
function useSize(): void {
  useEffect(() => {
    if (!isFramed || !isEmbedded) return;
    const size = new ResizeObserver(() => tell({ type: 'size', height: document.body.scrollHeight }));
    size.observe(document.body);
    return () => size.disconnect();
  }, []);
}
