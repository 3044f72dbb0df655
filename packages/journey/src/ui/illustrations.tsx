import type { ComponentChildren } from 'preact';

/** Illustrations that repeat the words beside them, so they are hidden from screen readers. */
function Figure({ small, children }: { small?: boolean; children: ComponentChildren }) {
  return (
    <svg class={small ? 'figure small' : 'figure'} viewBox="0 0 240 170" aria-hidden="true" focusable="false">
      {children}
    </svg>
  );
}

const Ground = () => <ellipse class="ill-fill" cx="120" cy="88" rx="112" ry="76" />;

const Card = ({ x, y }: { x: number; y: number }) => (
  <g transform={`translate(${x} ${y})`}>
    <rect class="ill-surface" width="112" height="72" rx="9" />
    <rect class="ill-line" width="112" height="72" rx="9" />
    <rect class="ill-fill" x="12" y="16" width="30" height="38" rx="5" />
    <circle class="ill-stroke" cx="27" cy="30" r="6" />
    <path class="ill-stroke" d="M17 51c2-8 18-8 20 0" />
    <path class="ill-soft" d="M54 20h44M54 33h34M54 46h40" />
  </g>
);

/** A document, and a phone that photographs it. */
export function Prepare() {
  return (
    <Figure>
      <Ground />
      <g transform="rotate(-7 90 96)">
        <Card x={32} y={58} />
      </g>
      <g transform="rotate(6 172 84)">
        <rect class="ill-surface" x="140" y="22" width="64" height="124" rx="13" />
        <rect class="ill-line" x="140" y="22" width="64" height="124" rx="13" />
        <path class="ill-line" d="M165 31h14" />
        <path class="ill-stroke" d="M153 60v-8h8M183 52h8v8M191 98v8h-8M161 106h-8v-8" />
        <ellipse class="ill-line" cx="172" cy="76" rx="10" ry="12" />
        <path class="ill-line" d="M157 103c3-11 27-11 30 0" />
        <circle class="ill-primary" cx="172" cy="128" r="7" />
      </g>
    </Figure>
  );
}

/** A sheet with a shield. */
export function Agreement() {
  return (
    <Figure small>
      <Ground />
      <rect class="ill-surface" x="66" y="14" width="92" height="132" rx="10" />
      <rect class="ill-line" x="66" y="14" width="92" height="132" rx="10" />
      <path class="ill-soft" d="M84 40h56M84 58h56M84 76h40M84 94h28" />
      <path class="ill-primary" d="M158 78l32 11v25c0 20-13 34-32 41-19-7-32-21-32-41V89z" />
      <path class="ill-on" d="M144 116l11 11 19-22" />
    </Figure>
  );
}

/** From the computer to the phone. */
export function Devices({ small = false }: { small?: boolean }) {
  return (
    <Figure small={small}>
      <Ground />
      <rect class="ill-surface" x="30" y="34" width="122" height="82" rx="8" />
      <rect class="ill-line" x="30" y="34" width="122" height="82" rx="8" />
      <path class="ill-line" d="M16 130h150" />
      <path class="ill-soft" d="M48 56h50M48 72h36" />
      <rect class="ill-surface" x="158" y="54" width="52" height="96" rx="11" />
      <rect class="ill-line" x="158" y="54" width="52" height="96" rx="11" />
      <path class="ill-stroke draw" d="M112 84h62m-14-14l14 14-14 14" />
    </Figure>
  );
}

/** A document that is inspected. */
export function Looking({ moving }: { moving: boolean }) {
  return (
    <Figure>
      <Ground />
      <Card x={64} y={50} />
      <g class={moving ? 'scan' : ''}>
        <path class="ill-stroke" d="M50 58h140" />
      </g>
    </Figure>
  );
}

export function Passed() {
  return (
    <Figure>
      <Ground />
      <circle class="ill-primary" cx="120" cy="86" r="50" />
      <path class="ill-on draw" d="M98 88l16 16 30-34" />
    </Figure>
  );
}

/** An envelope that has arrived. */
export function Received() {
  return (
    <Figure>
      <Ground />
      <rect class="ill-surface" x="62" y="48" width="116" height="80" rx="10" />
      <rect class="ill-line" x="62" y="48" width="116" height="80" rx="10" />
      <path class="ill-line" d="M66 54l54 42 54-42" />
      <circle class="ill-primary" cx="176" cy="52" r="22" />
      <path class="ill-on draw" d="M166 53l7 7 13-15" />
    </Figure>
  );
}

/** A round arrow for another attempt. */
export function Again() {
  return (
    <Figure>
      <Ground />
      <circle class="ill-surface" cx="120" cy="86" r="50" />
      <path class="ill-stroke draw" d="M148 66a34 34 0 1 0 6 28" />
      <path class="ill-stroke" d="M152 46v22h-22" />
    </Figure>
  );
}

/** A sheet without a cross or a warning, so that it blames nobody. */
export function Closed() {
  return (
    <Figure>
      <Ground />
      <rect class="ill-surface" x="76" y="24" width="88" height="122" rx="10" />
      <rect class="ill-line" x="76" y="24" width="88" height="122" rx="10" />
      <path class="ill-soft" d="M94 50h52M94 66h52M94 82h34" />
      <path class="ill-stroke" d="M104 116h32" />
    </Figure>
  );
}

export function Late() {
  return (
    <Figure>
      <Ground />
      <circle class="ill-surface" cx="120" cy="86" r="52" />
      <circle class="ill-line" cx="120" cy="86" r="52" />
      <path class="ill-stroke" d="M120 54v32l22 14" />
      <path class="ill-soft" d="M120 40v3M120 129v3M74 86h3M163 86h3" />
    </Figure>
  );
}

/** Two ends that do not meet. */
export function LostFigure() {
  return (
    <Figure>
      <Ground />
      <path class="ill-line" d="M36 96h46a12 12 0 0 0 12-12v0M204 78h-46a12 12 0 0 0-12 12v0" />
      <circle class="ill-surface" cx="94" cy="78" r="9" />
      <circle class="ill-line" cx="94" cy="78" r="9" />
      <circle class="ill-primary" cx="146" cy="96" r="9" />
    </Figure>
  );
}

export function KeyFigure() {
  return (
    <Figure>
      <Ground />
      <circle class="ill-surface" cx="92" cy="92" r="30" />
      <circle class="ill-line" cx="92" cy="92" r="30" />
      <circle class="ill-primary" cx="84" cy="96" r="8" />
      <path class="ill-line" d="M116 74l56-40 14 18-14 11 10 13-14 11-10-13-22 17" />
    </Figure>
  );
}
