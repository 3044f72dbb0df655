import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

/**
 * The back button inside the journey. Each view that can be left by it adds a handler, and a press calls the handler
 * that was added last. The browser's history has at least as many entries as there are handlers, so that a press
 * reaches this code and does not leave the page. Views that are left in another way leave their entries behind; later
 * presses use those up.
 */
type Handler = () => void;

/** The order in which views cover each other. Views of one commit add their handlers from the innermost outwards. */
export const LEVELS = { journey: 0, step: 1, capture: 2, overlay: 3 } as const;
type Level = keyof typeof LEVELS;

const handlers: { level: number; run: Handler }[] = [];
const listeners = new Set<() => void>();

/** The number of our entries in the history before the present one. */
function depth(): number {
  const { groveDepth } = (history.state ?? {}) as { groveDepth?: unknown };
  return typeof groveDepth === 'number' ? groveDepth : 0;
}

function add(run: Handler, level: Level): () => void {
  const handler = { level: LEVELS[level], run };
  const index = handlers.findLastIndex((each) => each.level <= handler.level) + 1;
  handlers.splice(index, 0, handler);
  for (let at = depth(); at < handlers.length; at++) history.pushState({ groveDepth: at + 1 }, '');
  notifyListeners();
  return () => {
    handlers.splice(handlers.indexOf(handler), 1);
    notifyListeners();
  };
}

function notifyListeners(): void {
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
    // The forward button leads to a view that is no longer there, so the present view stays.
    if (!isBack) return;
    const handler = handlers.at(-1);
    if (handler) return handler.run();
    // The entries of closed views lead nowhere, so this leaves the page.
    history.go(-(now + 1));
  });
}

/**
 * Makes the back buttons of the browser and of the page call `handler` while the view is shown; `undefined` means that
 * there is nothing to do. The handler is added and removed in the same frame as the view: one frame later, a second
 * press would call the handler of a closed view.
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

/** The way back within the journey; undefined if there is none. */
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

/** Acts like a press of the back button. */
function goBack(): void {
  if (depth() > 0) history.back();
  else handlers.at(-1)?.run();
}
