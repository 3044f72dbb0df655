/** The events that a journey sends to the page around it. They prove nothing: ask the API, or wait for the webhook. */
export type JourneyEvents = {
  /** The journey is open, and its first page is shown. */
  ready: { processInstanceId: string };
  /** A step is shown: `consent`, `document`, `face`, `form` … */
  step: { processInstanceId: string; step: string; position: number; total: number };
  /** The journey is over; its page still shows the result. */
  completed: { processInstanceId: string; outcome: JourneyOutcome };
  /** The frame or window is gone: the end user or your page closed it. */
  closed: { completed: boolean };
  /**
   * Why the journey cannot be shown. `refused`: the page did not load, most likely because your origin is not on the
   * list `embedOrigins`; `window`: the browser did not open a window; every other reason names the fault of the link.
   */
  error: { reason: string };
};

export type JourneyOutcome = 'passed' | 'received' | 'tryAgain' | 'notPossible' | 'declined' | 'expired';

export type JourneyEventName = keyof JourneyEvents;

/** A message from the frame: an event, a sign that its page has loaded, or its height. */
export type JourneyMessage =
  | { [N in JourneyEventName]: { name: N; event: JourneyEvents[N] } }[JourneyEventName]
  | { name: 'hello' }
  | { name: 'size'; height: number };

const MAX_HEIGHT = 4000;

/** Reads a message of a journey; anything else gives undefined. The caller has compared the origin already. Pure. */
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
