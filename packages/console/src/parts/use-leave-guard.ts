import { useBlocker } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useT } from '../texts/texts.tsx';

const unsaved = new Set<symbol>();

/** Asks before the screen is left, or the page closed, while there is something that was not saved. */
export function useLeaveGuard(isChanged: boolean): void {
  const t = useT();
  useBlocker({ shouldBlockFn: () => !confirm(t('definitions.unsaved')), disabled: !isChanged });
  useEffect(() => {
    if (!isChanged) return;
    const own = Symbol();
    unsaved.add(own);
    return () => void unsaved.delete(own);
  }, [isChanged]);
}

/** Asks the same before something else than another address takes the screen away. */
export function useMayLeave(): () => boolean {
  const t = useT();
  return () => unsaved.size === 0 || confirm(t('definitions.unsaved'));
}
