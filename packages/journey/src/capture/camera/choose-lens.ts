import type { Pixels } from '../pixels.ts';

/** A camera of `enumerateDevices`. Its label is empty until the camera was allowed. */
export type Lens = { readonly deviceId: string; readonly label: string };
export type Facing = 'environment' | 'user';

/** Lenses that photograph a document badly: wide-angle and macro lenses, and those for depth and heat. */
const SPECIAL = /ultra|wide angle|telephoto|infrared|\bir\b|depth|monochrome|thermal|macro|desk view/i;
/** A combination of lenses from which the system chooses; it is good at any distance. */
const COMBINED = /triple|dual/i;
const BACK = /back|rear|environment|rück|arrière|trasera|traseira|posteriore|tył|خلفية/i;
const FRONT = /front|user|facetime|selfie|vorder|avant|frontal|anteriore|przód|أمامية/i;
const VIRTUAL = /virtual|obs\b|manycam|snap camera|xsplit|droidcam|splitcam|v4l2loopback|screen capture|ndi /i;

/**
 * Chooses the main lens. Android numbers its cameras, and the first that faces back is the main one; elsewhere the
 * label tells. Returns `null` if no lens is better than the open one.
 */
export function chooseLens(lenses: readonly Lens[], open: Lens, facing: Facing): Lens | null {
  const fitting = lenses.filter(({ label }) => label !== '' && isFacing(label, facing) && !VIRTUAL.test(label));
  if (!isSpecial(open.label) && (fitting.length === 0 || !isNumbered(open.label))) return null;
  const [best] = [...fitting].sort((one, other) => rank(one.label) - rank(other.label));
  if (!best || best.deviceId === open.deviceId || rank(best.label) >= rank(open.label)) return null;
  return best;
}

/** The lenses that the person can switch to, the open one first. */
export function lensesInTurn(lenses: readonly Lens[], open: Lens): Lens[] {
  const at = lenses.findIndex(({ deviceId }) => deviceId === open.deviceId);
  return at < 0 ? [...lenses] : [...lenses.slice(at), ...lenses.slice(0, at)];
}

export function isVirtual(label: string): boolean {
  return VIRTUAL.test(label);
}

/** Removes everything from a label that looks like a path of a file system. */
export function labelToSend(label: string): string {
  return /[\\/]/.test(label) ? 'file' : label.slice(0, MAX_LABEL);
}

const MAX_LABEL = 80;

function isSpecial(label: string): boolean {
  return SPECIAL.test(label) && !COMBINED.test(label);
}

function isNumbered(label: string): boolean {
  return /camera2? \d+/i.test(label);
}

function isFacing(label: string, facing: Facing): boolean {
  return facing === 'environment' ? BACK.test(label) : FRONT.test(label);
}

function rank(label: string): number {
  const number = Number(/camera2? (\d+)/i.exec(label)?.[1] ?? 0);
  return (isSpecial(label) ? 100 : 0) + Math.min(number, 99);
}

/** Whether a picture has no colour at all, as those of an infrared or covered lens. */
export function isGreyFrame({ data }: Pixels): boolean {
  let strongest = 0;
  for (let at = 0; at < data.length; at += 4) {
    const [red, green, blue] = [data[at] ?? 0, data[at + 1] ?? 0, data[at + 2] ?? 0];
    strongest = Math.max(strongest, Math.max(red, green, blue) - Math.min(red, green, blue));
    if (strongest > GREY_DIFFERENCE) return false;
  }
  return true;
}

const GREY_DIFFERENCE = 6;
