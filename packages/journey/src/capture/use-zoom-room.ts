import { useEffect, useState } from 'preact/hooks';
import type { Size } from './picture/geometry.ts';
import { sizeWithin } from './picture/zoom.ts';

/** A share of the window's height, so that the buttons below stay in sight. */
const HIGHEST = 0.52;

/** The size of the whole picture in the room, once it is loaded. */
export function useZoomRoom(room: { current: HTMLElement | null }): {
  size: Size | undefined;
  onLoad(event: { currentTarget: HTMLImageElement }): void;
} {
  const [picture, setPicture] = useState<Size>();
  const [space, setSpace] = useState<Size>({ width: 0, height: 0 });
  useEffect(() => {
    const measure = () => setSpace({ width: widthOf(room.current), height: innerHeight * HIGHEST });
    measure();
    addEventListener('resize', measure);
    return () => removeEventListener('resize', measure);
  }, [room]);
  return {
    size: picture && space.width > 0 ? sizeWithin(picture, space) : undefined,
    onLoad: ({ currentTarget: { naturalWidth: width, naturalHeight: height } }) => setPicture({ width, height }),
  };
}

/** The width inside the border and the scroll bar. */
function widthOf(element: HTMLElement | null): number {
  if (!element) return 0;
  const { borderLeftWidth, borderRightWidth } = getComputedStyle(element);
  return element.offsetWidth - Number.parseFloat(borderLeftWidth) - Number.parseFloat(borderRightWidth);
}
