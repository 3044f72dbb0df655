import { useEffect } from 'preact/hooks';

/**
 * Tells the server that the page of a step is left, as far as the browser lets it. It is a hint, for whoever wants to know
 * where people stop; a page that comes back asks for the journey, and that takes it back.
 */
export function useLeaveHint(url: string | undefined): void {
  useEffect(() => {
    if (!url || typeof navigator.sendBeacon !== 'function') return;
    const leave = () => void navigator.sendBeacon(url);
    addEventListener('pagehide', leave);
    return () => removeEventListener('pagehide', leave);
  }, [url]);
}
