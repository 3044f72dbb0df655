import type { Quad } from '../images/geometry.ts';
import type { Raster } from '../images/raster.ts';
import type { ModelName } from '../ocr/models.ts';
import { colourBands } from './colour-bands.ts';
import { findEarlierSave, missingInPortrait } from './earlier-save.ts';
import { type Grain, grainOf, noiseOf } from './grain.ts';
import { greenOf } from './green.ts';
import { gridSigns } from './grid-peak.ts';
import { hardLine } from './hard-lines.ts';
import type { JpegTable } from './jpeg-table.ts';
import { ownColour } from './own-colour.ts';
import { portraitSharpness } from './portrait-sharpness.ts';
import { portraitSigns } from './portrait-signs.ts';
import type { ZoneLine } from './zone-strip.ts';
import { zoneSigns } from './zone-strokes.ts';

export const AUTHENTICITY_MODEL: ModelName = { name: 'grove-document-signs', version: '17' };

/**
 * The measurements, and the bound beyond which each is a sign by itself. Set on photographs of public specimens and on
 * the attacks of `src/attacks` (docs/vision-documents.md has the numbers).
 */
export const AUTHENTICITY_BOUNDS = {
  /** Colour beyond the tint of the light, without the margins if there is less; little is a grey copy. */
  ownColour: { bound: 2.3, sign: 'below' },
  /** One frequency above its surroundings; more is a screen or a printer's dots. */
  gridPeak: { bound: 4.7, sign: 'above' },
  /** One frequency of the document above its surroundings, on average of all its parts. */
  gridShared: { bound: 3.6, sign: 'above' },
  /** How much the hue turns round across the document; more is the beat between the pixels of a screen and the camera's. */
  colourBands: { bound: 2.5, sign: 'above' },
  /** Noise in the flat places, in steps of 255; less came from no camera. */
  sensorNoise: { bound: 0.01, sign: 'below' },
  /** The three weakest of the edges around the portrait, as their geometric mean: a sign on the side with the zone, elsewhere with the noise. */
  portraitEdges: { bound: 36.5, sign: 'above' },
  /** The visible share of the weakest of four lines around the portrait: a sign where portraits fade into print. */
  portraitFrame: { bound: 0.867, sign: 'above' },
  /** How much the noise of the portrait differs from that of the card, as a logarithm: a sign with the edges only. */
  portraitNoise: { bound: 0.5, sign: 'above' },
  /**
   * How much likelier the portrait is without the earlier JPEG save of the card than with it, as a logarithm: it was
   * inserted after that save.
   */
  portraitSave: { bound: 10, sign: 'above' },
  /** How much sharper the portrait is than the print, as a share of an edge: another lens photographed it. */
  portraitSharpness: { bound: 0.05, sign: 'above' },
  /** The longest straight edge that no lens has blurred, in heights of the document: something was put into the picture. */
  cutBorder: { bound: 0.1, sign: 'above' },
  /** How much more ink the fullest digit of the zone has than others: it was written over another digit. */
  zoneStrokes: { bound: 0.26, sign: 'above' },
  /** How far the colour of a digit's ink is from that of its line: it was written with a pen. */
  zoneColour: { bound: 0.13, sign: 'above' },
  /** How much the two most alike digits of a line differ, in pixels: a smaller difference means a copy. */
  zoneCopies: { bound: 0.1, sign: 'below' },
  /** How much brighter the paper behind two digits of the zone is than usual, as a multiple of its variation: it was painted over. */
  zonePaper: { bound: 1.35, sign: 'above' },
  /** As `portraitSave`, for two digits of the zone: they were inserted or moved after that save. */
  zoneSave: { bound: 8, sign: 'above' },
} as const;

export type AuthenticitySignalName = keyof typeof AUTHENTICITY_BOUNDS;
export type AuthenticitySignal = {
  readonly name: AuthenticitySignalName;
  /** Missing if it could not be measured. */
  readonly value?: number;
  readonly bound: number;
  /** Whether the value is on the wrong side of the bound. */
  readonly isSign: boolean;
};

type Face = { readonly x: number; readonly y: number; readonly width: number; readonly height: number };

/** The findings on a side that are needed to measure its signals. */
export type SideParts = {
  readonly face?: Face | undefined;
  /** The quantisation table of the file, if it is a JPEG. */
  readonly table?: JpegTable | undefined;
  /** The lines of the zone that have digits under check digits. */
  readonly zoneLines?: readonly ZoneLine[];
};

/** Measures every signal, with its number and its bound. None of them proves that a document is genuine. */
export function measureAuthenticity(
  image: Raster,
  straight: Raster,
  quad: Quad,
  { face, table, zoneLines = [] }: SideParts,
): AuthenticitySignal[] {
  const green = greenOf(image, quad);
  const grain = grainOf(green, quad);
  const portrait = face && portraitSigns(straight, face, grain);
  const grid = gridSigns(green, quad);
  const save = findEarlierSave(image, quad, table, face && shareOf(face, straight));
  const zone = zoneSigns(image, zoneLines, save);
  return [
    signal('ownColour', ownColour(straight)),
    signal('gridPeak', grid?.peak),
    signal('gridShared', grid?.shared),
    signal('colourBands', colourBands(straight)),
    signal('sensorNoise', sensorNoise(grain)),
    signal('portraitEdges', portrait?.edges),
    signal('portraitFrame', portrait?.frame),
    signal('portraitNoise', portrait?.noise === undefined ? undefined : Math.abs(portrait.noise)),
    signal('portraitSave', face && save && missingInPortrait(save)),
    signal('portraitSharpness', face && portraitSharpness(image, quad, inShares(face, straight))),
    signal('cutBorder', hardLine(green, quad)),
    signal('zoneStrokes', zone.strokes),
    signal('zoneColour', zone.colour),
    signal('zoneCopies', zone.copies),
    signal('zonePaper', zone.paper),
    signal('zoneSave', zone.save),
  ];
}

/** Noise this strong in a tenth of the flat places is also found in a quarter of them, even after a coarse save. */
const STRONG_NOISE = 0.2;

/**
 * A camera's noise is much the same in all flat places. So if it is strong in some, it is looked for in the quietest
 * quarter: fine lines look like noise, but a drawing has places without any. If it is weak everywhere, a coarse save has
 * removed it from most places, and the noisier quarter tells whether there was any.
 */
function sensorNoise(grain: Grain): number | undefined {
  const noisiest = noiseOf(grain, undefined, 0.9);
  return noiseOf(grain, undefined, noisiest !== undefined && noisiest >= STRONG_NOISE ? 0.25 : 0.75);
}

/** The part around the face that certainly belongs to the portrait, in shares of the document. */
function shareOf({ x, y, width, height }: Face, straight: Raster): Face {
  const around = { x: x - 0.1 * width, y: y - 0.1 * height, width: 1.2 * width, height: 1.2 * height };
  return inShares(around, straight);
}

function inShares({ x, y, width, height }: Face, straight: Raster): Face {
  return {
    x: x / straight.width,
    y: y / straight.height,
    width: width / straight.width,
    height: height / straight.height,
  };
}

function signal(name: AuthenticitySignalName, value: number | undefined): AuthenticitySignal {
  const { bound, sign } = AUTHENTICITY_BOUNDS[name];
  if (value === undefined) return { name, bound, isSign: false };
  const isSign = sign === 'below' ? value < bound : value >= bound;
  return { name, value: Math.round(value * 1000) / 1000, bound, isSign };
}
