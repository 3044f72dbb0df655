/** What a journey tells the page that shows it. None of it is proof of anything: ask the API, or wait for the webhook. */
export type JourneyEvents = {
  /** The journey is open, and its first page is shown. */
  ready: { processInstanceId: string };
  /** A step is shown: `consent`, `document`, `face`, `form` … */
  step: { processInstanceId: string; step: string; position: number; total: number };
  /** The journey is over; its page still says how it went. */
  completed: { processInstanceId: string; outcome: JourneyOutcome };
  /** The frame or window is gone, because the end user closed it or your page did. */
  closed: { completed: boolean };
  /**
   * What stands in the way. `refused`: the page did not come, most likely because your origin is not on the list
   * `embedOrigins`; `window`: the browser did not open a window; everything else names what is wrong with the link.
   */
  error: { reason: string };
};

export type JourneyOutcome = 'passed' | 'received' | 'tryAgain' | 'notPossible' | 'declined' | 'expired';

export type JourneyEventName = keyof JourneyEvents;

/** What comes out of the frame: an event, that its page has come, or how tall it is. */
export type JourneyMessage =
  | { [N in JourneyEventName]: { name: N; event: JourneyEvents[N] } }[JourneyEventName]
  | { name: 'hello' }
  | { name: 'size'; height: number };

const MAX_HEIGHT = 4000;

/** Whatever does not look like a message of a journey is none. The origin was compared before. Pure. */
export function readMessage(data: unknown): JourneyMessage | undefined {
  if (typeof data !== 'object' || data === null) return undefined;
  const { from, type, processInstanceId, ...more } = data as Record<string, unknown>;
  if (from !== 'grove-journey') return undefined;
  const id = typeof processInstanceId === 'string' ? processInstanceId : '';
  switch (type) {
    case 'hello':
      return { name: 'hello' };
    case 'ready':
      return { name: 'ready', event: { processInstanceId: id } };
    case 'step': {
      const { step, position, total } = more;
      return {
        name: 'step',
        event: { processInstanceId: id, step: String(step), position: Number(position), total: Number(total) },
      };
    }
    case 'completed':
      return { name: 'completed', event: { processInstanceId: id, outcome: String(more.outcome) as JourneyOutcome } };
    case 'closed':
      return { name: 'closed', event: { completed: false } };
    case 'error':
      return { name: 'error', event: { reason: String(more.reason) } };
    case 'size': {
      const height = Math.min(MAX_HEIGHT, Number(more.height));
      return height > 0 ? { name: 'size', height } : undefined;
    }
    default:
      return undefined;
  }
}
