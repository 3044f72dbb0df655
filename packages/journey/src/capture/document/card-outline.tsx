import type { Frame } from './measure-card.ts';
import type { Quad } from './quad.ts';

/** The frame to fill, in the shape of the document, and the outline of the document that was found in it. */
type OutlineProps = {
  picture: { width: number; height: number };
  frame: Frame;
  kind: 'card' | 'passport';
  side: 'front' | 'back';
  quad: Quad | null;
  /** Nothing of a document is visible yet. */
  empty: boolean;
  good: boolean;
  /** The share of the good looks that are needed, in 0…1. */
  progress: number;
};

export function CardOutline({ picture, frame, kind, side, quad, empty, good, progress }: OutlineProps) {
  const { left, top, width, height } = frame;
  const corner = height * 0.06;
  return (
    <svg
      class="outline"
      viewBox={`0 0 ${picture.width} ${picture.height}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <path
        class="outline-shade"
        fill-rule="evenodd"
        d={`M0 0h${picture.width}v${picture.height}H0zM${left + corner} ${top}h${width - 2 * corner}a${corner} ${corner} 0 0 1 ${corner} ${corner}v${height - 2 * corner}a${corner} ${corner} 0 0 1 -${corner} ${corner}h-${width - 2 * corner}a${corner} ${corner} 0 0 1 -${corner} -${corner}v-${height - 2 * corner}a${corner} ${corner} 0 0 1 ${corner} -${corner}z`}
      />
      <rect
        class={good ? 'outline-frame good' : 'outline-frame'}
        x={left}
        y={top}
        width={width}
        height={height}
        rx={corner}
      />
      {empty && <Inside frame={frame} kind={kind} side={side} />}
      {quad && (
        <polygon
          class={good ? 'outline-card good' : 'outline-card'}
          points={quad.map(({ x, y }) => `${x},${y}`).join(' ')}
          // The line closes as the good looks add up.
          pathLength={1}
          stroke-dasharray={good ? `${Math.max(0.02, progress)} 1` : undefined}
        />
      )}
    </svg>
  );
}

/** Sketches where portrait, lines and machine-readable zone belong, so that it is clear which side is meant. */
function Inside({ frame, kind, side }: Pick<OutlineProps, 'frame' | 'kind' | 'side'>) {
  const x = (share: number) => frame.left + frame.width * share;
  const y = (share: number) => frame.top + frame.height * share;
  const line = (from: number, to: number, at: number) => `M${x(from)} ${y(at)}H${x(to)}`;
  const portrait = side === 'front' && (
    <rect x={x(0.07)} y={y(0.22)} width={frame.width * 0.26} height={frame.height * 0.46} rx={frame.height * 0.03} />
  );
  const lines =
    side === 'front' ? [0.28, 0.42, 0.56].map((at) => line(0.42, 0.88, at)).join('') : line(0.08, 0.6, 0.25);
  const zone = kind === 'passport' ? [0.82, 0.91] : side === 'back' ? [0.66, 0.78, 0.9] : [];
  return (
    <g class="outline-inside">
      {portrait}
      <path d={lines} />
      {zone.length > 0 && <path class="outline-zone" d={zone.map((at) => line(0.06, 0.94, at)).join('')} />}
    </g>
  );
}
