import { embedAddress } from './embed-address.ts';
import { type JourneyEventName, type JourneyEvents, type JourneyMessage, readMessage } from './events.ts';
import { type JourneyDisplay, type Labels, showInline, showModal } from './places.ts';

export type { JourneyEventName, JourneyEvents, JourneyOutcome } from './events.ts';

export type JourneyOptions = {
  /** `redirectUrl` of a new process instance, a resume link, or a public link with `?pt=`. It works once: make one when you need it. */
  url: string;
  /** The default is `modal`. `redirect` leaves your page; the end user comes back to `_redirectUrl`. */
  mode?: 'modal' | 'inline' | 'popup' | 'redirect';
  /** For `inline`: the element that holds the frame. */
  container?: Element;
  /** The language at the start, such as `de` or `fr`; the end user can change it. */
  language?: string;
  labels?: Partial<Labels>;
  /** If the page has not loaded after this many milliseconds, a button offers a window instead. */
  patienceMs?: number;
};

export type EmbeddedJourney = {
  /** Adds a listener; returns a function that removes it. */
  on<N extends JourneyEventName>(name: N, listen: (event: JourneyEvents[N]) => void): () => void;
  /** Removes the journey from the page. The instance stays as it is and can be resumed. */
  close(): void;
};

const PATIENCE_MS = 15_000;
const LOOK_EVERY_MS = 500;
const LABELS: Labels = { title: 'Identity verification', close: 'Close', openWindow: 'Continue in a new window' };

/** Shows a journey inside your page. The origin of your page must be on the list `embedOrigins` of your tenant. */
export function openJourney(options: JourneyOptions): EmbeddedJourney {
  const { mode = 'modal', language, patienceMs = PATIENCE_MS } = options;
  const labels = { ...LABELS, ...options.labels };
  const { url, origin } = embedAddress(options.url, location.origin, language);
  const { on, emit } = newListeners();
  let opened: Window | null = null;
  let display: JourneyDisplay | undefined;
  let hasCome = false;
  let isCompleted = false;
  let isClosed = false;

  const close = () => {
    if (isClosed) return;
    isClosed = true;
    removeEventListener('message', hear);
    clearTimeout(patience);
    clearInterval(look);
    display?.remove();
    opened?.close();
    emit('closed', { completed: isCompleted });
  };
  /** Accepts messages only from the frame or window that we opened, and only while it shows the origin of the link. */
  const hear = ({ source, origin: from, data }: MessageEvent) => {
    const isOurs = source !== null && (source === opened || source === display?.target());
    const message = isOurs && from === origin ? readMessage(data) : undefined;
    if (message) take(message);
  };
  const take = (message: JourneyMessage) => {
    hasCome = true;
    if (message.name === 'hello') return;
    if (message.name === 'size') return display?.resize(message.height);
    if (message.name === 'closed') return close();
    if (message.name === 'completed') isCompleted = true;
    emit(message.name, message.event as never);
  };
  const openWindow = () => {
    opened = window.open(url, '_blank', 'popup,width=480,height=860');
    if (!opened) emit('error', { reason: 'window' });
  };
  const begin = () => {
    if (isClosed) return;
    if (mode === 'popup') return openWindow();
    const { container } = options;
    display = mode === 'inline' && container ? showInline(container, url, labels) : showModal(url, labels, close);
  };

  if (mode === 'redirect') {
    location.assign(options.url);
    return { on: () => () => undefined, close: () => undefined };
  }
  if (mode === 'inline' && !options.container) throw new TypeError('inline needs a container');
  addEventListener('message', hear);
  begin();
  const patience = setTimeout(() => {
    if (hasCome || mode === 'popup') return;
    emit('error', { reason: 'refused' });
    display?.offerWindow(openWindow);
  }, patienceMs);
  // A window that the end user closed sends no message, so it is polled.
  const look = setInterval(() => {
    if (hasCome && opened?.closed) close();
  }, LOOK_EVERY_MS);
  return { on, close };
}

type Emit = <N extends JourneyEventName>(name: N, event: JourneyEvents[N]) => void;

function newListeners(): Pick<EmbeddedJourney, 'on'> & { emit: Emit } {
  const listeners = new Map<JourneyEventName, Set<(event: never) => void>>();
  return {
    on(name, listen) {
      const all = listeners.get(name) ?? new Set();
      listeners.set(name, all.add(listen as (event: never) => void));
      return () => all.delete(listen as (event: never) => void);
    },
    emit(name, event) {
      for (const listen of listeners.get(name) ?? []) listen(event as never);
    },
  };
}
