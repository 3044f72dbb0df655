/** A picture of one channel. */
export type Plane = { readonly width: number; readonly height: number; readonly data: Float32Array };

/** For each pixel of one picture, its displacement in the other. */
export type Flow = { readonly x: Float32Array; readonly y: Float32Array };

const LEVELS = 3;
const ITERATIONS = 3;
/** The window in which the motion is assumed to be constant, as the deviation of a bell curve. */
const WINDOW = 3;
const SMOOTHING = 2;
/** Without structure in the window, there is no motion. */
const DAMPING = 60;
/** The maximum motion of one iteration in pixels: a larger step is a false match. */
const LONGEST_STEP = 1.5;

/** A picture and its smaller copies, each half as large as the one before. */
export type Pyramid = readonly Plane[];

export function pyramidOf(plane: Plane): Pyramid {
  const planes = [plane];
  while (planes.length < LEVELS) planes.push(halve(planes.at(-1) as Plane));
  return planes;
}

/**
 * Dense optical flow by Lucas and Kanade, from coarse to fine: for each pixel of `one`, the shift at which `other`
 * looks alike. Both must have the same size.
 */
export function denseFlow(one: Pyramid, other: Pyramid): Flow {
  let flow: Flow | undefined;
  for (let level = LEVELS - 1; level >= 0; level -= 1) {
    const [from, to] = [one[level] as Plane, other[level] as Plane];
    flow = refine(from, to, flow ? enlarge(flow, from) : stillness(from));
  }
  return flow as Flow;
}

/** Reused buffers for one size: a judgement refines a hundred times, and allocation each time is slow. */
type Scratch = {
  readonly moved: Float32Array;
  readonly products: readonly Float32Array[];
  readonly rest: Float32Array;
};
const scratches = new Map<number, Scratch>();

function scratchOf(size: number): Scratch {
  const cached = scratches.get(size);
  if (cached) return cached;
  const plane = () => new Float32Array(size);
  const scratch = { moved: plane(), products: Array.from({ length: 5 }, plane), rest: plane() };
  scratches.set(size, scratch);
  return scratch;
}

/** Changes `flow`, and returns it. */
function refine(one: Plane, other: Plane, flow: Flow): Flow {
  const { width } = one;
  const { moved, products, rest } = scratchOf(one.data.length);
  for (let times = 0; times < ITERATIONS; times += 1) {
    pullInto(moved, other, flow);
    multiplySlopes(one, moved, products);
    for (const product of products) blurInto(product, product, rest, width, WINDOW);
    moveFurther(flow, products);
    blurInto(flow.x, flow.x, rest, width, SMOOTHING);
    blurInto(flow.y, flow.y, rest, width, SMOOTHING);
  }
  return flow;
}

/** The products of the slopes across, down and between the pictures. */
function multiplySlopes({ width, height, data }: Plane, moved: Float32Array, products: readonly Float32Array[]): void {
  const [xx, xy, yy, xt, yt] = products as [Float32Array, Float32Array, Float32Array, Float32Array, Float32Array];
  // The border has no slope.
  for (const product of products) product.fill(0);
  for (let y = 1; y < height - 1; y += 1) {
    for (let at = y * width + 1; at < (y + 1) * width - 1; at += 1) {
      const gx = ((moved[at + 1] as number) - (moved[at - 1] as number)) / 2;
      const gy = ((moved[at + width] as number) - (moved[at - width] as number)) / 2;
      const gt = (moved[at] as number) - (data[at] as number);
      xx[at] = gx * gx;
      xy[at] = gx * gy;
      yy[at] = gy * gy;
      xt[at] = gx * gt;
      yt[at] = gy * gt;
    }
  }
}

function moveFurther(flow: Flow, products: readonly Float32Array[]): void {
  const [xx, xy, yy, xt, yt] = products as [Float32Array, Float32Array, Float32Array, Float32Array, Float32Array];
  for (let at = 0; at < xx.length; at += 1) {
    const a = (xx[at] as number) + DAMPING;
    const b = xy[at] as number;
    const c = (yy[at] as number) + DAMPING;
    const determinant = a * c - b * b;
    const u = -(c * (xt[at] as number) - b * (yt[at] as number)) / determinant;
    const v = -(a * (yt[at] as number) - b * (xt[at] as number)) / determinant;
    flow.x[at] = (flow.x[at] as number) + clamp(u);
    flow.y[at] = (flow.y[at] as number) + clamp(v);
  }
}

function clamp(step: number): number {
  return Math.max(-LONGEST_STEP, Math.min(LONGEST_STEP, step));
}

