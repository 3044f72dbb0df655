import type { MouseEvent } from 'react';

/**
 * Acts on the first click of a double click alone. When an entry of a list is removed, the next one takes its place under
 * the pointer, and the second click would remove that as well. A key press counts as no click.
 */
export function onFirstClick(act: () => void): (event: MouseEvent) => void {
  return ({ detail }) => {
    if (detail < 2) act();
  };
}
