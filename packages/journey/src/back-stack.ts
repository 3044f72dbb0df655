import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

/**
 * The back button inside the journey. Each view that can be left backwards adds a handler; the one that was added last is
 * asked. There are at least as many entries in the history of the browser as handlers, so that a press of the back button
 * reaches us and does not leave the page. Views that are left in another way leave their entries behind; they are used up
 * by later presses.
 */
type Handler = () => void;

/** Which view lies over which. Views of one commit add their handlers from the innermost outwards. */
export const LEVELS = { journey: 0, step: 1, capture: 2, overlay: 3 } as const;
type Level = keyof typeof LEVELS;

const handlers: { level: number; run: Handler }[] = [];
const listeners = new Set<() => void>();

/** How many entries of ours lie behind the present one. */
function depth(): number {
  const { groveDepth } = (history.state ?? {}) as { groveDepth?: unknown };
  return typeof groveDepth === 'number' ? groveDepth : 0;
}

function add(run: Handler, level: Level): () => void {
  const handler = { level: LEVELS[level], run };
  const index = handlers.findLastIndex((each) => each.level <= handler.level) + 1;
  handlers.splice(index, 0, handler);
  for (let at = depth(); at < handlers.length; at++) history.pushState({ groveDepth: at + 1 }, '');
  tell();
  return () => {
    handlers.splice(handlers.indexOf(handler), 1);
    tell();
  };
}

function tell(): void {
  for (const listener of listeners) listener();
}

let before = 0;

/** Called once, when the page starts. */
export function watchBackButton(): void {
  before = depth();
  addEventListener('popstate', () => {
    const now = depth();
    const isBack = now < before;
    before = now;
    // Forward leads to a view that is not there any more; the view that is shown stays.
    if (!isBack) return;
    const handler = handlers.at(-1);
    if (handler) return handler.run();
    // The entries of views that are gone lead nowhere: out of the page.
    history.go(-(now + 1));
  });
}

/**
 * Has the back button, and the one on the page, do this while the view is shown. Nothing to do is `undefined`. The
 * handler comes and goes with the view, not a frame later: a second press would meet the handler of a view that is gone.
 */
export function useBack(handler: Handler | undefined, level: Level): void {
  const latest = useRef(handler);
  latest.current = handler;
  const active = handler !== undefined;
  useLayoutEffect(() => {
    if (!active) return;
    const remove = add(() => latest.current?.(), level);
    before = depth();
    return remove;
  }, [active, level]);
}

/** Whether there is a way back within the journey, and the way. */
export function useWayBack(): Handler | undefined {
  const [count, setCount] = useState(handlers.length);
  useEffect(() => {
    const listen = () => setCount(handlers.length);
    listeners.add(listen);
    listen();
    return () => listeners.delete(listen);
  }, []);
  return count > 0 ? goBack : undefined;
}

/** The same as a press of the back button. */
function goBack(): void {
  if (depth() > 0) history.back();
  else handlers.at(-1)?.run();
}
