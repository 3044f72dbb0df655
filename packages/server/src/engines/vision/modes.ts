/** When the engine starts: with the first picture, with the server, or never. */
export const VISION_MODES = ['lazy', 'eager', 'off'] as const;
export type VisionMode = (typeof VISION_MODES)[number];

/** The network that turns faces into templates. For packs other than the first, the operator supplies the weights. */
export const FACE_PACKS = ['faceplugin', 'intel-0095'] as const;
export type FacePackName = (typeof FACE_PACKS)[number];
