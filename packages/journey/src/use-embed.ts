import { useEffect } from 'preact/hooks';
import type { Journey } from './api.ts';
import { isEmbedded, isFramed, tell } from './embed.ts';
import type { Screen } from './screen.ts';

/** Tells the embedding page the state of the journey. */
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

/** Reports what blocks the whole journey. */
export function useEmbedError(reason: string | undefined): void {
  useEffect(() => {
    if (reason !== undefined) tell({ type: 'error', reason });
  }, [reason]);
}

/** Reports the height, so that the frame grows with its content. */
function useSize(): void {
  useEffect(() => {
    if (!isFramed || !isEmbedded) return;
    const size = new ResizeObserver(() => tell({ type: 'size', height: document.body.scrollHeight }));
    size.observe(document.body);
    return () => size.disconnect();
  }, []);
}
