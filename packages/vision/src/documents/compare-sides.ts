import {
  type DocumentCheck,
  dateChecks,
  type Facts,
  factsOfLicence,
  factsOfMrz,
  factsOfVisual,
  hasFewDates,
  sourceChecks,
  visualChecks,
} from './checks.ts';
import type { DocumentReading } from './read-document.ts';

/**
 * Compares the sides of one document. Cards have their print in front and their zone or code on the back, so neither
 * picture alone can tell whether they agree. Dates are judged by the zone, or else by the code, or else by the print.
 */
export function compareSides(sides: readonly DocumentReading[], today: string): DocumentCheck[] {
  const mrz = sides.find((side) => side.mrz)?.mrz;
  const licence = sides.find((side) => side.barcode?.licence)?.barcode?.licence;
  const zone: Facts | undefined = mrz && factsOfMrz(mrz, today);
  const card: Facts | undefined = licence && factsOfLicence(licence);
  const prints = sides.flatMap(({ visual }) => visual ?? []);
  const print = {
    lines: prints.flatMap(({ lines }) => lines),
    fields: prints.flatMap(({ fields }) => fields),
    models: prints[0]?.models ?? [],
  };
  return [
    ...dateChecks(zone ?? card ?? factsOfVisual(print), today),
    ...(zone && card ? sourceChecks(zone, card) : []),
    ...(zone ? visualChecks(zone, print, 'mrz', { fewDates: hasFewDates(mrz) }) : []),
    ...(card ? visualChecks(card, print, 'barcode') : []),
  ];
}
