/**
 * A journey in a frame or a window of a page of the tenant. The address names the origin of that page; the server lets no
 * other frame it (frame-ancestors) and cuts the tie of a window that any other has opened. What happens is told to that
 * origin and no other, and nothing is ever taken from it.
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
/** Whether there is a page that is told what happens, and that goes on when the journey is over. */
export const isEmbedded = isFramed || (origin !== undefined && Boolean(window.opener));

/** What the server is told when a journey is opened: it compares the origin with the list of that very journey. */
export const embedding = { ...(isEmbedded && { embedOrigin: origin }), ...(isFramed && { embedded: true }) };

export function tell(event: EmbedEvent): void {
  if (origin === undefined) return;
  const message = { from: 'grove-journey', ...event };
  if (isFramed) window.parent.postMessage(message, origin);
  else if (window.opener)
    (window.opener as Window).postMessage(message, isOurs(window.opener) ? location.origin : origin);
}

/** The window was opened by our own frame, which passes on what it is told. */
function isOurs(opener: Window): boolean {
  try {
    return opener.location.origin === location.origin;
  } catch {
    return false;
  }
}

/** What stays in the address, for a reload. */
export function embedQuery(): Record<string, string> {
  const tn = new URLSearchParams(location.search).get('tn');
  return origin === undefined ? {} : { embed: origin, ...(tn && { tn }) };
}

/** Whether this frame may keep the cookie of a session. Asked before a code is spent, which works once. */
export function keepsCookies(): boolean {
  const attributes = 'Path=/web/; SameSite=None; Secure; Partitioned';
  // biome-ignore lint/suspicious/noDocumentCookie: the answer is needed at once, and not every browser has cookieStore
  document.cookie = `grove-frame=1; ${attributes}`;
  const isKept = document.cookie.includes('grove-frame=1');
  // biome-ignore lint/suspicious/noDocumentCookie: as above
  document.cookie = `grove-frame=; Max-Age=0; ${attributes}`;
  return isKept;
}
