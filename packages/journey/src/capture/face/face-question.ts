import type { Pixels } from '../pixels.ts';
import type { FoundFace } from './find-face.ts';

/** The messages between the page and the worker that finds faces. */
export type FaceQuestion = { base: string } | { id: number; pixels: Pixels };
export type FaceAnswer = { ready: true } | { id: number; found: FoundFace } | { fault: string };
