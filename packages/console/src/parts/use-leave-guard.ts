import { useBlocker } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useT } from '../texts/texts.tsx';

const unsaved = new Set<symbol>();

/** Asks before the screen or the page is left with unsaved changes. */
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

/** Asks the same before the screen is left in another way than by an address. */
export function useMayLeave(): () => boolean {
  const t = useT();
  return () => unsaved.size === 0 || confirm(t('definitions.unsaved'));
}
