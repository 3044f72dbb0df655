import { useEffect, useRef } from 'preact/hooks';

export type Point = { readonly x: number; readonly y: number };
type Change = (scale: number, point?: Point) => void;

/** The distance of a pinch on a touchpad after which the picture is e times as large. */
const WHEEL_PER_E = 120;

/**
 * Enlarges the picture by two fingers, or by the pinch of a touchpad, which arrives as a wheel event; the page itself
 * must not zoom. A mouse drags a picture that is larger than its room; a finger scrolls it anyway.
 */
export function useHands(room: { current: HTMLElement | null }, scale: number, change: Change): void {
  const now = useRef({ scale, change });
  now.current = { scale, change };
  useEffect(() => {
    const element = room.current;
    if (!element) return;
    const ends = [
      pinch(element, now),
      listen(element, 'wheel', (event) => {
        if (!event.ctrlKey) return;
        event.preventDefault();
        now.current.change(now.current.scale * Math.exp(-event.deltaY / WHEEL_PER_E), pointOf(element, event));
      }),
      drag(element),
    ];
    return () => {
      for (const end of ends) end();
    };
  }, [room]);
}

export function pointOf(room: HTMLElement | null, { clientX, clientY }: { clientX: number; clientY: number }): Point {
  const { left = 0, top = 0 } = room?.getBoundingClientRect() ?? {};
  return { x: clientX - left, y: clientY - top };
}

function pinch(element: HTMLElement, now: { current: { scale: number; change: Change } }): () => void {
  let began: { distance: number; scale: number } | undefined;
  const ends = [
    listen(element, 'touchstart', ({ touches }) => {
      const pair = pairOf(touches);
      began = pair && { distance: pair.distance, scale: now.current.scale };
    }),
    listen(element, 'touchmove', (event) => {
      const pair = pairOf(event.touches);
      if (!pair || !began || !event.cancelable) return;
      event.preventDefault();
      now.current.change((began.scale * pair.distance) / Math.max(1, began.distance), pointOf(element, pair));
    }),
  ];
  return () => {
    for (const end of ends) end();
  };
}

function drag(element: HTMLElement): () => void {
  return listen(element, 'mousedown', (event) => {
    if (event.button !== 0) return;
    const from = { x: event.clientX + element.scrollLeft, y: event.clientY + element.scrollTop };
    const move = ({ clientX, clientY }: MouseEvent) => {
      element.scrollLeft = from.x - clientX;
      element.scrollTop = from.y - clientY;
    };
    addEventListener('mousemove', move);
    addEventListener('mouseup', () => removeEventListener('mousemove', move), { once: true });
  });
}

/** Not passive, so that these events do not move the page as well. */
function listen<Name extends keyof HTMLElementEventMap>(
  element: HTMLElement,
  name: Name,
  hear: (event: HTMLElementEventMap[Name]) => void,
): () => void {
  element.addEventListener(name, hear, { passive: false });
  return () => element.removeEventListener(name, hear);
}

function pairOf(touches: TouchList): { clientX: number; clientY: number; distance: number } | undefined {
  const [one, other] = [touches[0], touches[1]];
  if (!one || !other) return undefined;
  return {
    distance: Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY),
    clientX: (one.clientX + other.clientX) / 2,
    clientY: (one.clientY + other.clientY) / 2,
  };
}
