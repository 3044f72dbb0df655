/**
 * A journey in a frame or a window of a page of the tenant. The address names the origin of that page. The server lets
 * no other origin frame it (frame-ancestors) and isolates a window that another origin has opened. Events go to that
 * origin only, and no message is ever accepted from it.
 * docs/decisions/2026-11-16-journeys-are-framed-by-listed-origins.md
 */
export type EmbedEvent =
  | { type: 'hello' }
  | { type: 'ready'; processInstanceId: string }
  | { type: 'step'; processInstanceId: string; step: string; position: number; total: number }
  | { type: 'completed'; processInstanceId: string; outcome: string }
  | { type: 'closed' }
  | { type: 'error'; reason: string }
  | { type: 'size'; height: number };

const askedOrigin = new URLSearchParams(location.search).get('embed') ?? '';
const origin = /^https?:\/\/[a-z0-9.-]+(:\d+)?$/.test(askedOrigin) ? askedOrigin : undefined;

export const isFramed = origin !== undefined && window.parent !== window;
/** Whether there is a page that receives events, and that continues when the journey is over. */
export const isEmbedded = isFramed || (origin !== undefined && Boolean(window.opener));

/** What the server gets when a journey is opened: it compares the origin with the list of that very journey. */
export const embedding = { ...(isEmbedded && { embedOrigin: origin }), ...(isFramed && { embedded: true }) };

export function tell(event: EmbedEvent): void {
  if (origin === undefined) return;
  const message = { from: 'grove-journey', ...event };
  if (isFramed) window.parent.postMessage(message, origin);
  else if (window.opener)
    (window.opener as Window).postMessage(message, isOurs(window.opener) ? location.origin : origin);
}

/** The window was opened by our own frame, which passes its events on. */
function isOurs(opener: Window): boolean {
  try {
    return opener.location.origin === location.origin;
  } catch {
    return false;
  }
}

/** The parameters that stay in the address, for a reload. */
export function embedQuery(): Record<string, string> {
  const tn = new URLSearchParams(location.search).get('tn');
  return origin === undefined ? {} : { embed: origin, ...(tn && { tn }) };
}

/** Whether this frame may keep a session cookie. Called before a code is spent, because a code works once. */
export function keepsCookies(): boolean {
  const attributes = 'Path=/web/; SameSite=None; Secure; Partitioned';
  // biome-ignore lint/suspicious/noDocumentCookie: the answer is needed at once, and not every browser has cookieStore
  document.cookie = `grove-frame=1; ${attributes}`;
  const hasCookie = document.cookie.includes('grove-frame=1');
  // biome-ignore lint/suspicious/noDocumentCookie: as above
  document.cookie = `grove-frame=; Max-Age=0; ${attributes}`;
  return hasCookie;
}
