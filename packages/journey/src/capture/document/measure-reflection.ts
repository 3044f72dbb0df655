/**
 * Finds light that lies over the card and hides print, also if the camera does not show it as white. Print is darker
 * than paper, so in every small tile of a card the darkest tenth is darker than the paper around it. Under a reflection
 * it is brighter. The brightness of paper follows the light across the card: a lamp at the side makes one end brighter.
 */
type Grey = { readonly width: number; readonly height: number; readonly grey: Float32Array };

/** A share of the width: letters are smaller than a tile, and a reflection is larger. */
const TILE_SHARE = 1 / 40;
const PAPER = 0.9;
const INK = 0.1;
/** A factor above the brightness of paper that the noise of a camera does not reach. */
const BRIGHTER = 1.03;
/** The paper is found in rounds: tiles that stand out, such as the reflection itself, are left out of the next one. */
const ROUNDS = 3;
const STANDS_OUT = 2.5;

type Tiles = { columns: number; rows: number; side: number; paper: Float32Array; ink: Float32Array };
/** The brightness at the middle, and how much it rises from left to right and from top to bottom. */
type Plane = { middle: number; across: number; down: number };

/** The side of the largest square under a reflection, as a share of the width. */
export function reflectionOf(card: Grey): number {
  const tiles = tilesOf(card);
  const { columns, rows, side, ink } = tiles;
  const plane = paperPlane(tiles);
  const squares = new Uint16Array(columns * rows);
  let largest = 0;
  for (let at = 0; at < squares.length; at += 1) {
    if ((ink[at] as number) <= brightnessIn(plane, tiles, at) * BRIGHTER) continue;
    const isEdge = at < columns || at % columns === 0;
    const [left = 0, above = 0, corner = 0] = [squares[at - 1], squares[at - columns], squares[at - columns - 1]];
    squares[at] = isEdge ? 1 : Math.min(left, above, corner) + 1;
    largest = Math.max(largest, squares[at] as number);
  }
  return (largest * side) / card.width;
}

function tilesOf({ width, height, grey }: Grey): Tiles {
  const side = Math.max(2, Math.round(width * TILE_SHARE));
  const [columns, rows] = [Math.floor(width / side), Math.floor(height / side)];
  const [paper, ink] = [new Float32Array(columns * rows), new Float32Array(columns * rows)];
  const values = new Float32Array(side * side);
  for (let at = 0; at < paper.length; at += 1) {
    const corner = Math.floor(at / columns) * side * width + (at % columns) * side;
    for (let row = 0; row < side; row += 1) {
      const from = corner + row * width;
      values.set(grey.subarray(from, from + side), row * side);
    }
    values.sort();
    paper[at] = values[Math.floor(values.length * PAPER)] as number;
    ink[at] = values[Math.floor(values.length * INK)] as number;
  }
  return { columns, rows, side, paper, ink };
}

function brightnessIn({ middle, across, down }: Plane, { columns, rows }: Tiles, at: number): number {
  return middle + across * ((at % columns) / columns - 0.5) + down * (Math.floor(at / columns) / rows - 0.5);
}

/** A least-squares fit in both directions at once; they are orthogonal. */
function paperPlane(tiles: Tiles): Plane {
  const { columns, rows, paper } = tiles;
  let plane: Plane = { middle: 0, across: 0, down: 0 };
  let used = Array.from(paper.keys());
  for (let round = 0; round < ROUNDS; round += 1) {
    const mean = (of: (at: number) => number) => used.reduce((sum, at) => sum + of(at), 0) / Math.max(1, used.length);
    const [x, y] = [
      (at: number) => (at % columns) / columns - 0.5,
      (at: number) => Math.floor(at / columns) / rows - 0.5,
    ];
    const [meanX, meanY, level] = [mean(x), mean(y), mean((at) => paper[at] as number)];
    const slope = (of: (at: number) => number, middle: number) =>
      mean((at) => (of(at) - middle) * (paper[at] as number)) /
      Math.max(
        1e-6,
        mean((at) => (of(at) - middle) ** 2),
      );
    const [across, down] = [slope(x, meanX), slope(y, meanY)];
    plane = { middle: level - across * meanX - down * meanY, across, down };
    const beside = paper.map((value, at) => Math.abs(value - brightnessIn(plane, tiles, at)));
    const usual = beside.toSorted()[Math.floor(beside.length / 2)] ?? 0;
    used = [...paper.keys()].filter((at) => (beside[at] as number) <= STANDS_OUT * usual + 1);
  }
  return plane;
}
