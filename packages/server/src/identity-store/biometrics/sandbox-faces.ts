import type { FaceTemplate } from '../../engines/vision/vision.ts';

/**
 * Sandbox faces: a JSON document replaces the image and names the person it shows. Two documents match if they name the
 * same person. Only callers of the test environment can use them. They have an algorithm of their own, so they can
 * never be compared with a real face.
 */
export const SANDBOX_ALGORITHM = 'SANDBOX';

const ALIKE = 0.97;
const UNLIKE = 0.07;
const QUALITY = 0.9;
const MAX_STAND_IN_BYTES = 64 * 1024;

type StandIn = {
  person?: string;
  /** The score of a comparison with another document of the same person. */
  score?: number;
  quality?: number;
  /** The reason why there is no template, such as `no_face`. */
  fault?: string;
};

export function isStandIn(bytes: Uint8Array): boolean {
  return bytes[0] === '{'.charCodeAt(0) && bytes.length <= MAX_STAND_IN_BYTES;
}

export function standInTemplate(bytes: Buffer): FaceTemplate {
  const standIn = readStandIn(bytes);
  if (!standIn) return { template: undefined, reason: 'not_an_image' };
  if (standIn.fault !== undefined) return { template: undefined, reason: standIn.fault };
  const { person = '', score, quality = QUALITY } = standIn;
  const template = Buffer.from(JSON.stringify({ person, ...(score !== undefined && { score }) }));
  return { template, quality, reasons: quality < QUALITY ? ['too_dark'] : [] };
}

/** For the same person, the presented document sets the score. */
export function compareStandIns(stored: Uint8Array, presented: Uint8Array): number {
  const [one, other] = [readStandIn(stored), readStandIn(presented)];
  if (!one || !other) throw new Error('the template is not a stand-in');
  return one.person === other.person ? (other.score ?? ALIKE) : UNLIKE;
}

function readStandIn(bytes: Uint8Array): StandIn | undefined {
  let parsed: unknown;
  try {
    parsed = JSON.parse(Buffer.from(bytes).toString('utf8'));
  } catch {
    return undefined;
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return undefined;
  const { person, score, quality, fault } = parsed as Record<string, unknown>;
  return {
    ...(typeof person === 'string' && { person: person.slice(0, 200) }),
    ...(typeof score === 'number' && { score }),
    ...(typeof quality === 'number' && { quality }),
    ...(typeof fault === 'string' && { fault: fault.slice(0, 50) }),
  };
}
