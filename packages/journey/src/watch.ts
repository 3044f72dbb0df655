import { ASK_EVERY_MS } from './page-rules.ts';

/**
 * Watches a journey for changes. It uses server-sent events while the page is visible, because a browser has few
 * connections for each server and every hidden tab would hold one, and polls where no stream is available.
 */
const TRY_STREAM_AGAIN_MS = 30_000;

export function watchJourney(url: string, news: () => void): () => void {
  let stream: EventSource | undefined;
  let asking: ReturnType<typeof setInterval> | undefined;
  let again: ReturnType<typeof setTimeout> | undefined;

  const close = () => {
    stream?.close();
    stream = undefined;
    clearInterval(asking);
    clearTimeout(again);
    asking = undefined;
  };

  const ask = () => {
    asking ??= setInterval(news, ASK_EVERY_MS);
    clearTimeout(again);
    again = setTimeout(open, TRY_STREAM_AGAIN_MS);
  };

  const open = () => {
    if (stream || document.visibilityState === 'hidden') return;
    if (typeof EventSource === 'undefined') return ask();
    const opened = new EventSource(url);
    stream = opened;
    opened.addEventListener('journey', news);
    opened.onopen = () => {
      clearInterval(asking);
      asking = undefined;
    };
    // The browser reopens a stream that broke off; until then the page polls.
    opened.onerror = () => {
      if (opened.readyState === EventSource.CLOSED) stream = undefined;
      ask();
    };
  };

  const onVisibilityChange = () => {
    if (document.visibilityState === 'hidden') return close();
    news();
    open();
  };
  // A page restored by the back button has its old state, which may be stale.
  const onPageShow = (event: PageTransitionEvent) => {
    if (event.persisted) onVisibilityChange();
  };
  document.addEventListener('visibilitychange', onVisibilityChange);
  addEventListener('pageshow', onPageShow);
  addEventListener('online', news);
  open();
  return () => {
    document.removeEventListener('visibilitychange', onVisibilityChange);
    removeEventListener('pageshow', onPageShow);
    removeEventListener('online', news);
    close();
  };
}
