import type { MouseEvent } from 'react';

/**
 * Acts on the first click of a double click only. When an entry of a list is removed, the next one moves under the
 * pointer, and the second click would remove that as well. A key press has no click count.
 */
export function onFirstClick(act: () => void): (event: MouseEvent) => void {
  return ({ detail }) => {
    if (detail < 2) act();
  };
}
