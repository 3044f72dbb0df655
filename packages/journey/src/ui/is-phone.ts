/** A phone, as far as a page can tell: a finger for a pointer, and a small screen. */
export function isPhone(): boolean {
  return matchMedia('(pointer: coarse)').matches && Math.min(screen.width, screen.height) < 600;
}
