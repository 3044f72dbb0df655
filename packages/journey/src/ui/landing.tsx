import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

/** Takes the focus when it appears, because the pressed button is gone (WCAG 2.4.3). */
export function Landing({ children }: { children: ComponentChildren }) {
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => element.current?.focus({ preventScroll: true }), []);
  return (
    <div ref={element} tabIndex={-1} class="landing">
      {children}
    </div>
  );
}
