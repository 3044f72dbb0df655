import type { Translate } from '../i18n/translate.ts';

export function Shutter({ t, onPress }: { t: Translate; onPress(): void }) {
  return (
    <button type="button" class="shutter" onClick={onPress}>
      <span class="shutter-ring" aria-hidden="true" />
      <span class="shutter-text">{t('capture.shutter')}</span>
    </button>
  );
}

/** The time after which the button appears. */
export const SHUTTER_MS = 7_000;

/** End users who use no pointer, or want no motion, have the button from the start. */
export function wantsShutter(click: { detail: number } | undefined): boolean {
  return click?.detail === 0 || matchMedia('(prefers-reduced-motion: reduce)').matches;
}
