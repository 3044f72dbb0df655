import { useEffect } from 'preact/hooks';

/**
 * Tells the server that the end user leaves the page of a step, as far as the browser permits. It is a hint for
 * statistics about where people stop; a page that comes back reads the journey, which undoes it.
 */
export function useLeaveHint(url: string | undefined): void {
  useEffect(() => {
    if (!url || typeof navigator.sendBeacon !== 'function') return;
    const leave = () => void navigator.sendBeacon(url);
    addEventListener('pagehide', leave);
    return () => removeEventListener('pagehide', leave);
  }, [url]);
}