/** The picture seen through the flow. Outside of it, its nearest edge is repeated. */
export function pull(plane: Plane, flow: Flow): Plane {
  const data = new Float32Array(plane.data.length);
  pullInto(data, plane, flow);
  return { ...plane, data };
}

function pullInto(out: Float32Array, { width, height, data }: Plane, flow: Flow): void {
  for (let y = 0, at = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1, at += 1) {
      const px = Math.min(width - 1.001, Math.max(0, x + (flow.x[at] as number)));
      const py = Math.min(height - 1.001, Math.max(0, y + (flow.y[at] as number)));
      const x0 = px | 0;
      const y0 = py | 0;
      const fx = px - x0;
      const fy = py - y0;
      const from = y0 * width + x0;
      const top = (data[from] as number) * (1 - fx) + (data[from + 1] as number) * fx;
      const bottom = (data[from + width] as number) * (1 - fx) + (data[from + width + 1] as number) * fx;
      out[at] = top * (1 - fy) + bottom * fy;
    }
  }
}

/** Approximates a bell curve: two running means over rows and two over columns, whatever its width. */
export function blur(plane: Plane, deviation: number): Plane {
  const data = new Float32Array(plane.data.length);
  blurInto(data, plane.data, new Float32Array(data.length), plane.width, deviation);
  return { ...plane, data };
}

/** `to` may be `from`; the content of `rest` is lost. */
function blurInto(to: Float32Array, from: Float32Array, rest: Float32Array, width: number, deviation: number): void {
  const reach = Math.max(1, Math.round((Math.sqrt(6 * deviation ** 2 + 1) - 1) / 2));
  meanAlongRows(from, rest, width, reach);
  meanAlongRows(rest, to, width, reach);
  meanAlongColumns(to, rest, width, reach);
  meanAlongColumns(rest, to, width, reach);
}

/** Beyond the ends of a row, its last value is repeated. */
function meanAlongRows(from: Float32Array, to: Float32Array, width: number, reach: number): void {
  const share = 1 / (reach * 2 + 1);
  for (let first = 0; first < from.length; first += width) {
    const last = first + width - 1;
    const left = from[first] as number;
    const right = from[last] as number;
    let sum = left * (reach + 1);
    for (let tap = 1; tap <= reach; tap += 1) sum += from[Math.min(last, first + tap)] as number;
    for (let at = first; at <= last; at += 1) {
      to[at] = sum * share;
      const enters = at + reach < last ? (from[at + reach + 1] as number) : right;
      const leaves = at - reach > first ? (from[at - reach] as number) : left;
      sum += enters - leaves;
    }
  }
}

/** The same for columns, row by row, in the order of memory. */
function meanAlongColumns(from: Float32Array, to: Float32Array, width: number, reach: number): void {
  const share = 1 / (reach * 2 + 1);
  const last = from.length - width;
  const sums = new Float64Array(width);
  for (let x = 0; x < width; x += 1) sums[x] = (from[x] as number) * (reach + 1);
  for (let tap = 1; tap <= reach; tap += 1) {
    const row = Math.min(last, tap * width);
    for (let x = 0; x < width; x += 1) sums[x] = (sums[x] as number) + (from[row + x] as number);
  }
  for (let row = 0; row <= last; row += width) {
    const enters = Math.min(last, row + (reach + 1) * width);
    const leaves = Math.max(0, row - reach * width);
    for (let x = 0; x < width; x += 1) {
      const sum = sums[x] as number;
      to[row + x] = sum * share;
      sums[x] = sum + ((from[enters + x] as number) - (from[leaves + x] as number));
    }
  }
}

function halve(plane: Plane): Plane {
  const { data, width: before } = blur(plane, 1);
  const width = Math.floor(plane.width / 2);
  const height = Math.floor(plane.height / 2);
  const out = new Float32Array(width * height);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) out[y * width + x] = data[y * 2 * before + x * 2] as number;
  }
  return { width, height, data: out };
}

function enlarge({ x, y }: Flow, { width, height }: Plane): Flow {
  const half = Math.floor(width / 2);
  const rows = Math.floor(height / 2);
  const grow = (data: Float32Array) => {
    const out = new Float32Array(width * height);
    for (let v = 0; v < height; v += 1) {
      const row = Math.min(rows - 1, v >> 1);
      for (let u = 0; u < width; u += 1)
        out[v * width + u] = 2 * (data[row * half + Math.min(half - 1, u >> 1)] as number);
    }
    return out;
  };
  return { x: grow(x), y: grow(y) };
}

function stillness({ width, height }: Plane): Flow {
  return { x: new Float32Array(width * height), y: new Float32Array(width * height) };
}
