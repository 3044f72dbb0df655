import type { ComponentChildren } from 'preact';

/** Illustrations that repeat the words beside them, so they are hidden from screen readers. */
function Figure({ children }: { children: ComponentChildren }) {
  return (
    <svg class="figure" viewBox="0 0 240 170" aria-hidden="true" focusable="false">
      <ellipse class="ill-fill" cx="120" cy="88" rx="112" ry="76" />
      {children}
    </svg>
  );
}

/** How the document should lie: flat, whole and in the frame. */
export function CardFigure({ kind, side }: { kind: 'card' | 'passport'; side: 'front' | 'back' }) {
  const [height, top] = kind === 'passport' ? [92, 40] : [78, 47];
  return (
    <Figure>
      <g class={side === 'back' ? 'turning' : ''}>
        <rect class="ill-surface" x="58" y={top} width="124" height={height} rx="9" />
        <rect class="ill-line" x="58" y={top} width="124" height={height} rx="9" />
        {side === 'front' ? (
          <>
            <rect class="ill-fill" x="70" y={top + 14} width="32" height="40" rx="5" />
            <circle class="ill-stroke" cx="86" cy={top + 29} r="6" />
            <path class="ill-stroke" d={`M76 ${top + 50}c2-9 18-9 20 0`} />
            <path class="ill-soft" d={`M114 ${top + 20}h50M114 ${top + 33}h38M114 ${top + 46}h46`} />
          </>
        ) : (
          <path class="ill-soft" d={`M72 ${top + 18}h60M72 ${top + 32}h36`} />
        )}
        {(kind === 'passport' || side === 'back') && (
          <path
            class="ill-soft"
            stroke-dasharray="5 6"
            d={`M70 ${top + height - 22}h100M70 ${top + height - 12}h100`}
          />
        )}
      </g>
      <path
        class="ill-stroke"
        d={`M44 ${top + 6}v-20h20M176 ${top - 14}h20v20M196 ${top + height - 6}v20h-20M64 ${top + height + 14}h-20v-20`}
      />
    </Figure>
  );
}

export function SelfieFigure({ moving }: { moving: boolean }) {
  return (
    <Figure>
      <rect class="ill-surface" x="78" y="14" width="84" height="144" rx="16" />
      <rect class="ill-line" x="78" y="14" width="84" height="144" rx="16" />
      <path class="ill-line" d="M112 24h16" />
      <ellipse class="ill-stroke" cx="120" cy="80" rx="28" ry="36" />
      <g class={moving ? 'looking' : ''}>
        <path class="ill-line" d="M111 74v3M129 74v3M113 93c4 4 10 4 14 0" />
      </g>
      <circle class="ill-primary" cx="120" cy="140" r="7" />
      {moving && <path class="ill-stroke" d="M60 80H38m8-8l-8 8 8 8M180 80h22m-8-8l8 8-8 8" />}
    </Figure>
  );
}

/** A page that becomes a picture. */
export function PageFigure() {
  return (
    <Figure>
      <path class="ill-surface" d="M84 22h50l24 24v104H84z" />
      <path class="ill-line" d="M84 22h50l24 24v104H84zM134 22v24h24" />
      <rect class="ill-fill" x="96" y="62" width="50" height="32" rx="4" />
      <path class="ill-stroke" d="M102 88l11-12 8 8 6-6 13 13" />
      <path class="ill-soft" d="M97 110h48M97 122h48M97 134h30" />
    </Figure>
  );
}

export function NoCameraFigure() {
  return (
    <Figure>
      <rect class="ill-surface" x="66" y="56" width="108" height="74" rx="12" />
      <path
        class="ill-line"
        d="M78 56h18l8-14h32l8 14h18a12 12 0 0 1 12 12v50a12 12 0 0 1-12 12H78a12 12 0 0 1-12-12V68a12 12 0 0 1 12-12z"
      />
      <circle class="ill-line" cx="120" cy="92" r="21" />
      <path class="ill-stroke" d="M58 34l124 112" />
    </Figure>
  );
}
