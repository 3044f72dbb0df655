import type { Pixels } from '../pixels.ts';
import type { FoundFace } from './find-face.ts';

/** What the page asks of the worker that finds faces, and what it answers. */
export type FaceQuestion = { base: string } | { id: number; pixels: Pixels };
export type FaceAnswer = { ready: true } | { id: number; found: FoundFace } | { fault: string };
