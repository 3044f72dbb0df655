import type { ImageType } from './detect-image-type.ts';

/**
 * Checks the container of an image before its pixels are decoded. A decoder silently takes the first of several frames,
 * so a reviewer could see another picture than the machine; and of a truncated file it shows what is there.
 */
export function faultOfContainer(type: ImageType, bytes: Buffer): 'animated' | 'truncated' | undefined {
  switch (type) {
    case 'image/png':
      return faultOfPng(bytes);
    case 'image/webp':
      return faultOfWebp(bytes);
    default:
      // A JPEG has one frame. Only its decoder can say whether its end is there.
      return undefined;
  }
}

const PNG_SIGNATURE = 8;
/** Length and name before the data of a chunk, and its checksum after it. */
const CHUNK_FRAME = 12;

/**
 * An `acTL` chunk makes an animation. After the pixels it would mean nothing, but nobody has a reason to put it there.
 */
function faultOfPng(bytes: Buffer): 'animated' | 'truncated' | undefined {
  for (let at = PNG_SIGNATURE; at + CHUNK_FRAME <= bytes.length; at += CHUNK_FRAME + bytes.readUInt32BE(at)) {
    const name = bytes.toString('latin1', at + 4, at + 8);
    if (name === 'acTL') return 'animated';
    if (name === 'IEND') return undefined;
  }
  return 'truncated';
}

const RIFF_HEADER = 8;
const WEBP_FLAGS_AT = 20;
const WEBP_ANIMATION = 0x02;

function faultOfWebp(bytes: Buffer): 'animated' | 'truncated' | undefined {
  if (bytes.length <= WEBP_FLAGS_AT || bytes.length < RIFF_HEADER + bytes.readUInt32LE(4)) return 'truncated';
  const extended = bytes.toString('latin1', 12, 16) === 'VP8X';
  return extended && ((bytes[WEBP_FLAGS_AT] as number) & WEBP_ANIMATION) !== 0 ? 'animated' : undefined;
}
