import { MAX_UPLOAD_BYTES } from '../../page-rules.ts';
import { fitWithin, type Region } from './geometry.ts';
import { type FileKind, SNIFFED_BYTES, sniffFile } from './sniff-file.ts';

/** A photograph that is ready to be uploaded. */
export type Picture = { readonly blob: Blob; readonly width: number; readonly height: number };
/** The chosen file: a photograph, or a PDF, of which only the server makes a picture. */
export type ChosenFile = Picture | { readonly blob: Blob; readonly width?: undefined; readonly height?: undefined };

export const PDF_TYPE = 'application/pdf';

export const PICTURE_LIMITS = {
  longEdge: 2560,
  bytes: 4 * 1024 * 1024,
  quality: 0.9,
  /** The quality of a frame of a challenge. */
  frameQuality: 0.85,
  fileBytes: 25 * 1024 * 1024,
  /** A PDF is uploaded unchanged. */
  pdfBytes: MAX_UPLOAD_BYTES,
  /** A smaller picture holds no readable document and no face. */
  fileEdge: 300,
} as const;

export type FileFault = 'empty' | 'tooLarge' | 'tooSmall' | 'unreadable' | 'wrongType';
export class BadFile extends Error {
  readonly fault: FileFault;
  readonly kind: FileKind;

  constructor(fault: FileFault, kind: FileKind = 'other') {
    super(fault);
    this.fault = fault;
    this.kind = kind;
  }
}

type Drawable = HTMLVideoElement | HTMLCanvasElement | ImageBitmap | HTMLImageElement;

/** Draws a region of a picture, shrunk to the long edge. */
export function draw(source: Drawable, region: Region, longEdge: number): HTMLCanvasElement {
  const { width, height } = fitWithin(region, longEdge);
  const canvas = document.createElement('canvas');
  canvas.width = width;
  canvas.height = height;
  const context = canvas.getContext('2d');
  if (!context) throw new BadFile('unreadable');
  context.drawImage(source, region.left, region.top, region.width, region.height, 0, 0, width, height);
  return canvas;
}

/** Encodes a picture at the best quality that fits: first it gets coarser, then smaller. */
export async function encodePicture(canvas: HTMLCanvasElement): Promise<Picture> {
  const whole = { left: 0, top: 0, width: canvas.width, height: canvas.height };
  for (const edge of [PICTURE_LIMITS.longEdge, 1920, 1280]) {
    const fitted = Math.max(canvas.width, canvas.height) > edge ? draw(canvas, whole, edge) : canvas;
    for (const quality of [PICTURE_LIMITS.quality, 0.8, 0.7]) {
      const blob = await toJpeg(fitted, quality);
      if (blob.size <= PICTURE_LIMITS.bytes) return { blob, width: fitted.width, height: fitted.height };
    }
  }
  throw new BadFile('tooLarge');
}

export function toJpeg(canvas: HTMLCanvasElement, quality: number): Promise<Blob> {
  return new Promise((resolve, reject) => {
    const take = (blob: Blob | null) => (blob ? resolve(blob) : reject(new BadFile('unreadable')));
    canvas.toBlob(take, 'image/jpeg', quality);
  });
}

/**
 * Turns a chosen file into a JPEG of the usual size, or keeps it as a PDF. Throws `BadFile`, whose reason can be
 * explained, for anything else.
 */
export async function pictureOfFile(file: Blob, { pdf }: { pdf: boolean }): Promise<ChosenFile> {
  if (file.size === 0) throw new BadFile('empty');
  if (file.size > PICTURE_LIMITS.fileBytes) throw new BadFile('tooLarge');
  const kind = sniffFile(new Uint8Array(await file.slice(0, SNIFFED_BYTES).arrayBuffer()));
  if (kind === 'pdf' && pdf) {
    if (file.size > PICTURE_LIMITS.pdfBytes) throw new BadFile('tooLarge', kind);
    return { blob: file.slice(0, file.size, PDF_TYPE) };
  }
  if (kind !== 'jpeg' && kind !== 'png' && kind !== 'webp') throw new BadFile('wrongType', kind);
  const address = URL.createObjectURL(file);
  try {
    const image = await decode(address);
    const size = { width: image.naturalWidth, height: image.naturalHeight };
    if (Math.max(size.width, size.height) < PICTURE_LIMITS.fileEdge) throw new BadFile('tooSmall', kind);
    return await encodePicture(draw(image, { left: 0, top: 0, ...size }, PICTURE_LIMITS.longEdge));
  } finally {
    URL.revokeObjectURL(address);
  }
}

/** Image elements rotate a photograph as its camera was held; `createImageBitmap` does not in every browser. */
function decode(address: string): Promise<HTMLImageElement> {
  const image = new Image();
  return new Promise((resolve, reject) => {
    image.onload = () => resolve(image);
    image.onerror = () => reject(new BadFile('unreadable'));
    image.src = address;
  });
}
