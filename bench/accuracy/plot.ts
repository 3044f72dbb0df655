import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

export type Curve = { readonly name: string; readonly points: readonly { x: number; y: number }[] };

const WIDTH = 640;
const HEIGHT = 440;
const LEFT = 70;
const RIGHT = 20;
const TOP = 40;
const BOTTOM = 60;
const COLOURS = ['#1b6e53', '#b3541e', '#3c5a99'];

export type Plot = {
  title: string;
  xLabel: string;
  yLabel: string;
  /** The x axis is logarithmic, from here to 1. */
  xFrom: number;
  yFrom: number;
  curves: readonly Curve[];
};

/** Draws the curves as SVG, which every browser shows. */
export function drawPlot({ title, xLabel, yLabel, xFrom, yFrom, curves }: Plot): string {
  const decades = -Math.log10(xFrom);
  const x = (value: number) => LEFT + (1 + Math.log10(Math.max(value, xFrom)) / decades) * (WIDTH - LEFT - RIGHT);
  const y = (value: number) => TOP + ((1 - Math.max(value, yFrom)) / (1 - yFrom)) * (HEIGHT - TOP - BOTTOM);
  const parts: string[] = [];
  for (let decade = 0; decade <= Math.round(decades); decade += 1) {
    const value = 10 ** -decade;
    parts.push(line(x(value), TOP, x(value), HEIGHT - BOTTOM), text(x(value), HEIGHT - BOTTOM + 18, `${value}`));
  }
  for (let step = 0; step <= 5; step += 1) {
    const value = yFrom + ((1 - yFrom) * step) / 5;
    parts.push(line(LEFT, y(value), WIDTH - RIGHT, y(value)), text(LEFT - 28, y(value) + 4, value.toFixed(3)));
  }
  curves.forEach(({ name, points }, at) => {
    const colour = COLOURS[at % COLOURS.length];
    const path = points.map((point) => `${x(point.x).toFixed(1)},${y(point.y).toFixed(1)}`).join(' ');
    parts.push(`<polyline points="${path}" fill="none" stroke="${colour}" stroke-width="2"/>`);
    parts.push(`<text x="${LEFT + 12}" y="${TOP + 20 + at * 18}" fill="${colour}">${escaped(name)}</text>`);
  });
  parts.push(text(WIDTH / 2, 22, title), text((LEFT + WIDTH) / 2, HEIGHT - 16, xLabel));
  parts.push(
    `<text transform="translate(16 ${HEIGHT / 2}) rotate(-90)" text-anchor="middle">${escaped(yLabel)}</text>`,
  );
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="12">` +
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="#ffffff"/>${parts.join('')}</svg>\n`
  );
}

export function writePlot(file: string, plot: Plot): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, drawPlot(plot));
}

function line(x1: number, y1: number, x2: number, y2: number): string {
  return `<line x1="${x1.toFixed(1)}" y1="${y1.toFixed(1)}" x2="${x2.toFixed(1)}" y2="${y2.toFixed(1)}" stroke="#dddddd"/>`;
}

function text(x: number, y: number, words: string): string {
  return `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" text-anchor="middle" fill="#333333">${escaped(words)}</text>`;
}

export function escaped(words: string): string {
  return words.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
