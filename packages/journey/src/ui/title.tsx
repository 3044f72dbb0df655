import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

/**
 * The heading of a screen. It takes the focus when the screen appears, so that screen readers announce the new screen
 * and start at its beginning.
 */
let first = true;

export function Title({ children }: { children: ComponentChildren }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    const { current } = heading;
    if (!current) return;
    document.title = current.textContent ?? '';
    scrollTo(0, 0);
    // The first screen is read from its top anyway. A framed page does not take the focus from the page around it.
    if (!first && (parent === window || document.hasFocus())) current.focus({ preventScroll: true });
    first = false;
  }, []);
  return (
    <h1 ref={heading} tabIndex={-1}>
      {children}
    </h1>
  );
}
