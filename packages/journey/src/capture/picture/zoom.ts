import type { Size } from './geometry.ts';

/** A picture behind a window: how much larger it is than the window, and where the window is. Pure. */
export type Zoom = { readonly scale: number; readonly left: number; readonly top: number };
type Point = { readonly x: number; readonly y: number };

export const ZOOM = { least: 1, most: 6, step: 1.5, doubleTap: 2.5 } as const;

export const WHOLE: Zoom = { scale: 1, left: 0, top: 0 };

/** The largest size of that shape that fits both ways; a small picture is enlarged. */
export function sizeWithin(picture: Size, room: Size): Size {
  const scale = Math.min(room.width / Math.max(1, picture.width), room.height / Math.max(1, picture.height));
  const grown = (length: number) => Math.max(1, Math.round(length * scale));
  return { width: grown(picture.width), height: grown(picture.height) };
}

/** The size of the whole picture, and that of the room in whose middle it is. */
export type Layout = { readonly picture: Size; readonly room: Size };

/** Changes the scale so that the picture's point under `point` of the room stays there. */
export function zoomTo(zoom: Zoom, wantedScale: number, point: Point, { picture, room }: Layout): Zoom {
  const scale = Math.min(ZOOM.most, Math.max(ZOOM.least, wantedScale));
  if (scale === ZOOM.least) return WHOLE;
  const along = (scrolled: number, at: number, length: number, space: number) => {
    const position = (scrolled + at - beside(length * zoom.scale, space)) / zoom.scale;
    return Math.max(0, position * scale + beside(length * scale, space) - at);
  };
  return {
    scale,
    left: along(zoom.left, point.x, picture.width, room.width),
    top: along(zoom.top, point.y, picture.height, room.height),
  };
}

/** The free space on each side of a picture that is smaller than its room. */
function beside(length: number, space: number): number {
  return Math.max(0, (space - length) / 2);
}

/** The scale that a key asks for; undefined for all other keys, which scroll or move the focus. */
export function scaleOfKey(key: string, scale: number): number | undefined {
  if (key === '+' || key === '=') return scale * ZOOM.step;
  if (key === '-' || key === '_') return scale / ZOOM.step;
  return key === '0' ? ZOOM.least : undefined;
}
