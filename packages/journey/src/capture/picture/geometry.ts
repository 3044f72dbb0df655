export type Size = { readonly width: number; readonly height: number };
export type Region = Size & { readonly left: number; readonly top: number };

/** The part of a video that is visible where it covers a box of another shape. */
export function visibleRegion(video: Size, box: Size): Region {
  if (!(video.width > 0 && video.height > 0 && box.width > 0 && box.height > 0)) {
    return { left: 0, top: 0, width: video.width, height: video.height };
  }
  const scale = Math.max(box.width / video.width, box.height / video.height);
  const width = Math.min(video.width, box.width / scale);
  const height = Math.min(video.height, box.height / scale);
  return { left: (video.width - width) / 2, top: (video.height - height) / 2, width, height };
}

/** The largest frame of that ratio, with a margin around it. */
export function frameWithin(size: Size, ratio: number, air = 0.06): Region {
  const room = { width: size.width * (1 - 2 * air), height: size.height * (1 - 2 * air) };
  const width = Math.min(room.width, room.height * ratio);
  const height = width / ratio;
  return { left: (size.width - width) / 2, top: (size.height - height) / 2, width, height };
}

/** Shrinks a size to the long edge; never enlarges it. */
export function fitWithin({ width, height }: Size, longEdge: number): Size {
  const scale = Math.min(1, longEdge / Math.max(width, height));
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
}
