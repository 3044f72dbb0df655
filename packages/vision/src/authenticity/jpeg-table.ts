/** The quantisation table of the luminance of a JPEG file, and the size of its picture. */
export type JpegTable = {
  readonly width: number;
  readonly height: number;
  /** The 64 quantisation steps of the luminance, row by row; the first is that of the mean. */
  readonly steps: Uint16Array;
};

const ZIGZAG = [
  0, 1, 8, 16, 9, 2, 3, 10, 17, 24, 32, 25, 18, 11, 4, 5, 12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13, 6, 7, 14, 21, 28,
  35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47,
  55, 62, 63,
] as const;
const MAX_SEGMENTS = 200;
const TABLES = 0xdb;
const SCAN = 0xda;

/** Reads the table of luminance; undefined if the bytes are not a JPEG or have no table before the scan. */
export function jpegTable(bytes: Uint8Array): JpegTable | undefined {
  if (bytes[0] !== 0xff || bytes[1] !== 0xd8) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const tables = new Map<number, Uint16Array>();
  let frame: { width: number; height: number; table: number } | undefined;
  let at = 2;
  for (let count = 0; count < MAX_SEGMENTS && at + 4 <= bytes.length; count += 1) {
    const marker = bytes[at + 1] as number;
    const end = at + 2 + view.getUint16(at + 2);
    if (bytes[at] !== 0xff || end > bytes.length) return undefined;
    if (marker === TABLES) readTables(view, at + 4, end, tables);
    // Baseline, extended and progressive.
    if (marker >= 0xc0 && marker <= 0xc2 && at + 13 <= end) {
      frame = { height: view.getUint16(at + 5), width: view.getUint16(at + 7), table: bytes[at + 12] as number };
    }
    if (marker === SCAN) break;
    at = end;
  }
  const steps = frame && tables.get(frame.table);
  return frame && steps ? { width: frame.width, height: frame.height, steps } : undefined;
}

function readTables(view: DataView, from: number, end: number, tables: Map<number, Uint16Array>): void {
  for (let at = from; at < end; ) {
    const head = view.getUint8(at);
    const isWide = head >> 4 === 1;
    const length = isWide ? 128 : 64;
    if (at + 1 + length > end) return;
    const steps = new Uint16Array(64);
    ZIGZAG.forEach((position, i) => {
      steps[position] = isWide ? view.getUint16(at + 1 + 2 * i) : view.getUint8(at + 1 + i);
    });
    tables.set(head & 15, steps);
    at += 1 + length;
  }
}
