/**
 * Whoever uses a keyboard or a screen reader keeps their place (WCAG 2.4.3). Where what had the focus is taken away and
 * nothing else has asked for it, the first thing nearby that can be used gets it; otherwise the heading.
 */
const USABLE = 'a[href], button, input, select, textarea, [tabindex]';
/** What takes the focus by itself does so within this time. */
const PATIENCE_MS = 60;

export function keepFocus(root: HTMLElement): void {
  let focusPath: HTMLElement[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  root.addEventListener('focusin', ({ target }) => {
    focusPath = [];
    for (let each = target as HTMLElement | null; each && each !== root; each = each.parentElement)
      focusPath.push(each);
  });
  new MutationObserver(() => {
    if (focusPath[0] === undefined || focusPath[0].isConnected) return;
    clearTimeout(timer);
    timer = setTimeout(() => {
      if (document.activeElement !== document.body || focusPath[0]?.isConnected !== false) return;
      const near = focusPath.find(
        (each) => each.isConnected && each.closest('main') !== null && each.tagName !== 'MAIN',
      );
      const next = near?.querySelector<HTMLElement>(USABLE) ?? root.querySelector<HTMLElement>('h1');
      next?.focus({ preventScroll: true });
    }, PATIENCE_MS);
  }).observe(root, { childList: true, subtree: true });
}
