/** How the engine is started: with the first picture, with the server, or never. */
export const VISION_MODES = ['lazy', 'eager', 'off'] as const;
export type VisionMode = (typeof VISION_MODES)[number];
