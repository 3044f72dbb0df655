/**
 * Keeps the place of keyboard and screen reader users (WCAG 2.4.3). If the focused element is removed and no other
 * takes the focus, the nearest usable element gets it, or else the heading.
 */
const USABLE = 'a[href], button, input, select, textarea, [tabindex]';
/** New elements that take the focus by themselves do so within this time. */
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
