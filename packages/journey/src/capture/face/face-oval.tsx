import type { Movement } from './instruction.ts';
import { OVAL } from './judge-face.ts';

type FaceOvalProps = {
  good: boolean;
  /** The share of what is needed, in 0…1. */
  progress: number;
  /** The movement to make, as the mirror shows it. */
  towards?: Movement | undefined;
  /** The number of recognised movements: each is ticked off for a moment. */
  seenMovements?: number;
};

const BOX = { width: 400, height: 500 } as const;
const CENTRE = { x: BOX.width * OVAL.x, y: BOX.height * OVAL.y } as const;
const RADIUS = { x: 148, y: (BOX.height * OVAL.height) / 2 } as const;

export function FaceOval({ good, progress, towards = 'centre', seenMovements = 0 }: FaceOvalProps) {
  return (
    <svg
      class="outline"
      viewBox={`0 0 ${BOX.width} ${BOX.height}`}
      preserveAspectRatio="xMidYMid slice"
      aria-hidden="true"
    >
      <path
        class="outline-shade"
        fill-rule="evenodd"
        // The shade is larger than the box, because screens of other shapes show what lies beside it.
        d={`M-800 -800h2000v2100h-2000zM${CENTRE.x - RADIUS.x} ${CENTRE.y}a${RADIUS.x} ${RADIUS.y} 0 1 0 ${RADIUS.x * 2} 0a${RADIUS.x} ${RADIUS.y} 0 1 0 -${RADIUS.x * 2} 0z`}
      />
      <ellipse
        class={good ? 'outline-frame good' : 'outline-frame'}
        cx={CENTRE.x}
        cy={CENTRE.y}
        rx={RADIUS.x}
        ry={RADIUS.y}
      />
      {progress > 0 && (
        <ellipse
          class="outline-progress"
          cx={CENTRE.x}
          cy={CENTRE.y}
          rx={RADIUS.x}
          ry={RADIUS.y}
          pathLength={1}
          stroke-dasharray={`${Math.min(1, progress)} 1`}
        />
      )}
      {towards !== 'centre' && <path class={`outline-arrow to-${towards}`} d={DRAWINGS[towards]} />}
      {seenMovements > 0 && <path key={seenMovements} class="outline-seen" d="M140 250l42 42 80-90" />}
    </svg>
  );
}

const DRAWINGS: Readonly<Record<Exclude<Movement, 'centre'>, string>> = {
  left: 'M150 245H40m36-36l-36 36 36 36',
  right: 'M250 245h110m-36-36l36 36-36 36',
  up: 'M200 170V50m-36 36l36-36 36 36',
  down: 'M200 320v120m-36-36l36 36 36-36',
  closeEyes: 'M110 236q32 28 64 0M226 236q32 28 64 0',
  closer: 'M200 120a92 125 0 1 0 0 250 92 125 0 1 0 0-250z',
  openMouth: 'M200 306a36 36 0 1 0 0 72 36 36 0 0 0 0-72z',
};
