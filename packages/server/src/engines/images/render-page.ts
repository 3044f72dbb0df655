import { readFile } from 'node:fs/promises';
import { PDFiumModule } from '@hyzyla/pdfium';
import { MAX_PAGE_EDGE_PIXELS, MAX_PAGE_POINTS, MAX_PAGE_SCALE, MIN_PAGE_POINTS } from './limits.ts';
import type { Reason } from './refused.ts';

/**
 * Draws the first page of a PDF with PDFium in WebAssembly: it sees only its own memory, and this build can run no
 * script. The functions that fill forms and follow actions are never called. Each file gets an instance of its own, so
 * that a hostile file cannot see the next one.
 */
export type Page =
  | { readonly reason: Reason }
  /** Four bytes for each pixel: red, green, blue and an unused one. */
  | { readonly pixels: Uint8Array; readonly width: number; readonly height: number; readonly pages: number };

type Pdfium = Awaited<ReturnType<typeof PDFiumModule>>;

/** Numbers of PDFium: `fpdfview.h`. */
const ERROR_PASSWORD = 4;
const ERROR_SECURITY = 5;
const BITMAP_BGRX = 3;
const DRAW_ANNOTATIONS = 0x01;
const REVERSE_BYTE_ORDER = 0x10;
const WHITE = 0xffffffff;

/** A PDF ends with this marker, and readers look for it in this many bytes at the end. */
const END = '%%EOF';
const END_WITHIN_BYTES = 1024;

export async function renderPage(bytes: Buffer): Promise<Page> {
  if (!bytes.subarray(-END_WITHIN_BYTES).includes(END)) return { reason: 'truncated' };
  const pdfium = await newPdfium();
  const at = pdfium.wasmExports.malloc(bytes.length);
  pdfium.HEAPU8.set(bytes, at);
  const document = pdfium._FPDF_LoadMemDocument(at, bytes.length, 0);
  if (!document) return { reason: faultOf(pdfium._FPDF_GetLastError()) };
  const pages = pdfium._FPDF_GetPageCount(document);
  if (pages < 1) return { reason: 'no_pages' };
  const page = pdfium._FPDF_LoadPage(document, 0);
  if (!page) return { reason: 'no_pages' };
  const size = sizeOf(pdfium._FPDF_GetPageWidth(page), pdfium._FPDF_GetPageHeight(page));
  return size ? { ...renderBitmap(pdfium, page, size), pages } : { reason: 'page_size' };
}

function faultOf(error: number): Reason {
  return error === ERROR_PASSWORD || error === ERROR_SECURITY ? 'encrypted' : 'not_a_pdf';
}

/** The size in pixels, whatever page size the file claims. */
function sizeOf(widthPoints: number, heightPoints: number): { width: number; height: number } | undefined {
  const long = Math.max(widthPoints, heightPoints);
  const short = Math.min(widthPoints, heightPoints);
  if (!(short >= MIN_PAGE_POINTS && long <= MAX_PAGE_POINTS)) return undefined;
  const scale = Math.min(MAX_PAGE_EDGE_PIXELS / long, MAX_PAGE_SCALE);
  return { width: Math.max(1, Math.floor(widthPoints * scale)), height: Math.max(1, Math.floor(heightPoints * scale)) };
}

function renderBitmap(pdfium: Pdfium, page: number, { width, height }: { width: number; height: number }) {
  const bitmap = pdfium._FPDFBitmap_CreateEx(width, height, BITMAP_BGRX, 0, 0);
  if (!bitmap) throw new Error('there is no memory for the page');
  pdfium._FPDFBitmap_FillRect(bitmap, 0, 0, width, height, WHITE);
  pdfium._FPDF_RenderPageBitmap(bitmap, page, 0, 0, width, height, 0, DRAW_ANNOTATIONS | REVERSE_BYTE_ORDER);
  const at = pdfium._FPDFBitmap_GetBuffer(bitmap);
  const bytes = pdfium._FPDFBitmap_GetStride(bitmap) * height;
  // The instance and its memory are dropped together, so the pixels need not be copied.
  return { pixels: pdfium.HEAPU8.subarray(at, at + bytes), width, height };
}

let compiled: Promise<WebAssembly.Module> | undefined;

/** Compiles PDFium once for the life of the process. */
export function pdfiumCode(): Promise<WebAssembly.Module> {
  compiled ??= readFile(new URL(import.meta.resolve('@hyzyla/pdfium/pdfium.wasm'))).then((bytes) =>
    WebAssembly.compile(bytes),
  );
  return compiled;
}

async function newPdfium(): Promise<Pdfium> {
  const code = await pdfiumCode();
  const options = {
    instantiateWasm(imports: WebAssembly.Imports, ready: (instance: never) => void) {
      const instance = new WebAssembly.Instance(code, imports);
      ready(instance as never);
      return instance.exports;
    },
    // Output of PDFium would corrupt the frames on our pipe.
    print: () => undefined,
    printErr: () => undefined,
  };
  const pdfium = await PDFiumModule(options);
  pdfium._FPDF_InitLibraryWithConfig({});
  return pdfium;
}
