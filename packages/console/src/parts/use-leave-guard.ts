import { useBlocker } from '@tanstack/react-router';
import { useT } from '../texts/texts.tsx';

/** Asks before the screen is left, or the page closed, while there is something that was not saved. */
export function useLeaveGuard(isChanged: boolean): void {
  const t = useT();
  useBlocker({ shouldBlockFn: () => !confirm(t('definitions.unsaved')), disabled: !isChanged });
}
