/** A picture of one channel. */
export type Plane = { readonly width: number; readonly height: number; readonly data: Float32Array };

/** Where each pixel of one picture is found in the other, as displacements. */
export type Flow = { readonly x: Float32Array; readonly y: Float32Array };

const LEVELS = 3;
const ITERATIONS = 3;
/** The window over which the motion is taken to be one, as the deviation of a bell curve. */
const WINDOW = 3;
const SMOOTHING = 2;
/** Where there is no structure, nothing is moved. */
const DAMPING = 60;
/** In pixels for one iteration: what asks for more has found something else. */
const LONGEST_STEP = 1.5;

/**
 * Dense optical flow after Lucas and Kanade, from coarse to fine: for each pixel of `one`, the shift at which `other`
 * looks alike. Both must have the same size.
 */
export function denseFlow(one: Plane, other: Plane): Flow {
  const pyramid: [Plane, Plane][] = [[one, other]];
  for (let level = 1; level < LEVELS; level += 1) {
    const [before, after] = pyramid.at(-1) as [Plane, Plane];
    pyramid.push([halve(before), halve(after)]);
  }
  let flow: Flow | undefined;
  for (const [from, to] of pyramid.toReversed()) {
    flow = refine(from, to, flow ? enlarge(flow, from) : stillness(from));
  }
  return flow as Flow;
}

function refine(one: Plane, other: Plane, start: Flow): Flow {
  const { width, height } = one;
  const size = width * height;
  let flow = start;
  for (let times = 0; times < ITERATIONS; times += 1) {
    const moved = pull(other, flow);
    const products = Array.from({ length: 5 }, () => new Float32Array(size));
    const [xx, xy, yy, xt, yt] = products as [Float32Array, Float32Array, Float32Array, Float32Array, Float32Array];
    for (let y = 1; y < height - 1; y += 1) {
      for (let x = 1; x < width - 1; x += 1) {
        const at = y * width + x;
        const gx = ((moved.data[at + 1] as number) - (moved.data[at - 1] as number)) / 2;
        const gy = ((moved.data[at + width] as number) - (moved.data[at - width] as number)) / 2;
        const gt = (moved.data[at] as number) - (one.data[at] as number);
        xx[at] = gx * gx;
        xy[at] = gx * gy;
        yy[at] = gy * gy;
        xt[at] = gx * gt;
        yt[at] = gy * gt;
      }
    }
    const [sxx, sxy, syy, sxt, syt] = products.map((data) => blur({ width, height, data }, WINDOW).data) as [
      Float32Array,
      Float32Array,
      Float32Array,
      Float32Array,
      Float32Array,
    ];
    const [dx, dy] = [new Float32Array(size), new Float32Array(size)];
    for (let at = 0; at < size; at += 1) {
      const a = (sxx[at] as number) + DAMPING;
      const b = sxy[at] as number;
      const c = (syy[at] as number) + DAMPING;
      const determinant = a * c - b * b;
      const u = -(c * (sxt[at] as number) - b * (syt[at] as number)) / determinant;
      const v = -(a * (syt[at] as number) - b * (sxt[at] as number)) / determinant;
      dx[at] = (flow.x[at] as number) + clamp(u);
      dy[at] = (flow.y[at] as number) + clamp(v);
    }
    flow = {
      x: blur({ width, height, data: dx }, SMOOTHING).data,
      y: blur({ width, height, data: dy }, SMOOTHING).data,
    };
  }
  return flow;
}

function clamp(step: number): number {
  return Math.max(-LONGEST_STEP, Math.min(LONGEST_STEP, step));
}

/** The picture as seen through the flow. Outside of it, its nearest edge is repeated. */
export function pull({ width, height, data }: Plane, flow: Flow): Plane {
  const out = new Float32Array(width * height);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const at = y * width + x;
      const px = Math.min(width - 1.001, Math.max(0, x + (flow.x[at] as number)));
      const py = Math.min(height - 1.001, Math.max(0, y + (flow.y[at] as number)));
      const [x0, y0] = [Math.floor(px), Math.floor(py)];
      const [fx, fy] = [px - x0, py - y0];
      const from = y0 * width + x0;
      const top = (data[from] as number) * (1 - fx) + (data[from + 1] as number) * fx;
      const bottom = (data[from + width] as number) * (1 - fx) + (data[from + width + 1] as number) * fx;
      out[at] = top * (1 - fy) + bottom * fy;
    }
  }
  return { width, height, data: out };
}

/** Nearly a bell curve: two running means over rows and two over columns, whatever its width. */
export function blur({ width, height, data }: Plane, deviation: number): Plane {
  const reach = Math.max(1, Math.round((Math.sqrt(6 * deviation ** 2 + 1) - 1) / 2));
  const [one, other] = [new Float32Array(data.length), new Float32Array(data.length)];
  meanAlongRows(data, one, width, reach);
  meanAlongRows(one, other, width, reach);
  meanAlongColumns(other, one, width, reach);
  meanAlongColumns(one, other, width, reach);
  return { width, height, data: other };
}

/** Beyond the ends of a row, its last value is repeated. */
function meanAlongRows(from: Float32Array, to: Float32Array, width: number, reach: number): void {
  const share = 1 / (reach * 2 + 1);
  for (let first = 0; first < from.length; first += width) {
    const last = first + width - 1;
    let sum = (from[first] as number) * (reach + 1);
    for (let tap = 1; tap <= reach; tap += 1) sum += from[Math.min(last, first + tap)] as number;
    for (let at = first; at <= last; at += 1) {
      to[at] = sum * share;
      sum += (from[Math.min(last, at + reach + 1)] as number) - (from[Math.max(first, at - reach)] as number);
    }
  }
}

/** The same for columns, row by row: memory is read in the order in which it lies there. */
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
